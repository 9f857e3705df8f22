package store

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"feedonce"
	"feedonce/internal/sqldb"
)

// A State is what a user did with an entry.
type State struct {
	Unread   bool
	Read     time.Time // when it was opened or marked by itself; zero: never
	Revision int       // that was read then
	Starred  time.Time // zero: it is not
}

// States returns what a user did with entries; one with which they did nothing is not in it.
func (tx *Tx) States(user feedonce.UserID, ids []feedonce.EntryID) (map[feedonce.EntryID]State, error) {
	states := map[feedonce.EntryID]State{}
	if len(ids) == 0 {
		return states, nil
	}
	from, args := tx.Dialect().From(sqldb.Ints("id", ids), "r", 2)
	err := tx.Each(func(row sqldb.Scanner) error {
		var id feedonce.EntryID
		var s State
		err := row.Scan(&id, flag{&s.Unread}, at(&s.Read), &s.Revision, at(&s.Starred))
		if s != (State{}) {
			states[id] = s
		}
		return err
	}, `select r.id, u.entry_id is not null, st.read_at, coalesce(st.revision, 0), st.starred_at from `+from+`
		left join unread u on u.user_id = $1 and u.entry_id = r.id left join entry_states st on st.user_id = $1 and st.entry_id = r.id`,
		append([]any{int64(user)}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("states of %d entries: %w", len(ids), err)
	}
	return states, nil
}

// withCopies selects entries and the other articles of their stories.
func withCopies(from string) string {
	return `select r.id from ` + from + ` union select o.entry_id from ` + from + `
		join story_members m on m.entry_id = r.id and m.kind = 'member'
		join story_members o on o.story_id = m.story_id and o.kind = 'member'`
}

// MarkRead makes articles read for a user, with their copies in other feeds, and notes when and in which version. It returns how
// many rows were unread.
func (tx *Tx) MarkRead(user feedonce.UserID, now time.Time, ids ...feedonce.EntryID) (int64, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	from, args := tx.Dialect().From(sqldb.Ints("id", ids), "r", 2)
	n, err := tx.Exec(`delete from unread where user_id = $1 and entry_id in (`+withCopies(from)+`)`, append([]any{int64(user)}, args...)...)
	if err == nil {
		from, args = tx.Dialect().From(sqldb.Ints("id", ids), "r", 3)
		_, err = tx.Exec(`insert into entry_states (user_id, entry_id, read_at, revision)
			select cast($1 as bigint), e.id, cast($2 as bigint), e.revision from `+from+` join entries e on e.id = r.id where true
			on conflict (user_id, entry_id) do update set read_at = excluded.read_at, revision = excluded.revision
			where entry_states.read_at is null or entry_states.revision <> excluded.revision or excluded.read_at > entry_states.read_at + 60000000`,
			append([]any{int64(user), now.UnixMicro()}, args...)...)
	}
	if err != nil {
		return 0, fmt.Errorf("mark %d entries as read: %w", len(ids), err)
	}
	return n, nil
}

// MarkUnread makes an article unread for a user who follows its feed, with its copies.
func (tx *Tx) MarkUnread(user feedonce.UserID, id feedonce.EntryID) error {
	from, args := tx.Dialect().From(sqldb.Ints("id", []feedonce.EntryID{id}), "r", 2)
	all := append([]any{int64(user)}, args...)
	_, err := tx.Exec(`insert into unread (user_id, entry_id, feed_id, sort_at, group_id)
		select cast($1 as bigint), e.id, e.feed_id, e.sort_at, (select min(g.id) from entries g join subscriptions gs on gs.feed_id = g.feed_id and gs.user_id = $1
				where g.merged_into is null and g.id in (`+withCopies(from)+`))
		from entries e join subscriptions s on s.feed_id = e.feed_id and s.user_id = $1
		where e.merged_into is null and e.id in (`+withCopies(from)+`)
		on conflict (user_id, entry_id) do nothing`, all...)
	if err == nil {
		_, err = tx.Exec(`update entry_states set read_at = null, revision = 0 where user_id = $1 and entry_id in (`+withCopies(from)+`)`, all...)
	}
	if err != nil {
		return fmt.Errorf("mark entry %d as unread: %w", id, err)
	}
	return nil
}

// A Scope is a part of what a user follows.
type Scope struct {
	Feed   feedonce.FeedID // 0: all
	Folder *string         // nil: all; "" are the feeds in no folder
}

// condition restricts a column of feeds of a user.
func (s Scope) condition(w *where, column string, user feedonce.UserID) {
	if s.Feed != 0 {
		w.add(column+" = ?", int64(s.Feed))
	}
	if s.Folder != nil {
		w.add(column+" in (select feed_id from subscriptions where user_id = ? and folder = ?)", int64(user), *s.Folder)
	}
}

// came are the kinds of changes by which an article comes to be in lists.
const came = `('` + string(feedonce.ChangeCreated) + `', '` + string(feedonce.ChangeSplit) + `')`

// MarkAllRead makes everything of a scope read, with the copies elsewhere: what had come when the user saw the list, that is up
// to a number of the change log (LastChange in the transaction that read the list). Numbers of entries would not do: they are
// drawn before a transaction commits, so that a smaller one may come later. It returns an article of each story that was unread.
func (tx *Tx) MarkAllRead(user feedonce.UserID, scope Scope, seen int64) ([]feedonce.EntryID, error) {
	w := where{}
	w.add("user_id = ?", int64(user))
	scope.condition(&w, "feed_id", user)
	w.add("entry_id not in (select entry_id from changes where seq > ? and kind in "+came+")", seen)
	read := map[feedonce.EntryID]bool{}
	err := tx.Each(func(row sqldb.Scanner) error {
		var id feedonce.EntryID
		err := row.Scan(&id)
		read[id] = true
		return err
	}, `delete from unread where user_id = $1 and group_id in (select group_id from unread`+w.String()+`) returning group_id`, w.args...)
	if err != nil {
		return nil, fmt.Errorf("mark all as read: %w", err)
	}
	return slices.Sorted(maps.Keys(read)), nil
}

// Fresh returns how many stories of a scope are unread that a user has not seen in a list, which was read up to a number of
// the change log.
func (tx *Tx) Fresh(user feedonce.UserID, scope Scope, seen int64) (n int64, err error) {
	w := where{}
	w.add("c.seq > ?", seen)
	w.add("c.kind in " + came)
	scope.unread(&w, user)
	if err := tx.QueryRow(`select count(distinct u.entry_id) from changes c join unread u on u.entry_id = c.entry_id`+w.String(), w.args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count what is unread since change %d: %w", seen, err)
	}
	return n, nil
}

// Star stars an article for a user, or takes the star away.
func (tx *Tx) Star(user feedonce.UserID, id feedonce.EntryID, starred bool, now time.Time) error {
	var when any
	if starred {
		when = now.UnixMicro()
	}
	_, err := tx.Exec(`insert into entry_states (user_id, entry_id, starred_at) select cast($1 as bigint), id, cast($3 as bigint) from entries where id = $2
		on conflict (user_id, entry_id) do update set starred_at = excluded.starred_at
		where (entry_states.starred_at is null) <> (excluded.starred_at is null)`, user, id, when)
	if err != nil {
		return fmt.Errorf("star entry %d: %w", id, err)
	}
	return nil
}

// Counts are numbers of unread articles.
type Counts struct {
	All     int64 // a story counts once
	Feeds   map[feedonce.FeedID]int64
	Folders map[string]int64 // a story counts once in each
}

// UnreadCounts returns how much a user has not read. Each article is counted by what its index has, and only those of stories with
// more than one are looked at one by one.
func (tx *Tx) UnreadCounts(user feedonce.UserID) (Counts, error) {
	c := Counts{Feeds: map[feedonce.FeedID]int64{}, Folders: map[string]int64{}}
	folders := map[feedonce.FeedID]string{}
	err := tx.Each(func(row sqldb.Scanner) error {
		var feed feedonce.FeedID
		var folder string
		err := row.Scan(&feed, &folder)
		folders[feed] = folder
		return err
	}, `select feed_id, folder from subscriptions where user_id = $1 and folder <> ''`, user)
	if err == nil {
		err = tx.Each(func(row sqldb.Scanner) error {
			var feed feedonce.FeedID
			var n int64
			err := row.Scan(&feed, &n)
			c.Feeds[feed] = n
			c.All += n
			if folder := folders[feed]; folder != "" {
				c.Folders[folder] += n
			}
			return err
		}, `select feed_id, count(*) from unread where user_id = $1 group by feed_id`, user)
	}
	if err == nil {
		in := map[string]bool{} // folders that the group has counted in
		group := feedonce.EntryID(0)
		err = tx.Each(func(row sqldb.Scanner) error {
			var of feedonce.EntryID
			var feed, first feedonce.FeedID
			err := row.Scan(&of, &feed, &first)
			if of != group {
				group = of
				clear(in)
				in[folders[first]] = true
			}
			c.All--
			if folder := folders[feed]; folder != "" && in[folder] {
				c.Folders[folder]--
			} else {
				in[folder] = true
			}
			return err
		}, `select u.group_id, u.feed_id, g.feed_id from unread u join unread g on g.user_id = u.user_id and g.entry_id = u.group_id
			where u.user_id = $1 and u.group_id <> u.entry_id order by u.group_id`, user)
	}
	if err != nil {
		return c, fmt.Errorf("count what is unread: %w", err)
	}
	return c, nil
}
