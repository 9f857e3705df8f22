package evolve

import (
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"feedonce/dedup"
)

// BenchmarkMix gives what an arrival costs over the simulator's whole mix: every archetype and chaos, two feeds each,
// 40 polls, decided by a dedup.Memory a feed, which stands for the store and is part of the time. One processor, whose
// garbage collection counts; generating the documents does not.
//
// The metrics, in microseconds an arrival:
//   - changed-µs, changed-p90-µs: median and 90th percentile over the arrivals that are new or changed, from the second
//     document of a feed on. An arrival is unchanged where an item equal in every field stood in the document before.
//   - first-µs: median over the arrivals of the first documents of feeds, which are all new.
//   - unchanged-µs: median over the arrivals of documents in which all are unchanged.
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
			was := map[string][]*dedup.Item{}
			for _, d := range documents(NewPublisher(kind, 3003, n, 40, false), 40) {
				t := timed{doc: &d.Document}
				is := map[string][]*dedup.Item{}
				for i := range d.Items {
					it := &d.Items[i]
					same := func(o *dedup.Item) bool { return reflect.DeepEqual(it, o) }
					if !slices.ContainsFunc(was[it.Title], same) {
						t.changed++
					}
					is[it.Title] = append(is[it.Title], it)
				}
				was = is
				feed = append(feed, t)
			}
			feeds = append(feeds, feed)
		}
	}
	var changed, first, unchanged []float64 // µs, by arrival
	runtime.GC()
	b.ResetTimer()
	for range b.N {
		for _, feed := range feeds {
			m := dedup.NewMemory(dedup.Policy{})
			for i := range feed {
				began := time.Now()
				m.Process(feed[i].doc)
				feed[i].took = float64(time.Since(began).Nanoseconds()) / 1e3
			}
			for i := range feed {
				if t := &feed[i]; t.changed == 0 {
					unchanged = t.share(unchanged, 0, len(t.doc.Items))
				}
			}
		}
		usual := quantile(unchanged, 0.5)
		for _, feed := range feeds {
			var own []float64
			for i := range feed {
				if t := &feed[i]; t.changed == 0 {
					own = t.share(own, 0, len(t.doc.Items))
				}
			}
			each := usual
			if len(own) > 0 {
				each = quantile(own, 0.5)
			}
			for i := range feed {
				t := &feed[i]
				to := &changed
				if i == 0 {
					to = &first
				}
				*to = t.share(*to, each, t.changed)
			}
		}
	}
	b.ReportMetric(quantile(changed, 0.5), "changed-µs")
	b.ReportMetric(quantile(changed, 0.9), "changed-p90-µs")
	b.ReportMetric(quantile(first, 0.5), "first-µs")
	b.ReportMetric(quantile(unchanged, 0.5), "unchanged-µs")
	b.ReportMetric(float64(len(changed))/float64(b.N), "changed-arrivals")
}

// timed is a document and what deciding it took.
type timed struct {
	doc     *dedup.Document
	changed int     // arrivals that are new or changed
	took    float64 // µs
}

// share appends to the time of each of n arrivals its part, where each of the document's other arrivals costs other.
func (t *timed) share(to []float64, other float64, n int) []float64 {
	for range n {
		to = append(to, max(0, t.took-other*float64(len(t.doc.Items)-n))/float64(n))
	}
	return to
}

// quantile returns the value of which a share q of the values is less; values are sorted in place.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[min(len(values)-1, int(q*float64(len(values))))]
}
