package store

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"feedonce"
	"feedonce/internal/sqldb"
)

// A View is which articles of those that a user follows a list has.
type View string

const (
	ViewUnread  View = "unread"
	ViewAll     View = "all"
	ViewStarred View = "starred" // also of feeds that they follow no more
	ViewHistory View = "history" // what they read, the latest first
)

// RiverFilter selects stories for a user to read. A list of several feeds has each story once.
type RiverFilter struct {
	User   feedonce.UserID
	View   View // default ViewUnread
	Scope  Scope
	Oldest bool   // the other way round: oldest first
	Limit  int    // default 50
	Before Cursor // after this one in the list; zero is the start
}

// A RiverRow is an article in a list.
type RiverRow struct {
	Entry  feedonce.Entry // without Content and Summary
	At     time.Time      // what the list is sorted by
	State  State
	Copies int // of the same story in other feeds that the user follows, and arrivals that were folded into it
}

// River returns a page of a list: three statements, or four.
func (tx *Tx) River(f RiverFilter) ([]RiverRow, error) {
	w := where{}
	user := int64(f.User)
	var from, key, id string
	switch f.View {
	case ViewUnread, "":
		from, key, id = `unread u join entries e on e.id = u.entry_id`, "u.sort_at", "u.entry_id"
		f.Scope.unread(&w, f.User)
	case ViewAll:
		from, key, id = `entries e`, "e.sort_at", "e.id"
		w.add("e.merged_into is null")
		if f.Scope.Feed != 0 {
			w.add("e.feed_id = ?", int64(f.Scope.Feed))
			w.add("exists (select 1 from subscriptions s where s.user_id = ? and s.feed_id = e.feed_id)", user)
			break
		}
		folder := ""
		args := []any{user, user}
		if f.Scope.Folder != nil {
			folder = " and folder = ?"
			args = []any{user, *f.Scope.Folder, user, *f.Scope.Folder}
		}
		w.add(`e.feed_id in (select feed_id from subscriptions where user_id = ?`+folder+`) and not exists (
			select 1 from story_members m join story_members o on o.story_id = m.story_id and o.entry_id < m.entry_id and o.kind = 'member'
			where m.entry_id = e.id and m.kind = 'member' and o.feed_id in (select feed_id from subscriptions where user_id = ?`+folder+`))`, args...)
	case ViewStarred, ViewHistory:
		column := "st.starred_at"
		if f.View == ViewHistory {
			column = "st.read_at"
		}
		from, key, id = `entry_states st join entries e on e.id = st.entry_id`, column, "st.entry_id"
		w.add("st.user_id = ?", user)
		w.add(column + " is not null and e.merged_into is null")
		f.Scope.condition(&w, "e.feed_id", f.User)
	default:
		return nil, &feedonce.InvalidError{Field: "the list", Reason: fmt.Sprintf("must be unread, all, starred or history, not %q", f.View)}
	}
	order, than := "desc", "<"
	if f.Oldest {
		order, than = "", ">"
	}
	if f.Before != (Cursor{}) {
		w.add("("+key+", "+id+") "+than+" (?, ?)", f.Before.Time.UnixMicro(), f.Before.ID)
	}
	sorted := ` order by ` + key + ` ` + order + `, ` + id + ` ` + order
	read := func(from string) ([]RiverRow, error) {
		w := where{conditions: w.conditions, args: slices.Clone(w.args)}
		rows, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (RiverRow, error) {
			var r RiverRow
			err := row.Scan(append(entryFields(&r.Entry), at(&r.At))...)
			return r, err
		}, `select `+entryColumns+`, `+key+` from `+from+` join entry_bodies b on b.entry_id = e.id`+w.String()+sorted+w.limit(f.Limit), w.args...)
		if err != nil {
			return nil, fmt.Errorf("list of articles: %w", err)
		}
		return rows, nil
	}
	if f.View == ViewAll && f.Scope.Feed == 0 && tx.Dialect() == sqldb.SQLite {
		// SQLite would sort all that is followed. That is a large part of what comes, as a rule, so that a page is found among the
		// next of all articles; and where it is not, it is a small part.
		after := ""
		if f.Before != (Cursor{}) {
			after = fmt.Sprintf(" where (e.sort_at, e.id) %s (%d, %d)", than, f.Before.Time.UnixMicro(), f.Before.ID)
		}
		rows, err := read(`(select e.id from entries e` + after + sorted + ` limit ` + strconv.Itoa(riverLooked) + `) n ` + tx.Dialect().Lookup() + ` entries e on e.id = n.id`)
		if err != nil {
			return nil, err
		}
		if len(rows) == cmp.Or(f.Limit, 50) {
			return rows, tx.Annotate(f.User, rows)
		}
	}
	rows, err := read(from)
	if err != nil {
		return nil, err
	}
	return rows, tx.Annotate(f.User, rows)
}

// riverLooked is how many of all articles are looked at for a page of those that are followed.
const riverLooked = 2000

// unread adds the conditions that rows u of unread are a user's and of the scope, each story once.
func (s Scope) unread(w *where, user feedonce.UserID) {
	w.add("u.user_id = ?", int64(user))
	s.condition(w, "u.feed_id", user)
	switch {
	case s.Feed != 0:
	case s.Folder == nil:
		w.add("u.group_id = u.entry_id")
	default:
		w.add(`(u.group_id = u.entry_id or not exists (select 1 from unread o join subscriptions os on os.user_id = o.user_id and os.feed_id = o.feed_id
			where o.user_id = u.user_id and o.group_id = u.group_id and o.entry_id < u.entry_id and os.folder = ?))`, *s.Folder)
	}
}

// Annotate adds to rows what a user did with the articles, and how many copies they have.
func (tx *Tx) Annotate(user feedonce.UserID, rows []RiverRow) error {
	if len(rows) == 0 {
		return nil
	}
	ids := make([]feedonce.EntryID, len(rows))
	at := map[feedonce.EntryID]*RiverRow{}
	for i := range rows {
		ids[i] = rows[i].Entry.ID
		at[ids[i]] = &rows[i]
	}
	states, err := tx.States(user, ids)
	if err != nil {
		return err
	}
	for id, s := range states {
		at[id].State = s
	}
	from, args := tx.Dialect().From(sqldb.Ints("id", ids), "r", 2)
	err = tx.Each(func(row sqldb.Scanner) error {
		var id feedonce.EntryID
		var n int
		err := row.Scan(&id, &n)
		at[id].Copies = n
		return err
	}, strings.Join([]string{`select r.id,
		(select count(*) from story_members m join story_members o on o.story_id = m.story_id and o.entry_id <> m.entry_id and o.kind = 'member'
			join subscriptions s on s.user_id = $1 and s.feed_id = o.feed_id where m.entry_id = r.id and m.kind = 'member')
		+ (select count(*) from decisions d where d.entry_id = r.id and d.entry_id <> 0 and d.outcome = 'duplicate') from`, from}, " "), append([]any{int64(user)}, args...)...)
	if err != nil {
		return fmt.Errorf("copies of %d articles: %w", len(ids), err)
	}
	return nil
}
