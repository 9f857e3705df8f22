package web

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"feedonce"
	"feedonce/internal/query"
	"feedonce/internal/store"
)

// The lists of articles, each story once: what is unread, everything, what is starred, what was read; of a folder, of a feed;
// and what has some words. A list is always of what a person follows themselves, an administrator's, too.

type articlesPage struct {
	page
	Words    string
	Progress string // how far search is, while it is not up to date
	Tabs     []sideLink
	Empty    string // what to say of a list without articles
	First    bool   // nothing is followed yet: say what to do
	List     articleList
}

// An articleList is one page of articles.
type articleList struct {
	Days  []day
	Older string // address of the next page; "" on the last
	Newer string // address of the first page; "" on the first
	Named bool   // each article says which feed it is of
	Back  string // its own address, to come back to
	Read  *readAllForm
}

// A readAllForm makes a whole list read, as far as it was seen.
type readAllForm struct {
	Fields []hidden
	What   string // in a sentence: "all", "this folder", "this feed"
}

type day struct {
	Name     string
	Articles []articleRow
}

type articleRow struct {
	ID       feedonce.EntryID
	Path     string
	Original string // its address elsewhere; "" where it has none
	Title    string
	Feed     feedonce.FeedID
	Source   string
	Author   string
	Age      moment
	Edits    int
	Media    string // "audio", "video" or ""
	Unread   bool
	Starred  bool
	Renewed  bool // it was edited since it was read
	Copies   int64
	Behind   []copyRow // of the copies, the first
	// Snippet is the text around what was looked for; nil where nothing was, or only the title has it.
	Snippet []query.Segment
}

// A copyRow is a copy of an article in a list.
type copyRow struct {
	Path   string
	Source string
	Title  string // "" where it is that of the article
	Folded bool   // it came in the same feed
	At     moment
}

// maxBehind is how many copies of an article a list has.
const maxBehind = 8

// unread is the first page: what is unread, or what has the words that are looked for.
func (s *server) unread(w http.ResponseWriter, r *http.Request) error {
	if words := strings.TrimSpace(r.FormValue("q")); words != "" {
		return s.river(w, r, listing{view: store.ViewAll, words: words}, "Search")
	}
	return s.river(w, r, listing{view: store.ViewUnread}, "Unread")
}

func (s *server) all(w http.ResponseWriter, r *http.Request) error {
	return s.river(w, r, listing{view: store.ViewAll}, "All articles")
}

func (s *server) starred(w http.ResponseWriter, r *http.Request) error {
	return s.river(w, r, listing{view: store.ViewStarred}, "Starred")
}

func (s *server) history(w http.ResponseWriter, r *http.Request) error {
	return s.river(w, r, listing{view: store.ViewHistory}, "History")
}

// folder is what is unread in a folder, or with view=all everything.
func (s *server) folder(w http.ResponseWriter, r *http.Request) error {
	name := r.FormValue("name")
	p := listing{view: store.ViewUnread, folder: &name}
	if r.FormValue("view") == string(store.ViewAll) {
		p.view = store.ViewAll
	}
	title := clip(name, 200)
	if strings.TrimSpace(name) == "" {
		title = "In no folder"
	}
	return s.river(w, r, p, title)
}

func (s *server) river(w http.ResponseWriter, r *http.Request, at listing, title string) error {
	p := articlesPage{page: s.page(r, title, "articles"), Words: at.words}
	err := s.Store.View(r.Context(), func(tx *store.Tx) (err error) {
		if p.live, err = s.liveNow(tx, at); err != nil {
			return err
		}
		if p.Side, err = s.sidebar(tx, r, at); err != nil {
			return err
		}
		if p.List, err = s.list(tx, r, at, p.Side, p.live.Seen); err != nil {
			return err
		}
		p.First = len(p.Side.names) == 0 && at.words == "" && len(p.List.Days) == 0
		p.Progress, err = searchProgress(tx, at.words)
		return err
	})
	if err != nil {
		return err
	}
	if at.folder != nil {
		p.Tabs = tabs(at, p.Side.unreadOf(at))
	}
	if p.List.Newer != "" {
		p.Live = false // what is new is not on this page
	}
	switch at.view {
	case store.ViewUnread:
		p.Empty = "Nothing is unread here."
	case store.ViewStarred:
		p.Empty = "Nothing is starred yet. The star beside an article keeps it here."
	case store.ViewHistory:
		p.Empty = "You have read nothing yet."
	default:
		p.Empty = "No articles yet. Feeds are polled as soon as they are added; how that goes stands on the page of feeds."
	}
	s.readUndo(r, &p.page, p.List.Back)
	return s.render(w, "articles", p)
}

// tabs are what is unread of a feed or folder, and all of it.
func tabs(at listing, unread int64) []sideLink {
	some, all := at, at
	some.view, all.view = store.ViewUnread, store.ViewAll
	count := "feed " + strconv.FormatInt(int64(at.feed), 10)
	if at.folder != nil {
		count = "folder " + *at.folder
	}
	return []sideLink{
		{Name: "Unread", Path: some.path(), Unread: unread, Count: count, Current: at.view == store.ViewUnread},
		{Name: "All", Path: all.path(), Current: at.view == store.ViewAll},
	}
}

// unreadOf returns how much of a feed or folder is unread.
func (b *sidebar) unreadOf(at listing) int64 {
	find := func(links []sideLink) int64 {
		for _, l := range links {
			if l.Current {
				return l.Unread
			}
		}
		return 0
	}
	for _, f := range b.Folders {
		if at.folder != nil && f.Current {
			return f.Unread
		}
		if n := find(f.Feeds); n > 0 && at.feed != 0 {
			return n
		}
	}
	return find(b.Loose)
}

// list reads one page of a list. seen is up to where in the log of changes what came is on it.
func (s *server) list(tx *store.Tx, r *http.Request, at listing, side *sidebar, seen int64) (articleList, error) {
	l := articleList{Named: at.feed == 0, Back: at.path()}
	var before store.Cursor
	if word := r.FormValue("before"); word != "" {
		var err error
		if before, err = parseCursor(word); err != nil {
			return l, err
		}
		l.Newer = at.path()
		l.Back = more(l.Back, "before="+queryEscape(word))
	}
	size := cmp.Or(user(r).Settings.PageSize, pageSize)
	rows, snippets, err := s.rows(tx, r, at, before, size+1)
	if err != nil {
		return l, err
	}
	if len(rows) > size {
		rows = rows[:size]
		last := rows[size-1]
		l.Older = more(at.path(), "before="+formatCursor(store.Cursor{Time: last.At, ID: int64(last.Entry.ID)}))
	}
	copies, err := tx.Copies(user(r).ID, withCopies(rows))
	if err != nil {
		return l, err
	}
	names := namer{tx: tx}
	for _, row := range rows {
		if name := s.at(row.At).Day(); len(l.Days) == 0 || l.Days[len(l.Days)-1].Name != name {
			l.Days = append(l.Days, day{Name: name})
		}
		shown, err := s.articleRow(row, at, side, &names, copies[row.Entry.ID])
		if err != nil {
			return l, err
		}
		shown.Snippet = snippets[row.Entry.ID].Text
		d := &l.Days[len(l.Days)-1]
		d.Articles = append(d.Articles, shown)
	}
	if at.words == "" && (at.view == store.ViewUnread || at.view == store.ViewAll) && len(rows) > 0 && side.Unread > 0 {
		l.Read = newReadAllForm(at, seen)
	}
	return l, nil
}

// rows reads what a list has.
func (s *server) rows(tx *store.Tx, r *http.Request, at listing, before store.Cursor, limit int) ([]store.RiverRow, map[feedonce.EntryID]store.Snippet, error) {
	u := user(r)
	if at.words == "" && (at.feed == 0 || at.view == store.ViewUnread) {
		rows, err := tx.River(store.RiverFilter{User: u.ID, View: at.view, Scope: at.scope(), Oldest: at.oldest(u), Limit: limit, Before: before})
		return rows, nil, err
	}
	// A feed has its articles also for an administrator who does not follow it.
	f := store.EntryFilter{Feed: at.feed, Words: at.words, Limit: limit, Before: before}
	if at.words != "" {
		f.User = u.ID
	}
	entries, snippets, err := find(tx, f)
	if err != nil {
		return nil, nil, err
	}
	rows := make([]store.RiverRow, len(entries))
	for i, e := range entries {
		rows[i] = store.RiverRow{Entry: e, At: e.Time()}
	}
	return rows, snippets, tx.Annotate(u.ID, rows)
}

// oldest reports whether a person wants a list the oldest first.
func (p listing) oldest(u feedonce.User) bool { return p.view == store.ViewUnread && u.Settings.Oldest }

func withCopies(rows []store.RiverRow) (ids []feedonce.EntryID) {
	for _, row := range rows {
		if row.Copies > 0 {
			ids = append(ids, row.Entry.ID)
		}
	}
	return ids
}

func (s *server) articleRow(row store.RiverRow, at listing, side *sidebar, names *namer, copies []store.Copy) (articleRow, error) {
	e := row.Entry
	source, err := side.name(names, e.Feed)
	out := articleRow{
		ID: e.ID, Path: at.entry(e.ID), Original: webURL(e.URL), Title: e.Title, Feed: e.Feed, Source: source, Author: e.Author, Age: s.at(e.Time()),
		Edits: e.Revision - 1, Media: media(e.Enclosures), Unread: row.State.Unread, Starred: !row.State.Starred.IsZero(), Renewed: renewed(row.State, e),
		Copies: int64(row.Copies),
	}
	for i, c := range copies {
		if i == maxBehind || err != nil {
			break
		}
		behind := copyRow{Path: at.entry(e.ID) + "#folded", Folded: c.Entry == 0, At: s.at(c.At), Title: c.Title}
		if c.Entry != 0 {
			behind.Path = at.entry(c.Entry)
		}
		if behind.Title == e.Title {
			behind.Title = ""
		}
		behind.Source, err = side.name(names, c.Feed)
		out.Behind = append(out.Behind, behind)
	}
	return out, err
}

// renewed reports whether an article was edited since somebody read it.
func renewed(st store.State, e feedonce.Entry) bool {
	return !st.Unread && !st.Read.IsZero() && st.Revision < e.Revision
}

// beside returns the articles before and behind one in the list that it was opened from; "" where there is none.
func (s *server) beside(tx *store.Tx, r *http.Request, at listing, e feedonce.Entry, st store.State) (previous, next string, err error) {
	u := user(r)
	here := e.Time()
	switch at.view {
	case store.ViewStarred:
		here = st.Starred
	case store.ViewHistory:
		here = st.Read
	}
	if here.IsZero() {
		return "", "", nil // it is in that list no more
	}
	f := store.RiverFilter{User: u.ID, View: at.view, Scope: at.scope(), Limit: 1, Before: store.Cursor{Time: here, ID: int64(e.ID)}}
	paths := []string{"", ""}
	for i, oldest := range []bool{!at.oldest(u), at.oldest(u)} {
		f.Oldest = oldest
		rows, err := tx.River(f)
		if err != nil {
			return "", "", err
		}
		if len(rows) > 0 {
			paths[i] = at.entry(rows[0].Entry.ID)
		}
	}
	return paths[0], paths[1], nil
}

// ofReadable is about the feed of an article, and about none where the user starred it: that stays when they follow its feed
// no more.
func ofReadable(tx *store.Tx, r *http.Request) ([]feedonce.FeedID, error) {
	e, err := pathEntry(tx, r)
	if err != nil {
		return nil, err
	}
	states, err := tx.States(user(r).ID, []feedonce.EntryID{e.ID})
	if !states[e.ID].Starred.IsZero() {
		return nil, err
	}
	return []feedonce.FeedID{e.Feed}, err
}
