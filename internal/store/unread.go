package store

import (
	"fmt"

	"feedonce"
	"feedonce/internal/sqldb"
)

// What is unread follows what happens to articles, in the transactions that do it, under LockOrder: of a story each copy has a
// row for each follower of its feed, all with one group, or none has.

// UnreadNew makes articles unread for everybody who follows their feeds: those that are new, and those that are articles of
// their own from now on. Who read one before, or read a copy in another feed, has read it; who has a copy unread gets this one
// into its group.
func (tx *Tx) UnreadNew(ids []feedonce.EntryID) error {
	if len(ids) == 0 {
		return nil
	}
	from, args := tx.Dialect().From(sqldb.Ints("id", ids), "r", 1)
	lookup := tx.Dialect().Lookup()
	if _, err := tx.Exec(`insert into unread (user_id, entry_id, feed_id, sort_at, group_id)
		select s.user_id, e.id, e.feed_id, e.sort_at, coalesce((`+groupFor("s.user_id", "e.id")+`), e.id)
		from `+from+` `+lookup+` entries e on e.id = r.id `+lookup+` subscriptions s on s.feed_id = e.feed_id
		where e.merged_into is null
		and not exists (select 1 from entry_states st where st.user_id = s.user_id and st.entry_id = e.id and st.read_at is not null)
		and (not exists (`+copiesFor("s.user_id", "e.id")+`) or exists (`+groupFor("s.user_id", "e.id")+`))
		on conflict (user_id, entry_id) do nothing`, args...); err != nil {
		return fmt.Errorf("make %d articles unread: %w", len(ids), err)
	}
	return nil
}

// groupFor selects the group in which a user has the other articles of an entry's story unread; nothing where it has none.
func groupFor(user, entry string) string {
	return `select gu.group_id from story_members gm join story_members go on go.story_id = gm.story_id and go.entry_id <> gm.entry_id and go.kind = 'member'
		join unread gu on gu.user_id = ` + user + ` and gu.entry_id = go.entry_id where gm.entry_id = ` + entry + ` and gm.kind = 'member' limit 1`
}

// ReadMerged unites what people did with two articles of a feed of which one became part of the other: read if either was
// read, starred if either was starred.
func (tx *Tx) ReadMerged(entry, into feedonce.EntryID) error {
	for _, statement := range []string{
		// Whoever read one of them has no row for it.
		`delete from unread where entry_id in ($1, $2) and user_id in (
			select s.user_id from subscriptions s join entries e on e.feed_id = s.feed_id where e.id = $2
			and (select count(*) from unread u where u.user_id = s.user_id and u.entry_id in ($1, $2)) = 1)`,
		`update unread set group_id = $2 where group_id = $1 and user_id in (select user_id from unread where entry_id = $2)`,
		`delete from unread where entry_id = $1`,
		`insert into entry_states (user_id, entry_id, read_at, revision, starred_at)
			select user_id, cast($2 as bigint), read_at, case when read_at is null then 0 else (select revision from entries where id = $2) end, starred_at
			from entry_states where entry_id = $1
			on conflict (user_id, entry_id) do update set read_at = coalesce(entry_states.read_at, excluded.read_at),
				starred_at = coalesce(entry_states.starred_at, excluded.starred_at)`,
	} {
		args := []any{int64(entry), int64(into)}
		if statement == `delete from unread where entry_id = $1` {
			args = args[:1]
		}
		if _, err := tx.Exec(statement, args...); err != nil {
			return fmt.Errorf("unite what was read of entries %d and %d: %w", entry, into, err)
		}
	}
	return tx.SettleStory(into)
}

// SettleStory makes what is unread agree with the stories that entries are in now: one that somebody read a copy of is read,
// and one that is unread is one group. An entry that stands alone is its own group.
func (tx *Tx) SettleStory(entries ...feedonce.EntryID) error {
	if len(entries) == 0 {
		return nil
	}
	from, args := tx.Dialect().From(sqldb.Ints("id", entries), "r", 1)
	members := `select o.entry_id, o.story_id, o.feed_id from ` + from + ` join story_members m on m.entry_id = r.id and m.kind = 'member'
		join story_members o on o.story_id = m.story_id and o.kind = 'member'`
	for _, statement := range []string{
		// Of a story that is not unread in every feed that somebody follows, a copy was read.
		`delete from unread where entry_id in (select entry_id from (` + members + `) x) and exists (
			select 1 from (` + members + `) y
			join (` + members + `) z on z.story_id = y.story_id
			join subscriptions s on s.feed_id = z.feed_id and s.user_id = unread.user_id
			join entries ze on ze.id = z.entry_id
			where y.entry_id = unread.entry_id and ` + wasShown("unread.user_id", "s", "ze") + `
			and not exists (select 1 from unread o where o.user_id = unread.user_id and o.entry_id = z.entry_id))`,
		`update unread set group_id = entry_id where entry_id in (select id from ` + from + `)`,
		`update unread set group_id = (select min(o.entry_id) from unread o join (` + members + `) y on y.entry_id = o.entry_id
				join (` + members + `) z on z.story_id = y.story_id
				where z.entry_id = unread.entry_id and o.user_id = unread.user_id)
			where entry_id in (select entry_id from (` + members + `) x)`,
		// What stays of a group whose first left it.
		`update unread set group_id = (select min(o.entry_id) from unread o where o.user_id = unread.user_id and o.group_id = unread.group_id)
			where group_id in (select id from ` + from + `) and group_id <> entry_id
			and not exists (select 1 from unread o where o.user_id = unread.user_id and o.entry_id = unread.group_id and o.group_id = o.entry_id)`,
	} {
		if _, err := tx.Exec(statement, args...); err != nil {
			return fmt.Errorf("settle what is unread of stories: %w", err)
		}
	}
	return nil
}
