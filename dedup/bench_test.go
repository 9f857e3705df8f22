package dedup_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"feedonce/dedup"
)

// benchDoc is a document of 30 items of some 450 words each, as news feeds have.
func benchDoc(round int, at time.Time) *dedup.Document {
	doc := &dedup.Document{Fetched: at, Site: "https://example.org/"}
	for i := range 30 {
		n := round*30 + i
		doc.Items = append(doc.Items, dedup.Item{
			GUID: fmt.Sprintf("https://example.org/?p=%d", n), Permalink: true, URL: fmt.Sprintf("https://example.org/2026/01/some-words-of-%d/", n),
			Title: "Title of " + someWords(n, 6), Content: "<p>" + someWords(n+1e6, 300) + "</p>\n<p>" + someWords(n+2e6, 150) + "</p>",
			Author: "someone", Published: at.Add(-time.Duration(i) * time.Hour),
		})
	}
	return doc
}

// BenchmarkDecide gives the time for a document of 30 items; ns/item is the time for one arrival.
func BenchmarkDecide(b *testing.B) {
	at := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	first := benchDoc(0, at)
	per := func(b *testing.B) { b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/30, "ns/item") }
	// Deciding is pure computing: what a busy machine adds to ns/item does not stand in the processor's time.
	cpu := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	b.Run("new", func(b *testing.B) {
		docs := make([]*dedup.Document, 64)
		for i := range docs {
			docs[i] = benchDoc(i, at)
		}
		b.ReportAllocs()
		b.ResetTimer()
		start := cpu()
		for i := range b.N {
			dedup.NewMemory(dedup.Policy{}).Process(docs[i%len(docs)])
		}
		per(b)
		b.ReportMetric(float64((cpu()-start).Nanoseconds())/float64(b.N)/30, "cpu-ns/item")
	})
	b.Run("unchanged", func(b *testing.B) {
		m := dedup.NewMemory(dedup.Policy{})
		m.Process(first)
		b.ReportAllocs()
		b.ResetTimer()
		start := cpu()
		for range b.N {
			m.Process(first)
		}
		per(b)
		b.ReportMetric(float64((cpu()-start).Nanoseconds())/float64(b.N)/30, "cpu-ns/item")
	})
	b.Run("edited", func(b *testing.B) {
		m := dedup.NewMemory(dedup.Policy{})
		m.Process(first)
		b.ReportAllocs()
		b.ResetTimer()
		start := cpu()
		for i := range b.N {
			b.StopTimer()
			doc := *first
			doc.Items = append([]dedup.Item(nil), first.Items...)
			for k := range doc.Items {
				doc.Items[k].Content += fmt.Sprintf(" and edit %d", i)
			}
			doc.Fetched = at.Add(time.Duration(i+1) * 24 * time.Hour)
			b.StartTimer()
			m.Process(&doc)
		}
		per(b)
		b.ReportMetric(float64((cpu()-start).Nanoseconds())/float64(b.N)/30, "cpu-ns/item")
	})
	b.Run("new guids", func(b *testing.B) {
		m := dedup.NewMemory(dedup.Policy{})
		m.Process(first)
		b.ReportAllocs()
		b.ResetTimer()
		start := cpu()
		for i := range b.N {
			b.StopTimer()
			doc := *first
			doc.Items = append([]dedup.Item(nil), first.Items...)
			for k := range doc.Items {
				doc.Items[k].GUID = fmt.Sprintf("urn:%d:%d", i, k)
			}
			doc.Fetched = at.Add(time.Duration(i+1) * time.Hour)
			b.StartTimer()
			m.Process(&doc)
		}
		per(b)
		b.ReportMetric(float64((cpu()-start).Nanoseconds())/float64(b.N)/30, "cpu-ns/item")
	})
}
