package dedup_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"feedonce/dedup"
)

// FuzzDecide judges two documents of items made of the fuzzer's bytes: nothing panics, every item is accounted for, and
// the second look at the same document adds nothing.
func FuzzDecide(f *testing.F) {
	f.Add("https://example.org/1", "https://example.org/a-b-c?x=1", "Title (Updated)", "<p>text &amp; more</p>", "g2", int64(1767225600))
	f.Add("\xff\xfe", "http://[::1", "\u202e\u200b", "<script>x</script><img width=1>", "", int64(-1))
	f.Add("A|B", "C", "", "<![CDATA[", "A", int64(0))
	f.Fuzz(func(t *testing.T, guid, link, title, text, other string, date int64) {
		at := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
		var when time.Time
		if date > -1<<40 && date < 1<<40 {
			when = time.Unix(date, 0).UTC()
		}
		doc := &dedup.Document{Fetched: at, Items: []dedup.Item{
			{GUID: guid, Permalink: true, URL: link, Title: title, Content: text, Published: when},
			{GUID: other, URL: link, Title: title, Content: text + text, Published: when},
			{GUID: guid, URL: other, Title: text, Content: title, Enclosures: []dedup.Enclosure{{URL: link, Type: title}}},
			{Title: title}, {Content: text}, {URL: link}, {},
		}}
		m := dedup.NewMemory(dedup.Policy{})
		for range 2 {
			if res := m.Process(doc); len(res.Decisions) != len(doc.Items) {
				t.Fatalf("%d decisions for %d items", len(res.Decisions), len(doc.Items))
			}
		}
		n := m.Len()
		doc.Fetched = at.Add(time.Hour)
		res := m.Process(doc)
		if m.Len() != n {
			t.Fatalf("the same document a third time made %d entries: %v", m.Len()-n, outcomes(res))
		}
		data, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &dedup.Memory{}); err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
	})
}

// Bad input costs bounded time, whatever it is made of.
func TestHostileInput(t *testing.T) {
	if _, err := os.Stat(filepath.Join("testdata")); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	big := make([]byte, 1<<20)
	for i := range big {
		big[i] = "abcdefghij klmno"[i%16]
	}
	run := func(name string, docs ...*dedup.Document) *dedup.Result {
		m := dedup.NewMemory(dedup.Policy{})
		var res *dedup.Result
		for i, d := range docs {
			d.Fetched = at.Add(time.Duration(i) * time.Hour)
			res = m.Process(d)
			if len(res.Decisions) != len(d.Items) {
				t.Errorf("%s: %d decisions for %d items", name, len(res.Decisions), len(d.Items))
			}
		}
		return res
	}
	run("a title of a megabyte", &dedup.Document{Items: []dedup.Item{{Title: string(big)}, {Title: string(big) + "x", GUID: string(big[:100_000])}}})

	one := &dedup.Document{}
	for i := range 10_000 {
		one.Items = append(one.Items, dedup.Item{GUID: "same", Title: someWords(i, 4), Content: someWords(i, 30)})
	}
	if n := run("ten thousand items with one guid", one).Counts()[dedup.New]; n != 10_000 {
		t.Errorf("ten thousand articles with one guid: %d are new", n)
	}

	// Texts that share all words in another order: the alignment is bounded.
	a, b := &dedup.Document{}, &dedup.Document{}
	for i := range 40 {
		w := someWords(5, 900)
		a.Items = append(a.Items, dedup.Item{GUID: "a" + someWords(i, 1), URL: "https://example.org/one-two-three", Title: "Same title here", Content: w[i*7:]})
		b.Items = append(b.Items, dedup.Item{GUID: "b" + someWords(i, 1), URL: "https://example.org/one-two-three", Title: "Same title here", Content: w[3000-i*11:] + w[:3000]})
	}
	run("adversarial near-duplicates", a, b)

	// Keys that collided in the old formats: "A|B" + "C", empty fields.
	res := run("ambiguous joins", &dedup.Document{Items: []dedup.Item{
		{Title: "A|B", Content: "C"}, {Title: "A", Content: "B|C"}, {Title: "A", Content: "B", URL: "C"}, {Title: "", Content: "A|B|C"},
	}})
	if n := res.Counts()[dedup.New]; n != 4 {
		t.Errorf("four different items whose fields join to one string: %d new", n)
	}
	// No script folds all its texts into one.
	for _, pair := range [][2]string{{"东京奥运会开幕", "北京冬奥会闭幕"}, {"Выборы в городе", "Погода в городе"}, {"انتخابات", "طقس"}, {"चुनाव परिणाम", "मौसम समाचार"}, {"สวัสดีโลก", "ลาก่อนโลก"}, {"🎉🎉", "💥💥"}} {
		res := run(pair[0], &dedup.Document{Items: []dedup.Item{{Title: pair[0]}, {Title: pair[1]}}})
		if n := res.Counts()[dedup.New]; n != 2 {
			t.Errorf("%q and %q are %d articles, want 2", pair[0], pair[1], n)
		}
	}
}
