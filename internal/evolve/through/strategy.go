package through

import (
	"context"

	"github.com/zeebo/xxh3"

	"feedonce/dedup"
	"feedonce/internal/evolve"
)

// sameBytes is the rule of answers to a document that was not parsed.
const sameBytes = "same bytes"

// Strategy returns a strategy for one feed after the other that answers by ingesting. Strategies cannot fail: when a document
// could not be ingested, Err says why, and all answers from then on are empty.
func (d *Database) Strategy() evolve.Strategy { return &strategy{d, map[document][]evolve.Answer{}} }

// Err returns why answers of strategies are empty, or nil.
func (d *Database) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

func (d *Database) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err == nil {
		d.err = err
	}
}

type strategy struct {
	*Database
	seen map[document][]evolve.Answer
}

// A document is a feed and the hash of a document's bytes.
type document struct {
	feed int
	hash uint64
}

func (s *strategy) Name() string { return s.name }

func (s *strategy) Document(feed int, doc *dedup.Document) []evolve.Answer {
	nothing := make([]evolve.Answer, len(doc.Items))
	if s.Err() != nil {
		return nothing
	}
	raw, err := bytesOf(doc)
	if err != nil {
		s.fail(err)
		return nothing
	}
	answers, err := s.document(context.Background(), feed, doc, raw)
	if err != nil {
		s.fail(err)
		return nothing
	}
	key := document{feed, xxh3.Hash(raw)}
	if answers == nil {
		return asBefore(s.seen[key], nothing)
	}
	s.seen[key] = answers
	return answers
}

// asBefore answers for a document that was not parsed by what was answered when it was.
func asBefore(before, answers []evolve.Answer) []evolve.Answer {
	for i, a := range before {
		answers[i] = evolve.Answer{Outcome: dedup.Unchanged, Entry: a.Entry, Rule: sameBytes}
		if a.Entry == 0 {
			answers[i].Outcome = a.Outcome // held or invalid still
		}
	}
	return answers
}
