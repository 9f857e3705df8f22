package web

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"feedonce"
	"feedonce/internal/store"
)

// What a person has read and starred. Only forms change it, never the address of a page: a browser asks for those ahead of the
// person, and programs look at them. So that opening an article marks it as read, its page sends the form that its button would
// (assets/app.js). Without JavaScript that button stays what it is. To let the address do it would be convenient, and make
// whatever was fetched and never seen disappear from what is unread: the one thing that a reader must not lose.

// mark changes what a person did with one article: as=read, unread, star or unstar.
func (s *server) mark(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	entry, who, as := feedonce.EntryID(id), user(r).ID, r.PostFormValue("as")
	err = s.Store.Update(r.Context(), func(tx *store.Tx) error {
		e, err := tx.Entry(entry)
		if err != nil {
			return err
		}
		if e.MergedInto != 0 {
			entry = e.MergedInto
		}
		switch as {
		case "read":
			_, err = tx.MarkRead(who, s.Now(), entry)
		case "unread":
			err = tx.MarkUnread(who, entry)
		case "star", "unstar":
			err = tx.Star(who, entry, as == "star", s.Now())
		default:
			err = &feedonce.InvalidError{Field: "the mark", Reason: "must be read, unread, star or unstar"}
		}
		return err
	})
	if err != nil {
		return err
	}
	s.live.touch(who)
	if wantsJSON(r) {
		return s.counts(w, r)
	}
	back := local(r.PostFormValue("back"))
	query := "done=" + as
	if as == "read" { // it may be gone from the list, so that its button cannot take it back
		query += "&entry=" + strconv.FormatInt(int64(entry), 10)
	}
	http.Redirect(w, r, more(back, query), http.StatusSeeOther)
	return nil
}

func wantsJSON(r *http.Request) bool { return r.Header.Get("Accept") == "application/json" }

func newReadAllForm(at listing, seen int64) *readAllForm {
	f := &readAllForm{Fields: []hidden{{"seen", strconv.FormatInt(seen, 10)}}, What: "everything"}
	switch {
	case at.feed != 0:
		f.Fields, f.What = append(f.Fields, hidden{"feed", strconv.FormatInt(int64(at.feed), 10)}), "all of this feed"
	case at.folder != nil:
		f.Fields, f.What = append(f.Fields, hidden{"folder", *at.folder}), "all of this folder"
	}
	return f
}

// formScope reads what newReadAllForm wrote.
func formScope(r *http.Request) (scope store.Scope) {
	if n, err := strconv.ParseInt(r.FormValue("feed"), 10, 64); err == nil && n > 0 {
		scope.Feed = feedonce.FeedID(n)
	} else if r.Form.Has("folder") {
		folder := r.FormValue("folder")
		scope.Folder = &folder
	}
	return scope
}

// maxUndo is how many stories can be made unread again at once, in a transaction that does not keep others waiting.
const maxUndo = 2000

// undos are the stories that people marked as read with all the others last. They are in memory only: who restarts the program
// between the mark and the undo loses the undo, and no article.
type undos struct {
	mu sync.Mutex
	of map[feedonce.UserID][]feedonce.EntryID
}

func (u *undos) set(who feedonce.UserID, ids []feedonce.EntryID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.of == nil {
		u.of = map[feedonce.UserID][]feedonce.EntryID{}
	}
	if len(ids) > maxUndo || len(ids) == 0 {
		delete(u.of, who)
		return
	}
	u.of[who] = ids
}

func (u *undos) last(who feedonce.UserID) []feedonce.EntryID {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.of[who]
}

// readAll makes everything of a list read that had come when it was made.
func (s *server) readAll(w http.ResponseWriter, r *http.Request) error {
	who := user(r).ID
	seen, err := strconv.ParseInt(r.PostFormValue("seen"), 10, 64)
	if err != nil || seen < 0 {
		return &feedonce.InvalidError{Field: "what was seen", Reason: "is missing; go back to the list and do it there"}
	}
	var ids []feedonce.EntryID
	err = s.Store.Update(r.Context(), func(tx *store.Tx) (err error) {
		ids, err = tx.MarkAllRead(who, formScope(r), seen)
		return err
	})
	if err != nil {
		return err
	}
	s.undone.set(who, ids)
	s.live.touch(who)
	http.Redirect(w, r, more(local(r.PostFormValue("back")), "done=read-all&n="+strconv.Itoa(len(ids))), http.StatusSeeOther)
	return nil
}

// unreadAgain takes back what readAll did last.
func (s *server) unreadAgain(w http.ResponseWriter, r *http.Request) error {
	who := user(r).ID
	ids := s.undone.last(who)
	if len(ids) == 0 {
		return &feedonce.InvalidError{Field: "what was marked as read", Reason: "is not known any more, so it cannot be made unread again together; each article can"}
	}
	err := s.Store.Update(r.Context(), func(tx *store.Tx) error {
		for _, id := range ids {
			if err := tx.MarkUnread(who, id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.undone.set(who, nil)
	s.live.touch(who)
	http.Redirect(w, r, more(local(r.PostFormValue("back")), "done=unread-again&n="+strconv.Itoa(len(ids))), http.StatusSeeOther)
	return nil
}

// readNotice is what a mark says when the browser is back at the list.
func readNotice(done string, n int64) string {
	switch done {
	case "read":
		return "Marked as read."
	case "unread":
		return "Marked as unread."
	case "star":
		return "Starred."
	case "unstar":
		return "Its star is taken away."
	case "read-all":
		return plural(n, "article is", "articles are") + " marked as read. What came meanwhile is not."
	case "unread-again":
		return plural(n, "article is", "articles are") + " unread again."
	}
	return ""
}

// readUndo puts a button that takes it back beside what a mark says.
func (s *server) readUndo(r *http.Request, p *page, back string) {
	q := r.URL.Query()
	n := number64(q, "n")
	if said := readNotice(q.Get("done"), n); said != "" {
		p.Notice = said
	}
	switch entry := number64(q, "entry"); {
	case q.Get("done") == "read" && entry > 0:
		p.Undo = &backForm{Action: entryPath(feedonce.EntryID(entry)) + "/mark", Fields: []hidden{{"as", "unread"}, {"back", back}}, Label: "Undo"}
	case q.Get("done") == "read-all" && n > 0 && int64(len(s.undone.last(p.User.ID))) == n:
		p.Undo = &backForm{Action: "/unread-again", Fields: []hidden{{"back", back}}, Label: "Undo"}
	}
}

// A countsAnswer is how much is unread, for the script.
type countsAnswer struct {
	Unread  int64                     `json:"unread"`
	Feeds   map[feedonce.FeedID]int64 `json:"feeds"`
	Folders map[string]int64          `json:"folders"`
	Fresh   int64                     `json:"fresh"` // of a list, what came since it was made
}

// counts answers how much is unread; with seen, feed and folder as in the form of readAll also what came since.
func (s *server) counts(w http.ResponseWriter, r *http.Request) error {
	var a countsAnswer
	seen, err := strconv.ParseInt(strings.TrimSpace(r.FormValue("seen")), 10, 64)
	asks := err == nil && seen >= 0
	err = s.Store.View(r.Context(), func(tx *store.Tx) error {
		c, err := tx.UnreadCounts(user(r).ID)
		if err != nil {
			return err
		}
		a = countsAnswer{Unread: c.All, Feeds: c.Feeds, Folders: c.Folders}
		if asks {
			a.Fresh, err = tx.Fresh(user(r).ID, formScope(r), seen)
		}
		return err
	})
	if err != nil {
		return err
	}
	b, err := json.Marshal(a)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, err = w.Write(b)
	return err
}
