package explain

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/amend"
	"feedonce/internal/ingest"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

func (r *reader) pair(a, b feedonce.EntryID) (p *Pair) {
	r.t.Helper()
	r.view(func(tx *store.Tx) (err error) {
		p, err = PairOf(tx, a, b)
		return err
	})
	return p
}

// answers are yes or no of each meeting, with what speaks against it.
func (p *Pair) answers() []string {
	var out []string
	for _, m := range p.Meetings {
		s := m.When + ": "
		if m.Same {
			s += "yes " + string(m.Rule.ID)
		} else {
			s += "no, " + m.Why
		}
		out = append(out, s)
	}
	return out
}

func TestPair(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		const ferry = "The ferry that leaves the quay at noon is late again, because of fog on the river and a rope that nobody could find."
		first := item{"a", "https://town.example/ferry", "The ferry is late", ferry}
		bread := item{"c", "https://town.example/bread", "Bread of clay", "A baker at the market sells bread that is baked in an oven of clay, and is asked how he keeps it warm."}
		r.read(first, bread)
		second := item{"b", "https://town.example/late-ferry", "The ferry is late", ferry}
		r.read(second, first, bread)
		var ids map[string]feedonce.EntryID
		r.view(func(tx *store.Tx) error {
			ids = map[string]feedonce.EntryID{}
			list, err := tx.Entries(store.EntryFilter{})
			for _, e := range list {
				ids[e.GUID] = e.ID
			}
			return err
		})
		if len(ids) != 3 {
			t.Fatalf("articles: %v", ids)
		}
		p := r.pair(ids["b"], ids["a"])
		if p.A.ID != ids["a"] || p.B.ID != ids["b"] {
			t.Errorf("the older one is %d, the younger %d", p.A.ID, p.B.ID)
		}
		got := map[string]bool{}
		for _, f := range p.Fields {
			got[f.Name] = f.Equal
		}
		if diff := cmp.Diff(map[string]bool{"title": true, "link": false, "guid": false, "first seen": false, "words": true}, got); diff != "" {
			t.Errorf("fields (-want +got):\n%s", diff)
		}
		if text := r.pair(ids["a"], ids["c"]).Text; len(p.Text) > 0 || len(text) == 0 {
			t.Errorf("of two equal texts %v, of two different ones %v", p.Text, text)
		}
		if len(p.Meetings) != 3 || p.Meetings[1].Same || p.Meetings[1].Why != "both stand in the document at once" {
			t.Errorf("meetings %q", p.answers())
		}
		if !p.Meetings[0].Same || p.Meetings[0].Entry != ids["a"] || len(p.Meetings[0].Finding) == 0 {
			t.Errorf("as the older one leaves: %q, %+v", p.answers(), p.Meetings[0])
		}
		for _, a := range r.pair(ids["a"], ids["c"]).answers() {
			if !strings.HasSuffix(a, ": no, ") {
				t.Errorf("two that have nothing in common: %s", a)
			}
		}
		if err := amend.Different(context.Background(), s, ids["a"], ids["b"], amend.By{Who: "Ada", At: noon}); err != nil {
			t.Fatal(err)
		}
		if p := r.pair(ids["a"], ids["b"]); len(p.Said) != 1 || p.Said[0].Same {
			t.Errorf("said: %+v", p.Said)
		}
		r.view(func(tx *store.Tx) error {
			var invalid *feedonce.InvalidError
			if _, err := PairOf(tx, 1, 1); !errors.As(err, &invalid) {
				t.Errorf("of one article: %v", err)
			}
			if _, err := PairOf(tx, 1, 99); !errors.Is(err, feedonce.ErrNotFound) {
				t.Errorf("of nothing: %v", err)
			}
			return nil
		})
	})
}

func TestPairOfTwoFeeds(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		words := strings.Repeat("The old harbour clock was taken down, cleaned by seven clockmakers and hung up again before anybody missed it. ", 6)
		r.read(item{"a", "https://town.example/clock", "The harbour clock is cleaned", words}, item{"b", "https://town.example/bread", "Bread of clay", "About bread."})
		other := &reader{t: t, s: s, in: &ingest.Ingester{Store: s}}
		err := s.Update(context.Background(), func(tx *store.Tx) error {
			f, err := tx.AddFeed(store.NewFeed{URL: "https://county.example/feed", Added: noon})
			other.feed = f.ID
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		other.hour = 5
		other.read(item{"z", "https://county.example/clock", "The harbour clock is cleaned", words})
		var clock, bread, theirs feedonce.EntryID
		r.view(func(tx *store.Tx) error {
			list, err := tx.Entries(store.EntryFilter{})
			for _, e := range list {
				switch e.GUID {
				case "a":
					clock = e.ID
				case "b":
					bread = e.ID
				default:
					theirs = e.ID
				}
			}
			return err
		})
		if p := r.pair(theirs, clock); len(p.Meetings) != 1 || !p.Meetings[0].Same || p.Meetings[0].Rule.ID != "S3" || p.Story == 0 {
			t.Errorf("the same text: story %d, %q", p.Story, p.answers())
		}
		if p := r.pair(bread, theirs); len(p.Meetings) != 1 || p.Meetings[0].Same || p.Story != 0 {
			t.Errorf("another text: story %d, %q", p.Story, p.answers())
		}
		err = s.Update(context.Background(), func(tx *store.Tx) error { return tx.SetFeedPolicy(other.feed, `{"stories":"off"}`) })
		if err != nil {
			t.Fatal(err)
		}
		if p := r.pair(theirs, clock); p.Meetings[0].Same || !strings.Contains(p.Meetings[0].Why, "take part in no stories") {
			t.Errorf("without stories: %q", p.answers())
		}
	})
}
