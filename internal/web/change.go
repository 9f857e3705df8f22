package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"feedonce"
	"feedonce/internal/amend"
	"feedonce/internal/store"
)

// What people change after the fact. Each change has a page that says in sentences what will happen and who was told what,
// and a button that does it; afterwards the browser is sent to the article, which says what was done and how to take it
// back. The change is named in the address by its number, never by text.

// by says who changes something.
func (s *server) by(r *http.Request) amend.By { return amend.By{Who: user(r).Name, At: s.Now()} }

// A backForm is the button that takes back what was just done.
type backForm struct {
	Action string
	Fields []hidden
	Label  string
}

type hidden struct{ Name, Value string }

// A brief is an article in one line.
type brief struct {
	ID     feedonce.EntryID
	Title  string
	Feed   feedonce.FeedID
	Source string
	Age    moment
}

// memberBrief is an article of a story.
func (s *server) memberBrief(m store.StoryMember) brief {
	return brief{m.Entry.ID, m.Entry.Title, m.Entry.Feed, m.FeedName, s.at(m.Entry.Time())}
}

func (s *server) brief(names *namer, e feedonce.Entry) (brief, error) {
	f, err := names.feed(e.Feed)
	return brief{e.ID, e.Title, e.Feed, f.Name(), s.at(e.Time())}, err
}

// briefs reads articles by their numbers.
func (s *server) briefs(tx *store.Tx, ids ...feedonce.EntryID) ([]brief, error) {
	names := namer{tx: tx}
	var out []brief
	for _, id := range ids {
		e, err := tx.Entry(id)
		if err != nil {
			return nil, err
		}
		b, err := s.brief(&names, e)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// A confirmPage asks before something is changed.
type confirmPage struct {
	page
	Heading  string
	Articles []brief
	Says     []string
	Action   string
	Fields   []hidden
	Button   string
	Compare  string // address; "" is none
	Back     string
}

// confirm renders the question that ask makes.
func (s *server) confirm(w http.ResponseWriter, r *http.Request, section string, ask func(tx *store.Tx, p *confirmPage) error) error {
	p := confirmPage{page: s.page(r, "", section)}
	err := s.Store.View(r.Context(), func(tx *store.Tx) error {
		p.Articles, p.Says, p.Fields = nil, nil, nil
		return ask(tx, &p)
	})
	if err != nil {
		return err
	}
	p.Title = p.Heading
	return s.render(w, "confirm", p)
}

// seeChange sends the browser to the article that a change is about.
func seeChange(w http.ResponseWriter, r *http.Request, entry feedonce.EntryID, am store.Amendment) {
	http.Redirect(w, r, entryPath(entry)+"?change="+strconv.FormatInt(am.ID, 10), http.StatusSeeOther)
}

// changed says on a page what was just done, where its address names a change.
func (s *server) changed(tx *store.Tx, r *http.Request, p *page) error {
	id := number64(r.URL.Query(), "change")
	if id == 0 {
		return nil
	}
	am, err := tx.Amendment(id)
	if err == nil {
		err = maySeeChange(tx, followed(r), am)
	}
	if err != nil {
		return notFoundIsNothing(err)
	}
	p.Undo = nil
	undone := !am.Undone.IsZero()
	switch am.Kind {
	case store.AmendSplit:
		p.Notice = fmt.Sprintf("Articles %d and %d are two from now on. That is remembered.", am.A, am.B)
		if undone {
			p.Notice = fmt.Sprintf("Taken back: article %d is part of %d again.", am.B, am.A)
		}
	case store.AmendMerge:
		p.Notice = fmt.Sprintf("Article %d is part of %d from now on. That is remembered.", am.B, am.A)
		if undone {
			p.Notice = fmt.Sprintf("Taken back: articles %d and %d are two again.", am.A, am.B)
		}
	case store.AmendJoin:
		p.Notice = fmt.Sprintf("Articles %d and %d are one story from now on.", am.A, am.B)
		if undone {
			p.Notice = fmt.Sprintf("Taken back: articles %d and %d are where they were before.", am.A, am.B)
		}
	case store.AmendLeave:
		p.Notice = fmt.Sprintf("Article %d left its story.", am.A)
		if undone {
			p.Notice = fmt.Sprintf("Taken back: article %d is in its story again.", am.A)
		}
	default:
		return nil
	}
	if !undone {
		p.Undo = &backForm{Action: changePath(am.ID) + "/undo", Label: "Undo"}
	}
	return nil
}

// told says in a sentence what destinations were sent of an article.
func (s *server) told(tx *store.Tx, id feedonce.EntryID) (string, error) {
	all, err := tx.Deliveries(store.DeliveryFilter{Entry: id, Limit: 200})
	if err != nil {
		return "", err
	}
	to := map[feedonce.DestinationID]bool{}
	waits := int64(0)
	var last time.Time
	for _, d := range all {
		switch d.State {
		case feedonce.DeliverySent, feedonce.DeliveryUnknown:
			to[d.Destination] = true
			if d.Done.After(last) {
				last = d.Done
			}
		case feedonce.DeliveryPending, feedonce.DeliverySending, feedonce.DeliveryRetry, feedonce.DeliveryHeld:
			waits++
		}
	}
	var parts []string
	if n := len(to); n > 0 {
		part := plural(int64(n), "destination was told of it", "destinations were told of it")
		if !last.IsZero() {
			part += " (" + s.stamp(last) + ")"
		}
		parts = append(parts, part)
	}
	if waits > 0 {
		parts = append(parts, plural(waits, "message about it waits to be sent", "messages about it wait to be sent"))
	}
	if len(parts) == 0 {
		return fmt.Sprintf("No destination was told of article %d.", id), nil
	}
	return fmt.Sprintf("Article %d: %s.", id, strings.Join(parts, ", and ")), nil
}

// stamp writes a moment within a sentence.
func (s *server) stamp(t time.Time) string { return s.at(t).t.Format("2 January 2006, 15:04") }

// number64 reads a positive number of an address; 0 where there is none.
func number64(q url.Values, name string) int64 {
	n, err := strconv.ParseInt(q.Get(name), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

func entryPath(id feedonce.EntryID) string { return "/entries/" + strconv.FormatInt(int64(id), 10) }
func decisionPath(id int64) string         { return "/decisions/" + strconv.FormatInt(id, 10) }
func changePath(id int64) string           { return "/changes/" + strconv.FormatInt(id, 10) }

func comparePath(a, b feedonce.EntryID) string {
	return fmt.Sprintf("/compare?a=%d&b=%d", a, b)
}
