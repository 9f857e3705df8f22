package store

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/sqldb"
)

// storyLock is the key of the advisory lock under which stories change on PostgreSQL: "story" in ASCII.
const storyLock = 0x73746f7279

// Bounds of looking for stories.
const (
	storyWindow     = 7 * 24 * time.Hour // as dedup.Story wants it
	storyCandidates = 40                 // for one article
)

// LockStories makes this transaction the only one that changes stories, until it ends: several feeds that bring the same
// article at once see each other. It is taken last, by documents with new articles only, and never waited for by an
// unchanged poll. SQLite has one writer anyway.
func (tx *Tx) LockStories() error {
	if tx.Dialect() != sqldb.PostgreSQL {
		return nil
	}
	if _, err := tx.Exec(`select pg_advisory_xact_lock($1)`, int64(storyLock)); err != nil {
		return fmt.Errorf("lock stories: %w", err)
	}
	return nil
}

// A StorySeek is a new article with what it is found by in other feeds (dedup.StoryMarks).
type StorySeek struct {
	Entry         feedonce.EntryID
	Exact, Sketch []dedup.Mark
}

// A StoryCandidate is an article of another feed that shares marks with a new one.
type StoryCandidate struct {
	dedup.StoryItem        // without Group and Apart, which are in Policy
	FeedName        string // what to call its feed
	Policy          string // of its feed, JSON of dedup.Policy
	About           bool   // it is in its story as one that only points to the others
	Told            bool   // it was told itself
	StoryTold       bool   // an article of its story was told that is not just about the others
}

// AddStoryMarks stores what new articles of a feed are found by from now on.
func (tx *Tx) AddStoryMarks(feed feedonce.FeedID, seeks []StorySeek, now time.Time) error {
	b := sqldb.NewBatch("mark int", "entry int")
	for _, s := range seeks {
		for _, marks := range [...][]dedup.Mark{s.Exact, s.Sketch} {
			for _, m := range marks {
				b.Add(int64(m), int64(s.Entry))
			}
		}
	}
	if b.Len() == 0 {
		return nil
	}
	from, args := tx.Dialect().From(b, "r", 3)
	if _, err := tx.Exec(`insert into story_marks (mark, entry_id, feed_id, at) select r.mark, r.entry, $1, $2 from `+from+` where true
		on conflict do nothing`, append([]any{feed, now.UnixMicro()}, args...)...); err != nil {
		return fmt.Errorf("write marks of stories: %w", err)
	}
	return nil
}

// DropStoryMarks removes marks of an article that is shown no more.
func (tx *Tx) DropStoryMarks(s StorySeek) error {
	from, args := tx.Dialect().From(sqldb.Ints("mark", append(append([]dedup.Mark{}, s.Exact...), s.Sketch...)), "r", 2)
	if _, err := tx.Exec(`delete from story_marks where entry_id = $1 and mark in (select r.mark from `+from+`)`,
		append([]any{s.Entry}, args...)...); err != nil {
		return fmt.Errorf("remove marks of stories: %w", err)
	}
	return nil
}

// PurgeStoryMarks removes marks of articles that were first seen before a time, which is best 30 days ago
// (dedup.StoryKeep), and returns how many.
func (tx *Tx) PurgeStoryMarks(before time.Time) (int64, error) {
	n, err := tx.Exec(`delete from story_marks where at < $1`, before.UnixMicro())
	if err != nil {
		return 0, fmt.Errorf("purge marks of stories: %w", err)
	}
	return n, nil
}

// StoryCandidates returns, for each new article of a feed, articles of other feeds seen within a week that share an exact
// mark with it, or dedup.SketchShared of a sketch: at most 40, the likeliest. Marks that more than dedup.SketchStop
// articles have are passed over. It is one statement.
func (tx *Tx) StoryCandidates(feed feedonce.FeedID, seeks []StorySeek, now time.Time) (map[feedonce.EntryID][]StoryCandidate, error) {
	b := sqldb.NewBatch("seeker int", "mark int", "exact int")
	for _, s := range seeks {
		for _, m := range s.Exact {
			b.Add(int64(s.Entry), int64(m), 1)
		}
		for _, m := range s.Sketch {
			b.Add(int64(s.Entry), int64(m), 0)
		}
	}
	all := map[feedonce.EntryID][]StoryCandidate{}
	if b.Len() == 0 {
		return all, nil
	}
	from, args := tx.Dialect().From(b, "q", 3)
	lookup := tx.Dialect().Lookup()
	err := tx.Each(func(row sqldb.Scanner) error {
		var seeker feedonce.EntryID
		var c StoryCandidate
		var feeds, kind string
		it := &c.Item
		if err := row.Scan(&seeker, &c.Entry, &c.Feed, &c.Site, text{&c.FeedName}, &c.Policy, at(&c.Seen),
			&it.GUID, &it.URL, &it.Title, &it.Author, &it.Lang, at(&it.Published), at(&it.Updated), flag{&it.Permalink}, &it.OrigURL,
			list[dedup.Enclosure]{&it.Enclosures}, &it.Summary, &it.Content,
			number{&c.Story}, text{&kind}, text{&feeds}, flag{&c.Told}, flag{&c.StoryTold}); err != nil {
			return err
		}
		c.About = kind == memberAbout
		for id := range strings.SplitSeq(feeds, ",") {
			if n, err := strconv.ParseInt(id, 10, 64); err == nil {
				c.Feeds = append(c.Feeds, n)
			}
		}
		all[seeker] = append(all[seeker], c)
		return nil
	}, `with hits as (
			select q.seeker, m.entry_id, max(q.exact) as exact, count(*) as n
			from `+from+` `+lookup+` story_marks m on m.mark = q.mark
			where m.feed_id <> $1 and m.at >= $2
				and (select count(*) from (select 1 from story_marks x where x.mark = q.mark limit `+strconv.Itoa(dedup.SketchStop+1)+`) y) <= `+strconv.Itoa(dedup.SketchStop)+`
			group by q.seeker, m.entry_id),
		best as (
			select h.*, row_number() over (partition by h.seeker order by h.exact desc, h.n desc, h.entry_id desc) as place
			from hits h where h.exact = 1 or h.n >= `+strconv.Itoa(dedup.SketchShared)+`)
		select c.seeker, e.id, e.feed_id, f.url, coalesce(nullif(f.title, ''), f.url), f.policy, e.first_seen_at,
			coalesce(b.item_guid, e.guid), e.url, coalesce(b.item_title, e.title), e.author, e.lang, e.published_at, e.updated_at, b.permalink, b.orig_url,
			b.enclosures, b.summary, b.content,
			s.story_id, s.kind, (select string_agg(cast(x.feed_id as text), ',') from story_members x where x.story_id = s.story_id),
			exists (select 1 from decisions d where d.entry_id = e.id and d.entry_id <> 0 and d.told),
			exists (select 1 from story_members x where x.story_id = s.story_id and x.told and x.kind = 'member')
		from best c `+lookup+` entries e on e.id = c.entry_id and e.merged_into is null `+lookup+` entry_bodies b on b.entry_id = e.id
			`+lookup+` feeds f on f.id = e.feed_id left join story_members s on s.entry_id = e.id
		where c.place <= `+strconv.Itoa(storyCandidates)+`
		order by c.seeker, e.id`, append([]any{feed, now.Add(-storyWindow).UnixMicro()}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("look for stories: %w", err)
	}
	return all, nil
}
