package ingest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/format"
	"feedonce/internal/store"
)

// A decider takes one document through decision and storage, as often as conflicts demand.
type decider struct {
	in   *Ingester
	f    Fetched
	hash []byte

	doc     *format.Document
	items   *dedup.Document
	policy  dedup.Policy
	warning string
}

// parse reads the document.
func (d *decider) parse() error {
	leave, err := d.in.Journal.enter(d.f.Feed)
	defer leave()
	if err != nil && d.in.Log != nil {
		d.in.Log.Warn("cannot note which document is being read", "feed", d.f.Feed, "error", err)
	}
	err = guard("reading", func() (err error) {
		opts := format.Options{ContentType: d.f.ContentType, URL: d.f.URL, MaxItems: d.in.MaxItems}
		if d.doc, err = format.Parse(d.f.Body, opts); err != nil {
			return err
		}
		d.items = Items(d.doc, d.f.Claim.Feed.URL, d.f.Received)
		d.items.Partial = d.items.Partial || d.f.Truncated
		return nil
	})
	if err != nil {
		return err
	}

	var odd []string
	switch {
	case d.doc.Partial != "":
		odd = append(odd, "the document was cut off: "+d.doc.Partial)
	case d.f.Truncated:
		odd = append(odd, "the document came only in part")
	}
	if d.doc.Dropped > 0 {
		odd = append(odd, fmt.Sprintf("the document has %d items; only the first %d were read", len(d.doc.Items)+d.doc.Dropped, len(d.doc.Items)))
	}
	odd = append(odd, d.doc.Warnings...)
	odd = append(odd, d.f.Warnings...)
	p, wrong := policy(d.f.Claim.Feed)
	if d.policy = p; wrong != "" {
		odd = append(odd, wrong)
	}
	d.warning = cut(strings.Join(odd, "; "), maxWarning)
	return nil
}

// once decides and stores. It returns feedonce.ErrConflict where the feed's document moved on meanwhile.
func (d *decider) once(ctx context.Context) (Report, error) {
	rep := Report{Items: len(d.items.Items), Document: d.doc, Warning: d.warning}
	seq, res, odd, err := d.decide(ctx)
	if err != nil {
		return Report{}, err
	}
	if odd != "" {
		rep.Warning = cut(strings.Trim(d.warning+"; "+odd, "; "), maxWarning)
	}
	if rep.Counts, err = account(rep.Items, res.Decisions); err != nil {
		if d.in.Violation != nil {
			d.in.Violation(d.f.Feed, err)
		}
		return Report{}, err
	}
	rep.Unchanged = !res.Writes()
	rep.Result = res

	// A document that was cut off must be fetched again: neither its validators nor its bytes may stop the next poll.
	whole := d.doc.Partial == "" && !d.f.Truncated
	if rep.Unchanged && !res.StateChanged && !d.tellsMore(rep.Warning) {
		if whole && d.worth() {
			if err := d.in.touch(ctx, d.f, seq, d.hash); err != nil {
				return Report{}, err
			}
		}
		d.in.recent.document(d.f.Feed, d.hash, rep.Items)
		return rep, nil
	}

	stored, err := d.store(ctx, seq, whole, rep)
	if err != nil {
		return Report{}, err
	}
	if !rep.Unchanged {
		d.in.recent.stored(d.f.Feed)
	}
	d.in.recent.document(d.f.Feed, d.hash, rep.Items)
	d.in.log(ctx, d.f.Feed, d.items, stored.Result)
	return stored, nil
}

// decide reads what is known and decides on it. odd is what is to be told to a person.
func (d *decider) decide(ctx context.Context) (seq int64, res *dedup.Result, odd string, err error) {
	leave, _ := d.in.Journal.enter(d.f.Feed)
	defer leave()
	var judge *dedup.Judge
	var known *dedup.Known
	err = d.in.Store.View(ctx, func(tx *store.Tx) error {
		odd, known = "", &dedup.Known{}
		doc, err := tx.FeedDoc(d.f.Feed)
		if err != nil {
			return err
		}
		seq = doc.Seq
		var state *dedup.State
		if len(doc.State) > 0 {
			state = new(dedup.State)
			if err := state.UnmarshalBinary(doc.State); err != nil {
				// Keys and entries are still there: what is lost is what the feed taught us, and it will again.
				state = nil
				odd = fmt.Sprintf("what was remembered of the last document could not be read (%v): this one was judged without", err)
			}
		}
		var q dedup.Query
		err = guard("deciding", func() error {
			judge = dedup.Prepare(d.items, state, d.policy)
			q = judge.Query()
			return nil
		})
		if err != nil || q.Empty() {
			return err
		}
		known, err = tx.Known(d.f.Feed, q)
		return err
	})
	if err != nil {
		return 0, nil, "", wrap(d.f.Feed, err)
	}
	err = guard("deciding", func() error {
		res = judge.Decide(known)
		return nil
	})
	return seq, res, odd, err
}

// tellsMore reports whether the document says something of the feed itself that is not stored.
func (d *decider) tellsMore(warning string) bool {
	feed, doc := d.f.Claim.Feed, d.doc
	return doc.Title != "" && doc.Title != feed.Title || doc.SiteURL != "" && doc.SiteURL != feed.SiteURL ||
		doc.Format != "" && doc.Format != feed.Format || warning != feed.Warning
}

// worth reports whether validators and hash alone should be stored.
func (d *decider) worth() bool {
	claim := d.f.Claim
	fresh := renewed(d.f, claim.ETag, claim.LastModified)
	if !fresh && string(claim.BodyHash) == string(d.hash) {
		return false
	}
	return d.in.recent.worth(d.f, d.hash, fresh)
}

// store stores the decided document in one transaction.
func (d *decider) store(ctx context.Context, seq int64, whole bool, rep Report) (Report, error) {
	in := store.Ingest{
		Feed: d.f.Feed, Seq: seq, Fence: d.f.Fence, At: d.f.Received,
		Title: d.doc.Title, SiteURL: d.doc.SiteURL, Format: d.doc.Format, Warning: rep.Warning,
		Result: rep.Result, Items: arrivals(d.doc, d.items),
	}
	if whole {
		in.ETag, in.LastModified, in.BodyHash = d.f.ETag, d.f.LastModified, d.hash
	}
	done := rep
	done.Stored = true
	ran := false
	err := d.in.Store.Update(ctx, func(tx *store.Tx) error {
		if ran {
			// The database wants the transaction again, but Apply has bound the result already: decide afresh.
			return feedonce.ErrConflict
		}
		ran = true
		if err := tx.Apply(in); err != nil {
			return err
		}
		done.New = created(done.Result)
		if d.f.Also == nil {
			return nil
		}
		return d.f.Also(tx, done)
	})
	if err != nil {
		return Report{}, wrap(d.f.Feed, err)
	}
	return done, nil
}

// created returns the entries that a bound result created.
func created(r *dedup.Result) []feedonce.EntryID {
	var ids []feedonce.EntryID
	for i := range r.Decisions {
		if r.Decisions[i].Outcome == dedup.New {
			ids = append(ids, feedonce.EntryID(r.Decisions[i].Entry))
		}
	}
	return ids
}

// wrap adds the feed to an error of the store, and leaves alone what is for a person.
func wrap(id feedonce.FeedID, err error) error {
	var fault *PanicError
	if errors.As(err, &fault) {
		return err
	}
	return fmt.Errorf("feed %d: %w", id, err)
}
