package dedup_test

import (
	"encoding/json"
	"fmt"
	"time"

	"feedonce/dedup"
)

// A blog gives a post another guid when its author mends a typing error. The post is updated; nobody is told of it again.
func ExampleMemory() {
	post := dedup.Item{
		GUID: "https://blog.example.org/?p=7&v=1", URL: "https://blog.example.org/2026/a-walk-round-the-lake",
		Title: "A walk round the lake", Content: "<p>We went at eight, and saw two herons an an otter.</p>",
		Published: time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC),
	}
	older := dedup.Item{GUID: "https://blog.example.org/?p=6&v=1", URL: "https://blog.example.org/2026/all-the-way-up-the-hill", Title: "Up the hill"}

	m := dedup.NewMemory(dedup.Policy{})
	at := time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC)
	poll := func(items ...dedup.Item) {
		at = at.Add(time.Hour)
		res := m.Process(&dedup.Document{Fetched: at, Site: "https://blog.example.org/", Items: items})
		for _, d := range res.Decisions {
			fmt.Printf("%s: %q is %s (%s), entry %d, tell %v\n", at.Format("15:04"), items[d.Item].Title, d.Outcome, dedup.RuleByID(d.Rule).Name, d.Entry, d.Tell)
		}
	}
	poll(older)
	poll(post, older)
	post.GUID = "https://blog.example.org/?p=7&v=2"
	post.Content = "<p>We went at eight, and saw two herons and an otter.</p>"
	poll(post, older)
	// Output:
	// 07:00: "Up the hill" is new (new), entry 1, tell false
	// 08:00: "A walk round the lake" is new (new), entry 2, tell true
	// 08:00: "Up the hill" is unchanged (known identity), entry 1, tell false
	// 09:00: "A walk round the lake" is updated (same link and title), entry 2, tell false
	// 09:00: "Up the hill" is unchanged (known identity), entry 1, tell false
}

// Why an article was taken for one that is known: what was compared, with the values.
func ExampleDecision_evidence() {
	m := dedup.NewMemory(dedup.Policy{})
	at := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	item := dedup.Item{GUID: "1", URL: "https://example.org/2026/one-two-three", Title: "One two three", Published: at}
	m.Process(&dedup.Document{Fetched: at, Items: []dedup.Item{item}})
	item.GUID = "2"
	d := m.Process(&dedup.Document{Fetched: at.Add(time.Hour), Items: []dedup.Item{item}}).Decisions[0]
	fmt.Println(d.Outcome, dedup.RuleByID(d.Rule).Sentence)
	for _, f := range d.Evidence.Facts {
		fmt.Printf("%s: %s\n", f.Name, f.Is)
	}
	// Output:
	// duplicate Link, title and text are the same under another guid.
	// guid: differs
	// link: equal
	// title: equal
	// text: absent
	// published: equal to the second
}

// A memory is kept in a file between two runs of a program.
func ExampleMemory_MarshalJSON() {
	m := dedup.NewMemory(dedup.Policy{})
	doc := &dedup.Document{Fetched: time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC), Items: []dedup.Item{{GUID: "1", Title: "One"}}}
	m.Process(doc)
	file, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}

	var again dedup.Memory
	if err := json.Unmarshal(file, &again); err != nil {
		panic(err)
	}
	fmt.Println(again.Len(), "entry;", again.Process(doc).Decisions[0].Outcome)
	// Output: 1 entry; unchanged
}
