package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/amend"
	"feedonce/internal/explain"
	"feedonce/internal/store"
)

// The review queue: new articles that came close to another one. A question is a decision and one of the articles that its
// evidence names; it is answered once there is a verdict on the two, or one of them stands for itself no more. The latest
// come first. The queue is read from the decisions themselves, from a place on, so that nothing has to be kept.

// lookThrough is how many decisions one page of the queue reads; maxWaiting is how many questions it counts.
const (
	lookThrough = 2000
	maxWaiting  = 50
)

type reviewPage struct {
	page
	Pair    *pairView
	Why     string // why the younger was not taken for the older
	At      moment
	Waiting int64  // questions from here on, this one included
	More    bool   // there are at least so many
	Next    string // the place behind this question, for skip
	Further string // where to look further; "" where the end was reached
	All     bool   // also those against which something speaks for certain
	From    string // the place of this page
}

// A place in the queue is a decision and the index of an article that its evidence names.
type place struct {
	decision int64 // where to begin; 0 is the latest
	other    int
}

func (p place) String() string { return fmt.Sprintf("%d.%d", p.decision, p.other) }

func parsePlace(text string) (place, error) {
	if text == "" {
		return place{}, nil
	}
	d, o, ok := strings.Cut(text, ".")
	decision, err := strconv.ParseInt(d, 10, 64)
	other, err2 := strconv.Atoi(o)
	if !ok || err != nil || err2 != nil || decision < 1 || other < 0 {
		return place{}, &feedonce.InvalidError{Field: "the place in the queue", Reason: "cannot be read; begin anew"}
	}
	return place{decision, other}, nil
}

// certain reports whether a reason leaves no doubt that two articles are two.
func certain(why string) bool {
	return why == "both stand in the document at once" || strings.HasPrefix(why, "had the guid, but")
}

func (s *server) review(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	from, err := parsePlace(q.Get("from"))
	if err != nil {
		return err
	}
	p := reviewPage{page: s.page(r, "Review", "decisions"), All: q.Get("all") != "", From: q.Get("from")}
	err = s.Store.View(r.Context(), func(tx *store.Tx) error {
		p.Pair, p.Waiting, p.More, p.Further = nil, 0, false, ""
		if err := s.queue(tx, followed(r), from, &p); err != nil {
			return err
		}
		if err := s.changed(tx, r, &p.page); err != nil || p.Undo == nil {
			return err
		}
		p.Undo.Fields = append(p.Undo.Fields, hidden{"back", "review"}, hidden{"from", q.Get("from")})
		return nil
	})
	if err != nil {
		return err
	}
	s.saidDifferent(r, &p.page, feedonce.EntryID(number64(q, "a")), feedonce.EntryID(number64(q, "b")))
	return s.render(w, "review", p)
}

// queue finds the first question from a place on, and counts those behind it.
func (s *server) queue(tx *store.Tx, reader feedonce.UserID, from place, p *reviewPage) error {
	before := int64(0)
	if from.decision > 0 {
		before = from.decision + 1
	}
	const chunk = 200
	for read := 0; read < lookThrough; read += chunk {
		decisions, err := tx.Decisions(store.DecisionFilter{User: reader, Outcomes: []string{string(dedup.New)}, Before: before, Limit: chunk})
		if err != nil {
			return err
		}
		for _, d := range decisions {
			before = d.ID
			if !strings.Contains(string(d.Evidence), `"others"`) {
				continue
			}
			lone, err := explain.Arrival(tx, d)
			if errors.Is(err, feedonce.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			for i, o := range lone.Others {
				if d.ID == from.decision && i < from.other || certain(o.Why) && !p.All {
					continue
				}
				open, err := unanswered(tx, reader, d.Entry, o.Entry)
				if err != nil {
					return err
				}
				if !open {
					continue
				}
				if p.Waiting++; p.Waiting == 1 {
					pair, err := explain.PairOf(tx, d.Entry, o.Entry)
					if err != nil {
						return err
					}
					if p.Pair, err = s.pairView(tx, pair); err != nil {
						return err
					}
					p.Why, p.At, p.Next, p.From = o.Why, s.at(d.At), place{d.ID, i + 1}.String(), place{d.ID, i}.String()
				}
				if p.Waiting == maxWaiting {
					p.More = true
					return nil
				}
			}
		}
		if len(decisions) < chunk {
			return nil
		}
	}
	p.More = p.Waiting > 0
	if before > 1 {
		p.Further = place{before - 1, 0}.String()
	}
	return nil
}

// unanswered reports whether two entries that a reader may see (0: all) both stand for themselves, and nobody has said what they are.
func unanswered(tx *store.Tx, reader feedonce.UserID, a, b feedonce.EntryID) (bool, error) {
	for _, id := range []feedonce.EntryID{a, b} {
		e, err := visibleEntry(tx, reader, id)
		if errors.Is(err, feedonce.ErrNotFound) {
			return false, nil
		}
		if err != nil || e.MergedInto != 0 {
			return false, err
		}
	}
	said, err := tx.Verdicts(a)
	for _, v := range said {
		if v.A == b || v.B == b {
			return false, err
		}
	}
	return a != b, err
}

// answer records what a person said of two articles, and goes on.
func (s *server) answer(w http.ResponseWriter, r *http.Request) error {
	a, b := formID(r, "a"), formID(r, "b")
	q := url.Values{}
	if r.PostFormValue("all") != "" {
		q.Set("all", "yes")
	}
	if from := r.PostFormValue("from"); from != "" {
		if _, err := parsePlace(from); err != nil {
			return err
		}
		q.Set("from", from)
	}
	answer := r.PostFormValue("answer")
	if answer != "skip" && (a == 0 || b == 0) {
		return &feedonce.InvalidError{Field: "the articles", Reason: "must be two, each given by its number"}
	}
	switch answer {
	case "same":
		am, err := amend.Merge(r.Context(), s.Store, a, b, s.by(r))
		if err != nil {
			return err
		}
		q.Set("change", strconv.FormatInt(am.ID, 10))
	case "different":
		err := amend.Different(r.Context(), s.Store, a, b, s.by(r))
		if err != nil && !errors.Is(err, feedonce.ErrExists) {
			return err
		}
		q.Set("done", "different")
	case "doubt":
		if err := amend.Doubt(r.Context(), s.Store, a, b); err != nil {
			return err
		}
		q.Set("done", "doubt")
	case "skip":
		q.Set("from", r.PostFormValue("next"))
		if _, err := parsePlace(q.Get("from")); err != nil {
			return err
		}
	default:
		return &feedonce.InvalidError{Field: "the answer", Reason: "must be same, different or skip"}
	}
	to := "/review"
	if r.PostFormValue("back") == "compare" && q.Get("done") != "" {
		to = "/compare"
	}
	if q.Get("done") != "" {
		q.Set("a", fmt.Sprint(a))
		q.Set("b", fmt.Sprint(b))
	}
	if len(q) > 0 {
		to += "?" + q.Encode()
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// saidDifferent adds the button that takes back that two articles were said to be two.
func (s *server) saidDifferent(r *http.Request, p *page, a, b feedonce.EntryID) {
	switch r.URL.Query().Get("done") {
	case "different":
		if a == 0 || b == 0 {
			return
		}
		p.Notice = fmt.Sprintf("Articles %d and %d stay two, whatever the rules find. That is remembered.", a, b)
		p.Undo = &backForm{Action: "/review", Label: "Undo", Fields: []hidden{{"a", fmt.Sprint(a)}, {"b", fmt.Sprint(b)}, {"answer", "doubt"}, {"from", r.URL.Query().Get("from")}}}
		if r.URL.Path == "/compare" {
			p.Undo.Fields = append(p.Undo.Fields, hidden{"back", "compare"})
		}
	case "doubt":
		p.Notice = "Taken back: what the two are is for the evidence to say."
	}
}

// formID is the number of an article in a form; 0 where there is none.
func formID(r *http.Request, name string) feedonce.EntryID {
	n, err := strconv.ParseInt(r.PostFormValue(name), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return feedonce.EntryID(n)
}
