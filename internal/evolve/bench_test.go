package evolve

import (
	"reflect"
	"runtime"
	"slices"
	"syscall"
	"testing"

	"feedonce/dedup"
)

// BenchmarkMix gives what an arrival costs over the simulator's whole mix: every archetype and chaos, two feeds each,
// 40 polls, decided by a dedup.Memory a feed, which stands for the store and is part of the time. It is the processor's
// time, garbage collection included, on one processor, so that a busy machine hardly changes it; generating the
// documents does not count.
//
// The metrics are in microseconds an arrival, medians over arrivals:
//   - changed-µs: new or changed arrivals. An arrival is unchanged where an item equal in every field stood in the
//     document before.
//   - decided-µs: arrivals decided as anything but unchanged, which are fewer: what the engine looks through (another
//     date, a counter, an older version) is changed, but decided as unchanged. Its cost is put on the others here.
//   - changed-p90-µs, decided-p90-µs: the 90th percentiles.
//   - first-µs: the first documents of feeds, which are all new, and which the four above leave out.
//   - unchanged-µs: documents in which all are unchanged.
//
// A document is timed as a whole. Its new and changed arrivals share the time equally, less what its unchanged ones
// cost: their number times unchanged-µs of this feed, or of all feeds where this one has no document without a change.
// What an arrival makes the engine do elsewhere in the document (look up and compare entries that left it) so counts as
// its own.
func BenchmarkMix(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var feeds [][]timed
	for _, kind := range everyKind() {
		for n := 1; n <= 2; n++ {
			var feed []timed
			var was []dedup.Item
			for _, d := range documents(NewPublisher(kind, 3003, n, 40, false), 40) {
				t := timed{doc: &d.Document}
				for i := range d.Items {
					if !slices.ContainsFunc(was, func(it dedup.Item) bool { return it.Title == d.Items[i].Title && reflect.DeepEqual(it, d.Items[i]) }) {
						t.changed++
					}
				}
				was = d.Items
				feed = append(feed, t)
			}
			feeds = append(feeds, feed)
		}
	}
	processor := func() int64 { // µs
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return (u.Utime.Nano() + u.Stime.Nano()) / 1e3
	}
	var changed, decided, first, unchanged []float64
	runtime.GC()
	b.ResetTimer()
	for range b.N {
		var still []float64 // unchanged, in this round
		for _, feed := range feeds {
			m := dedup.NewMemory(dedup.Policy{})
			for i := range feed {
				began := processor()
				res := m.Process(feed[i].doc)
				feed[i].took = float64(processor() - began)
				feed[i].decided = len(res.Decisions) - res.Counts()[dedup.Unchanged]
			}
			still = append(still, unchangedOf(feed)...)
		}
		usual := quantile(still, 0.5)
		for _, feed := range feeds {
			each := usual
			if own := unchangedOf(feed); len(own) > 0 {
				each = quantile(own, 0.5)
			}
			first = feed[0].share(first, each, feed[0].changed)
			for _, t := range feed[1:] {
				changed = t.share(changed, each, t.changed)
				decided = t.share(decided, each, t.decided)
			}
		}
		unchanged = append(unchanged, still...)
	}
	b.ReportMetric(quantile(changed, 0.5), "changed-µs")
	b.ReportMetric(quantile(changed, 0.9), "changed-p90-µs")
	b.ReportMetric(quantile(decided, 0.5), "decided-µs")
	b.ReportMetric(quantile(decided, 0.9), "decided-p90-µs")
	b.ReportMetric(quantile(first, 0.5), "first-µs")
	b.ReportMetric(quantile(unchanged, 0.5), "unchanged-µs")
}

// timed is a document and what deciding it took.
type timed struct {
	doc     *dedup.Document
	changed int     // arrivals that are new or changed
	decided int     // arrivals decided as anything but unchanged
	took    float64 // µs
}

// share appends to the time of each of n arrivals its part, where each of the document's other arrivals costs other.
func (t *timed) share(to []float64, other float64, n int) []float64 {
	for range n {
		to = append(to, max(0, t.took-other*float64(len(t.doc.Items)-n))/float64(n))
	}
	return to
}

// unchangedOf returns the time of each arrival in documents in which all are unchanged.
func unchangedOf(feed []timed) []float64 {
	var out []float64
	for i := range feed {
		if t := &feed[i]; t.changed == 0 {
			out = t.share(out, 0, len(t.doc.Items))
		}
	}
	return out
}

// quantile returns the value of which a share q of the values is less; values are sorted in place.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[min(len(values)-1, int(q*float64(len(values))))]
}
