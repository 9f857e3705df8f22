package evolve

import (
	"feedonce/dedup"
)

// A Strategy decides what arrivals are. It gets the documents of a feed in order, and nothing of the truth.
type Strategy interface {
	// Name is what it is called in tables.
	Name() string
	// Document answers for every item of a document, in its order. Feeds are told apart by number. It must not
	// change the document.
	Document(feed int, doc *dedup.Document) []Answer
}

// An Answer is what a strategy takes an arrival for.
type Answer struct {
	Outcome dedup.Outcome
	Entry   int64  // the entry it belongs to, unique within the feed; 0 for none (quarantined, invalid)
	Rule    string // why, in a word
	Tell    bool   // whether a new article is told to people
	// Decision is the product's decision, for people who look at a mistake; nil for others.
	Decision *dedup.Decision
}

// Product is the engine under test: a dedup.Memory for each feed.
type Product struct {
	feeds map[int]*dedup.Memory
}

// NewProduct returns the engine with nothing remembered. It is not safe for concurrent use.
func NewProduct() Strategy { return &Product{feeds: map[int]*dedup.Memory{}} }

// ProductName is the Name of the product's engine, wherever it runs.
const ProductName = "feedonce"

// Name implements Strategy.
func (*Product) Name() string { return ProductName }

// Document implements Strategy.
func (s *Product) Document(feed int, doc *dedup.Document) []Answer {
	m := s.feeds[feed]
	if m == nil {
		m = dedup.NewMemory(dedup.Policy{})
		s.feeds[feed] = m
	}
	result := m.Process(doc)
	answers := make([]Answer, len(doc.Items))
	for i := range result.Decisions {
		d := &result.Decisions[i]
		answers[d.Item] = Answer{
			Outcome: d.Outcome, Entry: int64(d.Entry), Rule: string(d.Rule), Tell: d.Outcome == dedup.New && d.Tell, Decision: d,
		}
	}
	return answers
}
