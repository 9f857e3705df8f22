package web

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"feedonce"
	"feedonce/internal/explain"
	"feedonce/internal/store"
)

type comparePage struct {
	page
	WordA, WordB string // what was typed
	Problem      string
	Pair         *pairView
}

// A pairView is two articles side by side.
type pairView struct {
	A, B     brief // B came later
	Fields   []explain.PairField
	Text     []explain.Piece
	NoText   bool // neither has any
	Meetings []meetingView
	Said     []string
	State    string // what they are to each other now: "" two articles
	One      bool   // they are one, or one story, already
	Across   bool   // they are of two feeds
	Differ   bool   // a person said that they are two
}

type meetingView struct {
	explain.Meeting
	Facts []explain.Finding
}

// compare sets two articles side by side.
func (s *server) compare(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	p := comparePage{page: s.page(r, "Compare", "decisions"), WordA: strings.TrimSpace(q.Get("a")), WordB: strings.TrimSpace(q.Get("b"))}
	if p.WordA == "" && p.WordB == "" {
		return s.render(w, "compare", p)
	}
	err := s.Store.View(r.Context(), func(tx *store.Tx) error {
		p.Pair, p.Problem = nil, ""
		var ids [2]feedonce.EntryID
		for i, word := range []string{p.WordA, p.WordB} {
			id, problem, err := meant(tx, followed(r), word)
			if err != nil || problem != "" {
				p.Problem = problem
				return err
			}
			ids[i] = id
		}
		if ids[0] == ids[1] {
			p.Problem = fmt.Sprintf("Both are article %d. Give two articles.", ids[0])
			return nil
		}
		pair, err := explain.PairOf(tx, ids[0], ids[1])
		if err != nil {
			return err
		}
		p.Pair, err = s.pairView(tx, pair)
		return err
	})
	if err != nil {
		return err
	}
	if p.Pair != nil {
		s.saidDifferent(r, &p.page, p.Pair.A.ID, p.Pair.B.ID)
	}
	return s.render(w, "compare", p)
}

// meant returns the one article, of those that a reader may see (0: all), that a person means by a number, address, guid or words of a title, or says what is wrong.
func meant(tx *store.Tx, reader feedonce.UserID, word string) (id feedonce.EntryID, problem string, err error) {
	if word == "" {
		return 0, "Give two articles, each by its number, its address or words of its title.", nil
	}
	if n, err := strconv.ParseInt(word, 10, 64); err == nil && n > 0 {
		switch _, err := visibleEntry(tx, reader, feedonce.EntryID(n)); {
		case err == nil:
			return feedonce.EntryID(n), "", nil
		case !errors.Is(err, feedonce.ErrNotFound):
			return 0, "", err
		}
	}
	found, err := explain.Find(tx, word)
	if err != nil {
		return 0, "", err
	}
	ids := found.Articles
	for _, e := range found.Titled {
		ids = append(ids, e.ID)
	}
	if ids, err = onlySeen(tx, reader, ids); err != nil {
		return 0, "", err
	}
	switch len(ids) {
	case 0:
		return 0, fmt.Sprintf("No article is known by %s.", shortTitle(word)), nil
	case 1:
		return ids[0], "", nil
	}
	return 0, fmt.Sprintf("%s may be several articles, such as %d and %d. Give its number.", shortTitle(word), ids[0], ids[1]), nil
}

func (s *server) pairView(tx *store.Tx, p *explain.Pair) (*pairView, error) {
	v := &pairView{Fields: p.Fields, Text: p.Text, Across: p.FeedA.ID != p.FeedB.ID}
	names := namer{tx: tx}
	var err error
	if v.A, err = s.brief(&names, p.A); err != nil {
		return nil, err
	}
	if v.B, err = s.brief(&names, p.B); err != nil {
		return nil, err
	}
	v.NoText = p.A.Content+p.A.Summary+p.B.Content+p.B.Summary == ""
	for _, m := range p.Meetings {
		v.Meetings = append(v.Meetings, meetingView{m, m.Finding})
	}
	for _, said := range p.Said {
		what := "two articles"
		if said.Same {
			what = "one article"
		}
		who := "A person"
		if said.Who != "" {
			who = clip(said.Who, 80)
		}
		v.Said = append(v.Said, fmt.Sprintf("%s said on %s that they are %s. That holds, whatever the evidence says.", who, s.stamp(said.At), what))
		v.Differ = v.Differ || !said.Same
	}
	switch {
	case p.B.MergedInto == p.A.ID || p.A.MergedInto == p.B.ID || p.A.MergedInto != 0 && p.A.MergedInto == p.B.MergedInto:
		v.State, v.One = "They are one article now.", true
	case p.Story != 0:
		v.State, v.One = "They are one story now.", true
	case v.Across:
		v.State = "They are two articles of two feeds."
	default:
		v.State = "They are two articles of one feed."
	}
	return v, nil
}
