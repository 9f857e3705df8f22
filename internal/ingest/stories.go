package ingest

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
)

// A Newcomer is a new article that may stand in other feeds, too.
type Newcomer struct {
	Entry feedonce.EntryID
	Item  dedup.Item
	Tell  bool // it is to be told to destinations
}

// A Place is the place of a new article in a story.
type Place struct {
	// Quiet says why an article that was to be told is not, where its story was told already; each destination is asked
	// again by internal/outbox.
	Quiet string
	// Story says that it is one of the articles of the story, and told once with them. Repeats are those that it is a copy
	// of where they only point to the story's: they are told once, too. An article that itself only points to the story's
	// is told by itself, and has neither.
	Story   bool
	Repeats []feedonce.EntryID
}

// PlaceStories puts new articles of a feed into the stories that they belong to, in the transaction that stores them, and
// returns the places of those that belong to one. Nothing is looked up for a feed that takes no part in stories. It must be
// the last of the transaction that locks anything, but for outbox.Put.
//
// Which feed says what is judged by where the feed is polled, never by the site it claims to be of.
func PlaceStories(tx *store.Tx, feed feedonce.Feed, policy dedup.Policy, news []Newcomer, now time.Time) (map[feedonce.EntryID]Place, error) {
	if len(news) == 0 || policy.Stories == dedup.StoriesOff {
		return nil, nil
	}
	seeks := make([]store.StorySeek, len(news))
	for i := range news {
		seeks[i] = Seek(news[i].Entry, &news[i].Item)
	}
	if err := tx.AddStoryMarks(feed.ID, seeks, now); err != nil {
		return nil, err
	}
	if err := tx.LockStories(); err != nil {
		return nil, err
	}
	candidates, err := tx.StoryCandidates(feed.ID, seeks, now)
	if err != nil || len(candidates) == 0 {
		return nil, err
	}
	p := placing{tx: tx, candidates: candidates, feed: feed, policy: policy, now: now, places: map[feedonce.EntryID]Place{}}
	for i := range news {
		if err := p.place(&news[i]); err != nil {
			return nil, err
		}
	}
	return p.places, tx.AddMemberships(p.rows, now)
}

// Seek returns what an article is found by in other feeds.
func Seek(id feedonce.EntryID, item *dedup.Item) store.StorySeek {
	s := store.StorySeek{Entry: id}
	s.Exact, s.Sketch = dedup.StoryMarks(item)
	return s
}

// placing is the new articles of one document on their way into stories.
type placing struct {
	tx         *store.Tx
	candidates map[feedonce.EntryID][]store.StoryCandidate
	feed       feedonce.Feed
	policy     dedup.Policy
	now        time.Time

	rows   []store.Membership
	places map[feedonce.EntryID]Place
	fresh  int64 // the last provisional number of a story, negative
}

func (p *placing) place(n *Newcomer) error {
	a := dedup.StoryItem{Entry: dedup.EntryID(n.Entry), Feed: int64(p.feed.ID), Site: p.feed.URL, Item: n.Item, Seen: p.now,
		Group: p.policy.Group, Apart: p.policy.Apart}
	mine := p.candidates[n.Entry]
	var others []dedup.StoryItem
	for i := range mine {
		c := &mine[i]
		theirs, _ := policy(c.Policy)
		if theirs.Stories == dedup.StoriesOff {
			continue
		}
		o := c.StoryItem
		o.Group, o.Apart = theirs.Group, theirs.Apart
		others = append(others, o)
	}
	m, ok := dedup.Story(a, others)
	if !ok {
		return nil
	}
	with := mine[slices.IndexFunc(mine, func(c store.StoryCandidate) bool { return c.Entry == m.With.Entry })]
	evidence, err := json.Marshal(&m.Evidence)
	if err != nil {
		return err
	}
	if with.Story == 0 {
		p.fresh--
		with.Story, with.StoryTold = p.fresh, with.Told
		with.Feeds = []int64{with.Feed}
		p.rows = append(p.rows, store.Membership{Story: with.Story, Entry: feedonce.EntryID(with.Entry), Feed: feedonce.FeedID(with.Feed),
			At: with.Seen, Told: with.Told})
	}
	// What is like an article that is only about the others is about them, too.
	about := m.About || with.About
	told := with.StoryTold
	if with.About {
		told = with.Told
	}
	tell := n.Tell
	place := Place{Story: !about}
	if with.About && !m.About {
		if place.Repeats, err = p.copies(with.Story, feedonce.EntryID(with.Entry)); err != nil {
			return err
		}
	}
	if tell && told && !m.About {
		tell = false
		place.Quiet = fmt.Sprintf("told already as part of a story: %s", with.FeedName)
	}
	p.places[n.Entry] = place
	p.rows = append(p.rows, store.Membership{Story: with.Story, Entry: n.Entry, Feed: p.feed.ID, About: about, At: p.now, Told: tell,
		Rule: string(m.Rule), Joined: feedonce.EntryID(with.Entry), Evidence: string(evidence)})
	p.joined(&with, tell && !about)
	return nil
}

// aboutRule is the rule by which an article joins a story that it only points to.
const aboutRule = "S4"

// copies returns an article of a story and those that are the same, as they joined it by being so.
func (p *placing) copies(story int64, of feedonce.EntryID) ([]feedonce.EntryID, error) {
	rows, err := p.tx.Memberships(story)
	if err != nil {
		return nil, err
	}
	same := []feedonce.EntryID{of}
	for i := 0; i < len(same); i++ {
		for _, m := range rows {
			if m.Rule == aboutRule || m.Joined == 0 {
				continue
			}
			for _, pair := range [][2]feedonce.EntryID{{m.Entry, m.Joined}, {m.Joined, m.Entry}} {
				if pair[0] == same[i] && !slices.Contains(same, pair[1]) {
					same = append(same, pair[1])
				}
			}
		}
	}
	return same, nil
}

// joined tells the candidates of the other new articles what has become of a story: an article of this feed is in it now,
// so that no second one of this feed joins.
func (p *placing) joined(with *store.StoryCandidate, told bool) {
	for _, list := range p.candidates {
		for i := range list {
			c := &list[i]
			if c.Entry != with.Entry && (c.Story == 0 || c.Story != with.Story) {
				continue
			}
			c.Story = with.Story
			c.StoryTold = c.StoryTold || with.StoryTold || told
			c.Feeds = append(slices.Clone(with.Feeds), int64(p.feed.ID))
		}
	}
}

// stories places the new articles of the document, and keeps those quiet whose story was told.
func (d *decider) stories(tx *store.Tx, r *dedup.Result) error {
	var news []Newcomer
	at := map[feedonce.EntryID]*dedup.Decision{}
	for i := range r.Decisions {
		dec := &r.Decisions[i]
		if dec.Outcome == dedup.New {
			id := feedonce.EntryID(dec.Entry)
			news = append(news, Newcomer{Entry: id, Item: d.items.Items[dec.Item], Tell: dec.Tell})
			at[id] = dec
		}
	}
	feed := d.f.Claim.Feed
	var err error
	if d.places, err = PlaceStories(tx, feed, d.policy, news, d.f.Received); err != nil {
		return err
	}
	for id, place := range d.places {
		if place.Quiet != "" {
			at[id].Tell, at[id].Quiet = false, place.Quiet
		}
	}
	return nil
}
