package store

import (
	"fmt"
	"slices"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/sqldb"
)

// Stories: the same article in several feeds. A story is a view: every member stays in its feed. An entry is in one story
// at most. storyseek.go finds the story of new articles; who decides is ingest, with dedup.Story.

// A Story is the same article in several feeds.
type Story struct {
	ID      int64
	At      time.Time // when its second article came
	Changed time.Time // when the last one joined
	Lead    int       // index in Members of the one to show first
	Chosen  time.Time // when a person chose it to lead; zero: nobody did, and the Lead that was asked for says so
	Members []StoryMember
}

// A StoryMember is an entry in a story, and how it came there.
type StoryMember struct {
	Entry    feedonce.Entry // without Content and Summary
	FeedName string
	About    bool // it only points to the others: shown beside them, and told by itself
	At       time.Time
	Told     bool             // it was told to destinations
	Rule     string           // a dedup.RuleID, whose sentence says why; "" for the article that was there first
	Joined   feedonce.EntryID // the entry it was found to be the same as; 0: none
	Evidence []byte           // JSON of dedup.Evidence; empty: none
	Led      time.Time        // when a person chose it to lead; zero: nobody did. Of several the latest leads
}

// StoryFilter selects stories, the last changed first.
type StoryFilter struct {
	User   feedonce.UserID // with an article of a feed that they follow; 0: all. The other articles of such a story are in it, too
	Feed   feedonce.FeedID // with an article of this feed; 0: all
	Limit  int             // default 50
	Before Cursor          // stories after this one in the list (Changed and ID); zero is the start
	Lead   Lead
}

// Stories returns stories with their members.
func (tx *Tx) Stories(f StoryFilter) ([]Story, error) {
	w := where{}
	if f.Feed != 0 {
		w.add("id in (select story_id from story_members where feed_id = ?)", f.Feed)
	}
	if f.User != 0 {
		w.add("id in (select story_id from story_members where feed_id in (select feed_id from subscriptions where user_id = ?))", int64(f.User))
	}
	if f.Before != (Cursor{}) {
		w.add("(changed_at, id) < (?, ?)", f.Before.Time.UnixMicro(), f.Before.ID)
	}
	stories, err := sqldb.All(tx.Tx, scanStory, `select id, at, changed_at from stories`+w.String()+` order by changed_at desc, id desc`+w.limit(f.Limit), w.args...)
	if err != nil {
		return nil, fmt.Errorf("stories: %w", err)
	}
	return stories, tx.members(stories, f.Lead)
}

// Story returns a story, or ErrNotFound.
func (tx *Tx) Story(id int64, lead Lead) (Story, error) {
	s, err := scanStory(tx.QueryRow(`select id, at, changed_at from stories where id = $1`, id))
	if err != nil {
		return s, found(err, "story %d", id)
	}
	one := []Story{s}
	err = tx.members(one, lead)
	return one[0], err
}

// StoryOf returns the ID of the story an entry is in, or ErrNotFound.
func (tx *Tx) StoryOf(id feedonce.EntryID) (int64, error) {
	var story int64
	err := tx.QueryRow(`select story_id from story_members where entry_id = $1`, id).Scan(&story)
	return story, found(err, "story of entry %d", id)
}

func scanStory(row sqldb.Scanner) (Story, error) {
	var s Story
	err := row.Scan(&s.ID, at(&s.At), at(&s.Changed))
	return s, err
}

// members reads the members of stories, in the order in which they joined, and chooses their leads.
func (tx *Tx) members(stories []Story, lead Lead) error {
	if len(stories) == 0 {
		return nil
	}
	index := map[int64]int{}
	ids := make([]int64, len(stories))
	for i, s := range stories {
		index[s.ID], ids[i] = i, s.ID
	}
	size := "0"
	if lead.By == dedup.LeadLongest {
		size = "length(b.summary) + length(b.content)"
	}
	sizes := map[feedonce.EntryID]int64{}
	from, args := tx.Dialect().From(sqldb.Ints("id", ids), "r", 1)
	lookup := tx.Dialect().Lookup()
	err := tx.Each(func(row sqldb.Scanner) error {
		var story, size int64
		var m StoryMember
		var kind string
		if err := row.Scan(append(entryFields(&m.Entry), &story, &m.FeedName, &kind, at(&m.At), flag{&m.Told}, &m.Rule, &m.Joined, &m.Evidence, at(&m.Led), &size)...); err != nil {
			return err
		}
		m.About = kind == memberAbout
		sizes[m.Entry.ID] = size
		s := &stories[index[story]]
		s.Members = append(s.Members, m)
		return nil
	}, `select `+entryColumns+`, m.story_id, coalesce(nullif(f.title, ''), f.url), m.kind, m.at, m.told, m.rule, m.joined, m.evidence, m.lead_at, `+size+`
		from `+from+` `+lookup+` story_members m on m.story_id = r.id `+lookup+` entries e on e.id = m.entry_id `+lookup+` entry_bodies b on b.entry_id = e.id
		`+lookup+` feeds f on f.id = e.feed_id order by m.at, m.entry_id`, args...)
	if err != nil {
		return fmt.Errorf("members of stories: %w", err)
	}
	for i := range stories {
		stories[i].lead(lead, sizes)
	}
	return nil
}

// Kinds of members as they are stored.
const (
	memberOf    = "member"
	memberAbout = "about"
)

// A Membership is a row of a story, in a form that can be kept as JSON and put back.
type Membership struct {
	Story    int64            `json:"story"`
	Entry    feedonce.EntryID `json:"entry"`
	Feed     feedonce.FeedID  `json:"feed"`
	About    bool             `json:"about,omitempty"`
	At       time.Time        `json:"at"`
	Told     bool             `json:"told,omitempty"`
	Rule     string           `json:"rule,omitempty"`
	Joined   feedonce.EntryID `json:"joined,omitempty"`
	Evidence string           `json:"evidence,omitempty"`
	Led      time.Time        `json:"led,omitzero"` // when a person chose it to lead; zero: nobody did
}

// Memberships returns the rows of a story, in the order in which they joined.
func (tx *Tx) Memberships(story int64) ([]Membership, error) {
	rows, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (Membership, error) {
		var m Membership
		var kind string
		err := row.Scan(&m.Story, &m.Entry, &m.Feed, &kind, at(&m.At), flag{&m.Told}, &m.Rule, &m.Joined, &m.Evidence, at(&m.Led))
		m.About = kind == memberAbout
		return m, err
	}, `select story_id, entry_id, feed_id, kind, at, told, rule, joined, evidence, lead_at from story_members where story_id = $1 order by at, entry_id`, story)
	if err != nil {
		return nil, fmt.Errorf("members of story %d: %w", story, err)
	}
	return rows, nil
}

// AddMemberships stores rows; an entry that is in a story already changes over. A story that does not exist is made: one
// with a negative number, the same for all its rows, gets a number of its own. Stories must be locked.
func (tx *Tx) AddMemberships(rows []Membership, now time.Time) error {
	if len(rows) == 0 {
		return nil
	}
	rows = slices.Clone(rows)
	number := map[int64]int64{}
	var fresh []int64
	for _, m := range rows {
		if m.Story < 0 && !slices.Contains(fresh, m.Story) {
			fresh = append(fresh, m.Story)
		}
	}
	ids, err := tx.newIDs("stories", len(fresh))
	if err != nil {
		return fmt.Errorf("number stories: %w", err)
	}
	for i, provisional := range fresh {
		number[provisional] = ids[i]
	}
	b := sqldb.NewBatch("story int", "entry int", "feed int", "kind text", "at int", "told bool", "rule text", "joined int", "evidence text", "led int")
	var stories []int64
	for i := range rows {
		m := &rows[i]
		if id, ok := number[m.Story]; ok {
			m.Story = id
		}
		if !slices.Contains(stories, m.Story) {
			stories = append(stories, m.Story)
		}
		kind := memberOf
		if m.About {
			kind = memberAbout
		}
		var led int64
		if !m.Led.IsZero() {
			led = m.Led.UnixMicro()
		}
		b.Add(m.Story, int64(m.Entry), int64(m.Feed), kind, m.At.UnixMicro(), m.Told, m.Rule, int64(m.Joined), m.Evidence, led)
	}
	slices.Sort(stories)
	from, args := tx.Dialect().From(sqldb.Ints("id", stories), "r", 2)
	if _, err := tx.Exec(`insert into stories (id, at, changed_at) select r.id, $1, $1 from `+from+` where true
		on conflict (id) do update set changed_at = excluded.changed_at`, append([]any{now.UnixMicro()}, args...)...); err != nil {
		return fmt.Errorf("write stories: %w", err)
	}
	from, args = tx.Dialect().From(b, "r", 1)
	if _, err := tx.Exec(`insert into story_members (entry_id, story_id, feed_id, kind, at, told, rule, joined, evidence, lead_at)
		select r.entry, r.story, r.feed, r.kind, r.at, r.told, r.rule, r.joined, r.evidence, nullif(r.led, 0) from `+from+` where true
		on conflict (entry_id) do update set story_id = excluded.story_id, kind = excluded.kind, at = excluded.at, told = excluded.told,
			rule = excluded.rule, joined = excluded.joined, evidence = excluded.evidence, lead_at = excluded.lead_at`, args...); err != nil {
		return fmt.Errorf("write members of stories: %w", err)
	}
	return nil
}

// TakeMembership takes an entry out of a story, which may be left with too few members: see to it.
func (tx *Tx) TakeMembership(story int64, id feedonce.EntryID) error {
	if _, err := tx.Exec(`delete from story_members where story_id = $1 and entry_id = $2`, story, id); err != nil {
		return fmt.Errorf("take entry %d out of story %d: %w", id, story, err)
	}
	return nil
}

// DropMemberships takes entries out of a story, and removes the story if it has fewer than two members left. Stories
// must be locked.
func (tx *Tx) DropMemberships(story int64, entries ...feedonce.EntryID) error {
	for _, id := range entries {
		if err := tx.TakeMembership(story, id); err != nil {
			return err
		}
	}
	var left int64
	if err := tx.QueryRow(`select count(*) from story_members where story_id = $1`, story).Scan(&left); err != nil {
		return fmt.Errorf("members of story %d: %w", story, err)
	}
	if left > 1 {
		return nil
	}
	return tx.dropStory(story)
}

func (tx *Tx) dropStory(story int64) error {
	for _, statement := range []string{`delete from story_members where story_id = $1`, `delete from stories where id = $1`} {
		if _, err := tx.Exec(statement, story); err != nil {
			return fmt.Errorf("remove story %d: %w", story, err)
		}
	}
	return nil
}

// removeFromStories takes the articles of a feed that is removed out of their stories.
func (tx *Tx) removeFromStories(feed feedonce.FeedID) error {
	if err := tx.LockStories(); err != nil {
		return err
	}
	stories, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (id int64, err error) {
		err = row.Scan(&id)
		return id, err
	}, `select distinct story_id from story_members where feed_id = $1 order by story_id`, feed)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(`delete from story_members where feed_id = $1`, feed); err != nil {
		return err
	}
	for _, id := range stories {
		if err := tx.DropMemberships(id); err != nil {
			return err
		}
	}
	return nil
}
