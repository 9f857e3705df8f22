package ingest

import (
	"context"

	"feedonce/dedup"
	"feedonce/internal/store"
)

// Check says what would be decided about a document, on what is stored now. It stores nothing; entries that would be new have
// provisional numbers.
func (in *Ingester) Check(ctx context.Context, f Fetched) (Report, error) {
	claim, err := in.claim(ctx, f.Feed)
	if err != nil {
		return Report{}, err
	}
	f.Claim = claim
	d := &decider{in: in, f: f}
	if err := d.parse(); err != nil {
		return Report{}, err
	}
	var v verdict
	err = in.Store.View(ctx, func(tx *store.Tx) (err error) {
		v, err = d.decide(tx)
		return err
	})
	if err != nil {
		return Report{}, wrap(f.Feed, err)
	}
	return v.rep, nil
}

// CheckUnknown says what would be decided about the first document of a feed that is not known.
func CheckUnknown(doc *dedup.Document) Report {
	r := dedup.NewMemory(dedup.Policy{}).Process(doc)
	return Report{Items: len(doc.Items), Counts: tally(r.Decisions), Result: r}
}
