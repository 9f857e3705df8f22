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
	policy  dedup.Policy // as of the last decision
	warning string

	// As of the last decision, for outbox.
	first    bool    // nothing was known of the feed
	restored bool    // the database was restored since the last document
	usual    float64 // new articles in a document
	places   map[feedonce.EntryID]Place
}

// parse reads the document.
func (d *decider) parse() error {
	leave, err := d.in.Journal.enter(d.f.Feed)
	defer leave()
	if err != nil && d.in.Log != nil {
		d.in.Log.Warn("cannot note which document is being read", "feed", d.f.Feed, "error", err)
	}
	err = guard("reading", func() (err error) {
		if d.doc = d.f.Parsed; d.doc == nil {
			opts := format.Options{ContentType: d.f.ContentType, URL: d.f.URL, MaxItems: d.in.MaxItems}
			if d.doc, err = format.Parse(d.f.Body, opts); err != nil {
				return err
			}
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
	if to := d.doc.NewURL; to != "" && !samePlace(to, d.f.Claim.Feed.URL) && !samePlace(to, d.f.URL) {
		// Only noted: whoever can write into a document must not be able to take a feed elsewhere.
		odd = append(odd, "the document says that the feed moved to "+to+" (itunes:new-feed-url)")
	}
	odd = append(odd, d.f.Warnings...)
	d.warning = cut(strings.Join(odd, "; "), maxWarning)
	return nil
}

// warning adds to a warning.
func warning(so, more string) string { return cut(strings.TrimPrefix(so+"; "+more, "; "), maxWarning) }

// samePlace reports whether two URLs are the same but for scheme, case and a slash at the end.
func samePlace(a, b string) bool {
	place := func(u string) string {
		if _, rest, ok := strings.Cut(u, "://"); ok {
			u = rest
		}
		return strings.TrimSuffix(u, "/")
	}
	return strings.EqualFold(place(a), place(b))
}

// A verdict is what was decided on one state of the store.
type verdict struct {
	seq int64 // of the document it was decided on
	rep Report
	// write says that there is something to store; touch that nothing is but validators and hash.
	write, touch bool
}

// once decides on what is stored, and stores. It returns feedonce.ErrConflict where the feed's document moved on
// meanwhile.
func (d *decider) once(ctx context.Context) (Report, error) {
	var v verdict
	err := d.in.Store.View(ctx, func(tx *store.Tx) (err error) {
		v, err = d.decide(tx)
		return err
	})
	if err == nil && v.write {
		ran := false
		err = d.in.Store.Update(ctx, func(tx *store.Tx) error {
			if ran {
				// The database wants the transaction again, but the result is bound already: decide afresh.
				return feedonce.ErrConflict
			}
			ran = true
			return d.store(tx, &v)
		})
	}
	return d.done(ctx, v, err)
}

// alone decides and stores in one writing transaction. It holds up all others, but on SQLite nobody can be faster; with
// several processes on one file, the one that decides outside might never be in time.
func (d *decider) alone(ctx context.Context) (Report, error) {
	var v verdict
	err := d.in.Store.Update(ctx, func(tx *store.Tx) (err error) {
		if v, err = d.decide(tx); err == nil && v.write {
			err = d.store(tx, &v)
		}
		return err
	})
	return d.done(ctx, v, err)
}

// done is what remains to be done outside of the transaction.
func (d *decider) done(ctx context.Context, v verdict, err error) (Report, error) {
	if err == nil && v.touch {
		err = d.in.touch(ctx, d.f, v.seq, d.hash)
	}
	if err != nil {
		var wrong *AccountingError
		if errors.As(err, &wrong) && d.in.Violation != nil {
			d.in.Violation(d.f.Feed, err)
		}
		return Report{}, wrap(d.f.Feed, err)
	}
	if !v.rep.Unchanged {
		d.in.recent.stored(d.f.Feed)
		d.in.log(ctx, d.f.Feed, d.items, v.rep.Result)
	}
	d.in.recent.document(d.f.Feed, d.hash, v.rep.Items)
	return v.rep, nil
}

// decide reads what is known and decides on it.
func (d *decider) decide(tx *store.Tx) (verdict, error) {
	leave, _ := d.in.Journal.enter(d.f.Feed)
	defer leave()
	doc, err := tx.FeedDoc(d.f.Feed)
	if err != nil {
		return verdict{}, err
	}
	v := verdict{seq: doc.Seq, rep: Report{Items: len(d.items.Items), Document: d.doc, Warning: d.warning}}
	// A policy is true together with the keys it made: both are read in one transaction.
	var odd string
	if d.policy, odd = policy(doc.Policy); odd != "" {
		v.rep.Warning = warning(v.rep.Warning, odd)
	}
	var state *dedup.State
	if len(doc.State) > 0 {
		state = new(dedup.State)
		if err := state.UnmarshalBinary(doc.State); err != nil {
			// Keys and entries are still there: what is lost is what the feed taught us, and it will again.
			state = nil
			v.rep.Warning = warning(v.rep.Warning, fmt.Sprintf("what was remembered of the last document could not be read (%v): this one was judged without", err))
		}
	}
	var judge *dedup.Judge
	var q dedup.Query
	known := &dedup.Known{}
	if err := guard("deciding", func() error {
		judge = dedup.Prepare(d.items, state, d.policy)
		q = judge.Query()
		return nil
	}); err != nil {
		return verdict{}, err
	}
	if !q.Empty() {
		if known, err = tx.Known(d.f.Feed, q); err != nil {
			return verdict{}, err
		}
	}
	if err := guard("deciding", func() error {
		v.rep.Result = judge.Decide(known)
		return nil
	}); err != nil {
		return verdict{}, err
	}
	d.first, d.restored, d.usual, d.places = state == nil || state.Documents == 0, doc.Restored, 0, nil
	if state != nil {
		d.usual = state.Usual
	}
	if doc.Restored {
		quieten(v.rep.Result)
	}
	if v.rep.Counts, err = account(v.rep.Items, v.rep.Result.Decisions); err != nil {
		return verdict{}, err
	}
	v.rep.Unchanged = !v.rep.Result.Writes()
	v.write = !v.rep.Unchanged || v.rep.Result.StateChanged || d.tellsMore(v.rep.Warning) || doc.Restored
	v.touch = !v.write && d.whole(v.rep.Result) && d.worth()
	return v, nil
}

// whole reports whether all of the document came, and all of it is decided for good. One that was cut off must be fetched
// again, and one with a version that was put off must be judged again: neither its validators nor its bytes may stop
// the next poll.
func (d *decider) whole(r *dedup.Result) bool {
	return d.doc.Partial == "" && !d.f.Truncated && !r.Unsettled
}

// tellsMore reports whether the document says something of the feed itself that is not stored.
func (d *decider) tellsMore(warning string) bool {
	feed, doc := d.f.Claim.Feed, d.doc
	return doc.Title != "" && doc.Title != feed.Title || doc.SiteURL != "" && doc.SiteURL != feed.SiteURL ||
		doc.Format != "" && doc.Format != feed.Format || !sameWarning(warning, feed.Warning)
}

// sameWarning reports whether two warnings say the same but for what they quote and count: a date that cannot be read
// is another one at every poll, and not worth a row.
func sameWarning(a, b string) bool { return a == b || withoutParticulars(a) == withoutParticulars(b) }

func withoutParticulars(s string) string {
	quoted := false
	return strings.Map(func(r rune) rune {
		switch {
		case r == '“':
			quoted = true
			return r
		case r == '”':
			quoted = false
		case quoted || '0' <= r && r <= '9':
			return -1
		}
		return r
	}, s)
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

// store stores the decided document in the transaction, and completes the report.
func (d *decider) store(tx *store.Tx, v *verdict) error {
	in := store.Ingest{
		Feed: d.f.Feed, Seq: v.seq, Fence: d.f.Fence, At: d.f.Received,
		Title: d.doc.Title, SiteURL: d.doc.SiteURL, Format: d.doc.Format, Warning: v.rep.Warning,
		Result: v.rep.Result, Items: arrivals(d.doc, d.items),
	}
	d.held(v.rep.Result, in.Items)
	in.Settle = func(tx *store.Tx) error { return d.stories(tx, v.rep.Result) }
	in.Last = func(tx *store.Tx, revisions map[feedonce.EntryID]int) error {
		return d.tell(tx, v.rep.Result, in.Items, revisions)
	}
	if d.whole(v.rep.Result) {
		in.ETag, in.LastModified, in.BodyHash = d.f.ETag, d.f.LastModified, d.hash
	}
	if err := tx.Apply(in); err != nil {
		return err
	}
	v.rep.Stored = true
	v.rep.New = created(v.rep.Result)
	if d.f.Also == nil {
		return nil
	}
	return d.f.Also(tx, v.rep)
}

// held says of items that are held which question each of them is.
func (d *decider) held(r *dedup.Result, items []store.IngestItem) {
	for i := range r.Decisions {
		if dec := &r.Decisions[i]; dec.Outcome == dedup.Quarantined && !dec.Again {
			items[i].Identity = dedup.Admit(d.items.Items[i], d.f.Received, r.State, d.policy).Identity()
		}
	}
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
	var wrong *AccountingError
	if errors.As(err, &fault) || errors.As(err, &wrong) {
		return err
	}
	return fmt.Errorf("feed %d: %w", id, err)
}
