package explain

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
)

// A Pair is two articles side by side, and whether they would be taken for one.
type Pair struct {
	A, B         feedonce.Entry // B came later
	FeedA, FeedB feedonce.Feed
	Fields       []PairField
	Text         []Piece // the texts word by word, from A to B; nil where they have the same words
	Meetings     []Meeting
	Story        int64           // they are in this one story; 0: in none together
	Said         []store.Verdict // what a person said of the two
}

// A PairField is one fact of both articles. Equal is false where only one has it.
type PairField struct {
	Name  string // "title", "link", "guid", "author", "dated", "files", "language", "words"
	A, B  string // "" is absent
	Equal bool
}

// A Meeting is what would be decided if the younger of two articles came now and the older were known.
type Meeting struct {
	When    string     // a clause: "while the other one stands in the feed, too"
	Same    bool       // it would be taken for the other one
	Rule    dedup.Rule // by this rule; where not Same, the rule by which it is new or another article's
	Entry   feedonce.EntryID
	Why     string // where not Same: what speaks against it, in a clause; "" where nothing is near enough to be compared
	Finding []Finding
}

// PairOf compares two articles, or returns feedonce.ErrNotFound. They may be of two feeds, and one may be part of the other.
func PairOf(tx *store.Tx, a, b feedonce.EntryID) (*Pair, error) {
	if a == b {
		return nil, &feedonce.InvalidError{Field: "articles", Reason: fmt.Sprintf("must be two, not %d twice", a)}
	}
	p := &Pair{}
	var err error
	if p.A, err = tx.Entry(a); err != nil {
		return nil, err
	}
	if p.B, err = tx.Entry(b); err != nil {
		return nil, err
	}
	if c := p.A.FirstSeen.Compare(p.B.FirstSeen); c > 0 || c == 0 && p.A.ID > p.B.ID {
		p.A, p.B = p.B, p.A
	}
	if p.FeedA, err = tx.Feed(p.A.Feed); err != nil {
		return nil, err
	}
	if p.FeedB, err = tx.Feed(p.B.Feed); err != nil {
		return nil, err
	}
	p.Text = Words(body(p.A), body(p.B))
	p.fields()
	said, err := tx.Verdicts(p.A.ID)
	if err != nil {
		return nil, err
	}
	for _, v := range said {
		if v.A == min(p.A.ID, p.B.ID) && v.B == max(p.A.ID, p.B.ID) {
			p.Said = append(p.Said, v)
		}
	}
	if p.Story, err = commonStory(tx, p.A.ID, p.B.ID); err != nil {
		return nil, err
	}
	wa, err := tx.Whole(p.A.ID)
	if err != nil {
		return nil, err
	}
	wb, err := tx.Whole(p.B.ID)
	if err != nil {
		return nil, err
	}
	if p.A.Feed == p.B.Feed {
		return p, p.meet(tx, wa.Entry, wb.Entry)
	}
	return p, p.meetAcross(wa.Entry, wb.Entry)
}

// commonStory returns the story that two entries share, or 0.
func commonStory(tx *store.Tx, a, b feedonce.EntryID) (int64, error) {
	var of [2]int64
	for i, id := range []feedonce.EntryID{a, b} {
		story, err := tx.StoryOf(id)
		if errors.Is(err, feedonce.ErrNotFound) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		of[i] = story
	}
	if of[0] != of[1] {
		return 0, nil
	}
	return of[0], nil
}

// body is the plain text of an article: its content, or its summary where the feed gives no more.
func body(e feedonce.Entry) string {
	if t := text(e.Content); strings.TrimSpace(t) != "" {
		return t
	}
	return text(e.Summary)
}

func (p *Pair) fields() {
	date := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format("2006-01-02 15:04:05 MST")
	}
	words := func(e feedonce.Entry) string { return strconv.Itoa(len(strings.Fields(body(e)))) }
	for _, f := range []PairField{
		{Name: "title", A: p.A.Title, B: p.B.Title}, {Name: "link", A: p.A.URL, B: p.B.URL}, {Name: "guid", A: p.A.GUID, B: p.B.GUID},
		{Name: "author", A: p.A.Author, B: p.B.Author}, {Name: "dated", A: date(p.A.Published), B: date(p.B.Published)},
		{Name: "files", A: files(p.A.Enclosures), B: files(p.B.Enclosures)}, {Name: "language", A: p.A.Lang, B: p.B.Lang},
		{Name: "first seen", A: date(p.A.FirstSeen), B: date(p.B.FirstSeen)}, {Name: "words", A: words(p.A), B: words(p.B)},
	} {
		if f.A != "" || f.B != "" {
			f.Equal = f.A == f.B
			p.Fields = append(p.Fields, f)
		}
	}
}

// meet decides what the younger of two articles of one feed would be if it came now, as if it had not come, in each of the
// ways in which it may meet the older: what left the feed just then speaks for one article, what stands beside it for two.
func (p *Pair) meet(tx *store.Tx, a, b dedup.Entry) error {
	doc, err := tx.FeedDoc(p.B.Feed)
	if err != nil {
		return err
	}
	policy, state := dedup.Policy{}, dedup.State{}
	if doc.Policy != "" {
		if err := json.Unmarshal([]byte(doc.Policy), &policy); err != nil {
			return fmt.Errorf("policy of feed %d: %w", p.B.Feed, err)
		}
	}
	if len(doc.State) > 0 {
		if err := state.UnmarshalBinary(doc.State); err != nil {
			state = dedup.State{} // as ingest does: learned again
		}
	}
	state.Manifest, state.Gone, state.Held, state.Reverts = nil, nil, nil, nil
	left := state
	left.Gone = []dedup.GoneRow{{Entry: a.ID, Document: left.Documents}}
	site := p.FeedB.SiteURL
	if site == "" {
		site = p.FeedB.URL
	}
	for _, m := range []struct {
		when  string
		items []dedup.Item
		state dedup.State
	}{
		{"just as the older one leaves the feed", []dedup.Item{b.Item}, left},
		{"while the older one stands in the feed, too", []dedup.Item{b.Item, a.Item}, state},
		{"long after the older one", []dedup.Item{b.Item}, state},
	} {
		var failed error
		res := dedup.Decide(&dedup.Document{Fetched: b.FirstSeen, Site: site, Items: m.items}, &m.state, policy, func(q dedup.Query) *dedup.Known {
			q.Entries = append(slices.Clone(q.Entries), a.ID)
			known, err := tx.Known(p.B.Feed, q)
			if err != nil {
				failed = err
				return &dedup.Known{}
			}
			out := &dedup.Known{}
			for _, e := range known.Entries {
				if e.ID != b.ID {
					out.Entries = append(out.Entries, e)
				}
			}
			for _, k := range known.Keys {
				if k.Entry != b.ID {
					out.Keys = append(out.Keys, k)
				}
			}
			return out
		})
		if failed != nil {
			return failed
		}
		p.Meetings = append(p.Meetings, meeting(m.when, res.Decisions[0], a.ID))
	}
	return nil
}

// meeting puts what was decided about the younger one into words.
func meeting(when string, d dedup.Decision, a dedup.EntryID) Meeting {
	m := Meeting{When: when, Rule: RuleOf(d.Rule, d.Outcome), Entry: feedonce.EntryID(max(d.Entry, 0)), Same: d.Entry == a}
	for _, f := range d.Evidence.Facts {
		m.Finding = append(m.Finding, findingOf(f))
	}
	if m.Same {
		return m
	}
	for _, o := range d.Evidence.Others {
		if o.Entry == a {
			m.Why = o.Why
		}
	}
	return m
}

// meetAcross decides whether the younger of two articles of two feeds would join the older in one story.
func (p *Pair) meetAcross(a, b dedup.Entry) error {
	var items [2]dedup.StoryItem
	off := ""
	for i, x := range []struct {
		feed feedonce.Feed
		e    dedup.Entry
	}{{p.FeedA, a}, {p.FeedB, b}} {
		policy := dedup.Policy{}
		if x.feed.Policy != "" {
			if err := json.Unmarshal([]byte(x.feed.Policy), &policy); err != nil {
				return fmt.Errorf("policy of feed %d: %w", x.feed.ID, err)
			}
		}
		if policy.Stories == dedup.StoriesOff {
			off = x.feed.Name()
		}
		site := x.feed.SiteURL
		if site == "" {
			site = x.feed.URL
		}
		items[i] = dedup.StoryItem{Entry: x.e.ID, Feed: int64(x.feed.ID), Site: site, Item: x.e.Item, Seen: x.e.FirstSeen, Group: policy.Group, Apart: policy.Apart}
	}
	m := Meeting{When: "within a week of the older one, in another feed"}
	if off != "" {
		m.Why = "the articles of " + short(off) + " take part in no stories, by its policy"
		p.Meetings = []Meeting{m}
		return nil
	}
	items[1].Seen = items[0].Seen // the question is about the articles, whenever they came
	match, ok := dedup.Story(items[1], items[:1])
	if !ok {
		m.Why = "two feeds make one story of what has the same text, or, where they are of one publisher, the same link or guid"
	} else {
		m.Rule, m.Same, m.Entry = dedup.RuleByID(match.Rule), !match.About, feedonce.EntryID(a.ID)
		if match.About {
			m.Why = "it only points to the other one, and is shown beside it"
		}
		for _, f := range match.Evidence.Facts {
			m.Finding = append(m.Finding, findingOf(f))
		}
	}
	p.Meetings = []Meeting{m}
	return nil
}
