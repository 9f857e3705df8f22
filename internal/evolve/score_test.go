package evolve

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"feedonce/dedup"
)

// TestScore gives one-item documents, hour by hour, with answers right and wrong, and checks what is counted.
func TestScore(t *testing.T) {
	type arrival struct {
		hour   int
		guid   string
		origin Origin
		answer Answer
	}
	told := func(entry int64) Answer { return Answer{Outcome: dedup.New, Entry: entry, Tell: true} }
	is := func(o dedup.Outcome, entry int64) Answer { return Answer{Outcome: o, Entry: entry} }
	one, edited := Origin{Article: 1}, Origin{Article: 1, Version: 1}
	for _, tc := range []struct {
		name     string
		arrivals []arrival
		want     Score
	}{
		{
			"all right",
			[]arrival{{0, "a", one, told(1)}, {1, "a", one, is(dedup.Unchanged, 1)}, {2, "b", one, is(dedup.Duplicate, 1)},
				{3, "b", edited, is(dedup.Updated, 1)}, {4, "c", Origin{Article: 2}, told(2)}},
			Score{Arrivals: 5, New: 2, Duplicates: 1, Updates: 1, Unchanged: 1},
		},
		{
			"a new article taken for a known one, then for itself",
			[]arrival{{0, "a", one, told(1)}, {1, "b", Origin{Article: 2}, is(dedup.Updated, 1)}, {2, "b", Origin{Article: 2}, is(dedup.Unchanged, 1)}},
			Score{Arrivals: 3, New: 2, Unchanged: 1, Drops: 1, Wrong: 1},
		},
		{
			"a known article twice new, once told",
			[]arrival{{0, "a", one, told(1)}, {1, "b", one, told(2)}, {2, "c", one, is(dedup.New, 3)}},
			Score{Arrivals: 3, New: 1, Duplicates: 2, Leaks: 2, Told: 1},
		},
		{
			"new, but held; not so in the first document",
			[]arrival{{0, "a", one, is(dedup.New, 1)}, {1, "b", Origin{Article: 2}, is(dedup.New, 2)}},
			Score{Arrivals: 2, New: 2, Held: 1},
		},
		{
			"an update noticed five hours late counts, one after seven is missed",
			[]arrival{{0, "a", one, told(1)}, {1, "a", edited, is(dedup.Unchanged, 1)}, {6, "a", edited, is(dedup.Updated, 1)},
				{7, "a", Origin{Article: 1, Version: 2}, is(dedup.Unchanged, 1)}, {14, "a", Origin{Article: 1, Version: 2}, is(dedup.Updated, 1)}},
			Score{Arrivals: 5, New: 1, Updates: 2, Unchanged: 2, Missed: 1},
		},
		{
			"an update never noticed is missed, but for one in the last hours",
			[]arrival{{0, "a", one, told(1)}, {1, "a", edited, is(dedup.Unchanged, 1)}, {29, "a", Origin{Article: 1, Version: 2}, is(dedup.Unchanged, 1)}},
			Score{Arrivals: 3, New: 1, Updates: 1, Missed: 1},
		},
		{
			"two renderings in turn: each may be stored once",
			[]arrival{{0, "a", one, told(1)}, {1, "a", Origin{Article: 1, Face: "B"}, is(dedup.Updated, 1)}, {2, "a", one, is(dedup.Updated, 1)},
				{3, "a", Origin{Article: 1, Face: "B"}, is(dedup.Updated, 1)}},
			Score{Arrivals: 4, New: 1, Unchanged: 2, Spurious: 2},
		},
		{
			"a rendering that came back to stay is no mistake",
			[]arrival{{0, "a", one, told(1)}, {1, "a", Origin{Article: 1, Face: "B"}, is(dedup.Updated, 1)}, {2, "a", one, is(dedup.Unchanged, 1)},
				{25, "a", one, is(dedup.Updated, 1)}},
			Score{Arrivals: 4, New: 1, Unchanged: 2},
		},
		{
			"a stale document takes nothing back",
			[]arrival{{0, "a", one, told(1)}, {1, "a", edited, is(dedup.Updated, 1)}, {2, "a", one, is(dedup.Updated, 1)}},
			Score{Arrivals: 3, New: 1, Updates: 1, Unchanged: 1, Spurious: 1},
		},
		{
			"an excerpt need not show an edit",
			[]arrival{{0, "a", one, told(1)}, {1, "a", Origin{Article: 1, Version: 1, Short: true, Face: "excerpt"}, is(dedup.Unchanged, 1)},
				{2, "a", edited, is(dedup.Updated, 1)}, {3, "a", Origin{Article: 1, Short: true, Face: "excerpt"}, is(dedup.Unchanged, 1)}},
			Score{Arrivals: 4, New: 1, Updates: 1, Unchanged: 1},
		},
		{
			"refused",
			[]arrival{{0, "", one, is(dedup.Invalid, 0)}, {1, "", one, is(dedup.Quarantined, 0)}},
			Score{Arrivals: 2, New: 1, Unchanged: 1, Drops: 1, Refused: 2},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ledger, ref := NewLedger(), newReferee()
			for _, a := range tc.arrivals {
				d := Document{
					Document: dedup.Document{Fetched: start.Add(time.Duration(a.hour) * time.Hour), Items: []dedup.Item{{GUID: a.guid}}},
					Origins:  []Origin{a.origin},
				}
				ref.judge(&d, ledger.Enter(&d), []Answer{a.answer})
			}
			ref.end(start.Add(30 * time.Hour))
			if diff := cmp.Diff(tc.want, ref.Score, cmpopts.IgnoreFields(Score{}, "Took")); diff != "" {
				t.Errorf("score (-want +got):\n%s", diff)
			}
		})
	}
}
