package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"feedonce"
	"feedonce/internal/amend"
	"feedonce/internal/explain"
	"feedonce/internal/store"
)

type samePage struct {
	page
	Article brief
	Words   string
	Found   []brief
	Hints   []brief // what it was compared with when it came
}

// same lets a person choose the article that another one is the same as, by its number or words of its title, and asks
// before they become one.
func (s *server) same(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	if with := r.FormValue("with"); with != "" {
		other, err := strconv.ParseInt(with, 10, 64)
		if err != nil || other <= 0 {
			return &feedonce.InvalidError{Field: "the other article", Reason: "must be given by its number"}
		}
		return s.confirmSame(w, r, feedonce.EntryID(id), feedonce.EntryID(other))
	}
	p := samePage{page: s.page(r, "Same as…", "articles"), Words: strings.TrimSpace(r.FormValue("q"))}
	err = s.Store.View(r.Context(), func(tx *store.Tx) error {
		p.Found, p.Hints = nil, nil
		all, err := s.briefs(tx, feedonce.EntryID(id))
		if err != nil {
			return err
		}
		p.Article = all[0]
		a, err := explain.Of(tx, p.Article.ID)
		if err != nil {
			return err
		}
		names := namer{tx: tx}
		seen := []feedonce.EntryID{p.Article.ID}
		add := func(list *[]brief, id feedonce.EntryID) error {
			if slices.Contains(seen, id) {
				return nil
			}
			seen = append(seen, id)
			e, err := visibleEntry(tx, followed(r), id)
			if err != nil {
				return notFoundIsNothing(err)
			}
			if e.MergedInto != 0 {
				return nil
			}
			b, err := s.brief(&names, e)
			*list = append(*list, b)
			return err
		}
		if p.Words != "" {
			found, err := explain.Find(tx, p.Words)
			if err != nil {
				return err
			}
			for _, id := range found.Articles {
				if err := add(&p.Found, id); err != nil {
					return err
				}
			}
			for _, e := range found.Titled {
				if err := add(&p.Found, e.ID); err != nil {
					return err
				}
			}
			return nil
		}
		for _, d := range a.Decisions {
			for _, o := range d.Others {
				if err := add(&p.Hints, o.Entry); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.render(w, "same", p)
}

func (s *server) confirmSame(w http.ResponseWriter, r *http.Request, a, b feedonce.EntryID) error {
	if a == b {
		return &feedonce.InvalidError{Field: "the other article", Reason: "must be another one, not itself"}
	}
	here := a
	return s.confirm(w, r, "articles", func(tx *store.Tx, p *confirmPage) error {
		var err error
		old, young := min(a, b), max(a, b)
		if p.Articles, err = s.briefs(tx, old, young); err != nil {
			return err
		}
		p.Heading, p.Button, p.Action, p.Back = "The same article?", "They are the same", entryPath(here)+"/same", entryPath(here)
		p.Fields, p.Compare = []hidden{{"with", fmt.Sprint(a + b - here)}}, comparePath(old, young)
		if p.Articles[0].Feed == p.Articles[1].Feed {
			p.Says = []string{
				fmt.Sprintf("Article %d becomes part of article %d, which came first. What it is known by leads there from now on, and the newer text of the two is shown.", young, old),
				fmt.Sprintf("What was not sent yet of article %d is not sent any more; what was sent stays sent.", young),
			}
		} else {
			p.Says = []string{"They are of two feeds, so they become one story: one row in the list, read together. Each stays in its feed."}
		}
		for _, id := range []feedonce.EntryID{old, young} {
			said, err := s.told(tx, id)
			if err != nil {
				return err
			}
			p.Says = append(p.Says, said)
		}
		p.Says = append(p.Says, "It is remembered. You can undo it.")
		return nil
	})
}

func (s *server) merge(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	other, err := strconv.ParseInt(r.PostFormValue("with"), 10, 64)
	if err != nil || other <= 0 {
		return &feedonce.InvalidError{Field: "the other article", Reason: "must be given by its number"}
	}
	am, err := amend.Merge(r.Context(), s.Store, feedonce.EntryID(id), feedonce.EntryID(other), s.by(r))
	if err != nil {
		return err
	}
	to := feedonce.EntryID(id)
	if am.Kind == store.AmendMerge {
		to = am.A
	}
	seeChange(w, r, to, am)
	return nil
}

// confirmLeave asks whether an article is to leave its story.
func (s *server) confirmLeave(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	return s.confirm(w, r, "articles", func(tx *store.Tx, p *confirmPage) error {
		entry := feedonce.EntryID(id)
		story, err := s.storyOf(tx, entry)
		if err != nil {
			return err
		}
		p.Heading, p.Button, p.Action, p.Back = "Leave the story?", "It leaves the story", entryPath(entry)+"/leave", entryPath(entry)
		for _, m := range story.Members {
			b := s.memberBrief(m)
			if m.Entry.ID == entry {
				p.Articles = append([]brief{b}, p.Articles...)
			} else {
				p.Articles = append(p.Articles, b)
			}
		}
		p.Says = []string{fmt.Sprintf("Article %d stands by itself from now on, and no longer with the %s of its story. Nobody is told anything because of it.", entry, plural(int64(len(story.Members)-1), "other article", "other articles"))}
		if len(story.Members) == 2 {
			p.Says = append(p.Says, "The other one is then alone, too: the story is no more.")
		}
		said, err := s.told(tx, entry)
		p.Says = append(p.Says, said, "It is remembered. You can undo it.")
		return err
	})
}

func (s *server) leave(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	am, err := amend.Leave(r.Context(), s.Store, feedonce.EntryID(id), s.by(r))
	if err != nil {
		return err
	}
	seeChange(w, r, feedonce.EntryID(id), am)
	return nil
}

// confirmLead asks whether an article is to be shown first of its story.
func (s *server) confirmLead(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	return s.confirm(w, r, "articles", func(tx *store.Tx, p *confirmPage) error {
		entry := feedonce.EntryID(id)
		story, err := s.storyOf(tx, entry)
		if err != nil {
			return err
		}
		p.Heading, p.Button, p.Action, p.Back = "Show it first?", "It is shown first", entryPath(entry)+"/lead", entryPath(entry)
		for _, m := range story.Members {
			if m.Entry.ID == entry {
				p.Articles = []brief{s.memberBrief(m)}
			}
		}
		now := story.Members[story.Lead]
		switch {
		case now.Entry.ID != entry:
			p.Says = append(p.Says, fmt.Sprintf("Of the %s of the story this one is shown first, in the place of article %d of %s.", plural(int64(len(story.Members)), "article", "articles"), now.Entry.ID, shortTitle(now.FeedName)))
		case story.Chosen.IsZero():
			p.Says = append(p.Says, "It is shown first already, because it came first. It stays so, whatever joins the story.")
		default:
			p.Says = append(p.Says, "It is shown first already, as a person chose.")
		}
		p.Says = append(p.Says, "Nobody is told anything because of it. You can undo it.")
		return nil
	})
}

// lead makes an article the first of its story, or, with "forget", takes the choice back.
func (s *server) lead(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	entry := feedonce.EntryID(id)
	var story store.Story
	err = s.Store.View(r.Context(), func(tx *store.Tx) (err error) {
		story, err = s.storyOf(tx, entry)
		return err
	})
	if err != nil {
		return err
	}
	q := url.Values{"done": {"lead"}}
	switch {
	case r.PostFormValue("forget") != "":
		entry = 0
		q.Set("done", "lead-forgotten")
	case !story.Chosen.IsZero():
		q.Set("was", fmt.Sprint(story.Members[story.Lead].Entry.ID))
	}
	if err := amend.Lead(r.Context(), s.Store, story.ID, entry, s.by(r)); err != nil {
		return err
	}
	http.Redirect(w, r, entryPath(feedonce.EntryID(id))+"?"+q.Encode(), http.StatusSeeOther)
	return nil
}

func (s *server) storyOf(tx *store.Tx, entry feedonce.EntryID) (store.Story, error) {
	id, err := tx.StoryOf(entry)
	if err != nil {
		return store.Story{}, err
	}
	return tx.Story(id, store.Lead{})
}

// ledUndo is the button that takes back the choice of a lead.
func ledUndo(r *http.Request, entry feedonce.EntryID) *backForm {
	if r.URL.Query().Get("done") != "lead" {
		return nil
	}
	if was := number64(r.URL.Query(), "was"); was > 0 && was != int64(entry) {
		return &backForm{Action: entryPath(feedonce.EntryID(was)) + "/lead", Label: "Undo"}
	}
	return &backForm{Action: entryPath(entry) + "/lead", Fields: []hidden{{"forget", "yes"}}, Label: "Undo"}
}
