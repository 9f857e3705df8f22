package through

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"feedonce/dedup"
	"feedonce/internal/evolve"
	"feedonce/internal/store"
)

// TestTimingOfStories polls publishers under three addresses each, by several workers at once: whatever comes first, the
// decisions in each feed are the same, the same articles make a story, and each story is told once.
//
// This holds because here sameness is transitive: articles of one publisher with one link. Stories of texts that are only
// alike depend on the order of arrival, by design: an article joins the best story there is, and none is joined to another
// afterwards.
func TestTimingOfStories(t *testing.T) {
	const mirrors = 3
	var feeds []source
	for _, s := range sources(evolve.Archetypes()[:2], 59, size(10, 4)) {
		for range mirrors {
			feeds = append(feeds, s)
		}
	}
	place := func(feed int) (string, dedup.Policy) {
		at := fmt.Sprintf("%s?publisher=%d&mirror=%d", feeds[feed].docs[0].Site, feed/mirrors, feed%mirrors)
		return at, dedup.Policy{}
	}
	eachServer(t, func(t *testing.T, open func() []*Database) {
		course := func(seed uint64, goroutines int) ([][][]evolve.Answer, []string) {
			dbs := open()
			for _, d := range dbs {
				d.Place = place
			}
			answers := run(t, dbs, feeds, seed, goroutines)
			return answers, stories(t, dbs[0].ingest.Store, answers)
		}
		want, wantStories := course(0, 1)
		if len(wantStories) == 0 {
			t.Fatal("there are no stories")
		}
		for seed := range uint64(size(3, 2)) {
			got, gotStories := course(1+seed, workers)
			for i, f := range feeds {
				if where := firstDifference(f.docs, want[i], got[i], false); where != "" {
					t.Errorf("seed %d, %s, mirror %d: one worker and %d decide differently: %s", 1+seed, f.name, i%mirrors, workers, where)
				}
			}
			if !slices.Equal(wantStories, gotStories) {
				t.Errorf("seed %d: other stories\n want %d:\n%s\n got %d:\n%s", 1+seed, len(wantStories), strings.Join(wantStories, "\n"),
					len(gotStories), strings.Join(gotStories, "\n"))
			}
		}
	})
}

// stories describes all stories by their members, each as a feed and the how manyth new article of it it is, and by how many
// members were told.
func stories(t *testing.T, s *store.Store, answers [][][]evolve.Answer) []string {
	t.Helper()
	name := map[int64]string{}
	for feed := range answers {
		n := 0
		for _, doc := range answers[feed] {
			for _, a := range doc {
				if a.Outcome == dedup.New {
					name[a.Entry] = fmt.Sprintf("%d.%d", feed, n)
					n++
				}
			}
		}
	}
	var found []string
	err := s.View(context.Background(), func(tx *store.Tx) error {
		found = nil
		all, err := tx.Stories(store.StoryFilter{Limit: 10_000})
		for _, story := range all {
			var members []string
			told := 0
			for _, m := range story.Members {
				members = append(members, name[int64(m.Entry.ID)])
				if m.Told {
					told++
				}
			}
			slices.Sort(members)
			found = append(found, fmt.Sprintf("%s: %d told", strings.Join(members, " "), told))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	return found
}
