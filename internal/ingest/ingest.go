// Package ingest takes one fetched document through format, dedup and store, in one transaction.
//
// The way of a document: bytes that are those of last time are done with. Others are parsed; the feed's state and what
// the store knows of the items are read in one read-only transaction; dedup decides every item, and the decisions are
// counted and held against the number of items. Where nothing is to be written there is no second transaction: that is
// what nearly every poll comes to. Otherwise one transaction stores all of it, with the validators by which the next
// poll may be answered "not modified", or none of it. If another worker stored a document of the same feed meanwhile,
// the store says so and the document is decided again on what is known then.
//
// The last of that transaction are the stories that new articles belong to, and internal/outbox, which writes who is told.
package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/format"
	"feedonce/internal/store"
)

// A Fetched is a document as it came.
type Fetched struct {
	Feed         feedonce.FeedID
	Fence        int64 // of the claim
	Body         []byte
	ContentType  string
	URL          string // where it came from, to resolve relative URLs
	ETag         string
	LastModified string
	Received     time.Time
	Truncated    bool // only the beginning came: what is absent proves nothing, and the next poll must fetch again

	// Parsed, where set, is what Body says, so that it is not parsed: for documents that are made in this program. It is
	// not changed. Body is still what the next document's is compared with.
	Parsed *format.Document

	// Claim is the claim under which it was fetched, where there is one. It saves reading the feed again.
	Claim *store.Claim
	// Warnings are to be shown with the feed, beside those of the document.
	Warnings []string
	// Also runs in the transaction that stores the document, after everything of it, with the report as it will be
	// returned. It is not called where there is no such transaction, and once more for every conflict.
	Also func(*store.Tx, Report) error
}

// A Report says what became of a document.
type Report struct {
	Unchanged bool // no entry, key or decision was written; at most the feed's own row was
	SameBytes bool // the bytes were those of last time; nothing was parsed
	Stored    bool // a transaction was committed; the counts went with it, and Also ran
	Counts    feedonce.Counts
	Items     int
	New       []feedonce.EntryID // entries created, in document order
	Warning   string             // what was odd though the document could be read, in words
	Document  *format.Document   // as parsed; nil where the bytes were those of last time
	Result    *dedup.Result      // bound; nil where the bytes were those of last time
}

// An Ingester ingests documents. It is safe for concurrent use, also for the same feed and by several processes.
type Ingester struct {
	Store    *store.Store
	MaxItems int          // of one document; 0 is format's default
	Log      *slog.Logger // every arrival that is not unchanged; nil logs nothing
	Journal  *Journal     // of documents being read; nil keeps none

	// Conflict, if set, is told whenever a document is decided again because another worker was faster, and
	// Violation when the decisions of a document did not add up.
	Conflict  func(feedonce.FeedID)
	Violation func(feedonce.FeedID, error)

	// After and Rand pace the tries after a conflict; time.After and math/rand by default.
	After func(time.Duration) <-chan time.Time
	Rand  func() float64

	recent recent
	large  sync.Mutex // held for a large document
}

// maxTries is how often a document is decided before the others who store documents of the same feed get their way.
// Each failure means that another one succeeded, so more than a few need a crowd. From the second try
// on the document is decided in the transaction that stores it.
const maxTries = 20

// large is the size in bytes from which documents are read one at a time: parsed and judged they take many times as
// much memory, and there is no hurry.
const large = 1 << 20

// maxWarning bounds what is stored as the warning of a feed, in bytes.
const maxWarning = 1000

// Document ingests one document: all of it, or on error nothing. A document that is no feed gives the error of
// format.Parse; that is for the caller to record, as are *PanicError, *AccountingError and *StrikesError. It returns
// feedonce.ErrFenced where the lease went to another worker, feedonce.ErrNotFound where the feed was removed, and
// feedonce.ErrConflict where others were faster every time.
func (in *Ingester) Document(ctx context.Context, f Fetched) (Report, error) {
	hash := in.BodyHash(f)
	if f.Claim != nil && string(f.Claim.BodyHash) == string(hash) {
		return in.same(ctx, f, hash)
	}
	if n := in.Journal.Strikes(f.Feed); n >= MaxStrikes {
		return Report{}, &StrikesError{Strikes: n}
	}
	if f.Claim == nil {
		claim, err := in.claim(ctx, f.Feed)
		if err != nil {
			return Report{}, err
		}
		f.Claim = claim
		if string(claim.BodyHash) == string(hash) {
			return in.same(ctx, f, hash)
		}
	}

	if len(f.Body) > large {
		in.large.Lock()
		defer in.large.Unlock()
	}
	d := &decider{in: in, f: f, hash: hash}
	if err := d.parse(); err != nil {
		return Report{}, err
	}
	for try := 1; ; try++ {
		decide := d.once
		if try > 1 {
			decide = d.alone
		}
		rep, err := decide(ctx)
		if !errors.Is(err, feedonce.ErrConflict) {
			return rep, err
		}
		if in.Conflict != nil {
			in.Conflict(f.Feed)
		}
		if try == maxTries {
			return Report{}, fmt.Errorf("other workers stored documents of the feed %d times meanwhile: %w", try, err)
		}
		if err := in.pause(ctx, try); err != nil {
			return Report{}, err
		}
	}
}

// claim stands in for the claim of a document that was fetched without one.
func (in *Ingester) claim(ctx context.Context, id feedonce.FeedID) (*store.Claim, error) {
	var c store.Claim
	err := in.Store.View(ctx, func(tx *store.Tx) error {
		feed, err := tx.Feed(id)
		if err != nil {
			return err
		}
		doc, err := tx.FeedDoc(id)
		if err != nil {
			return err
		}
		c = store.Claim{Feed: feed, ETag: doc.ETag, LastModified: doc.LastModified, BodyHash: doc.BodyHash}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("feed %d: %w", id, err)
	}
	return &c, nil
}

// same is the end of a document whose bytes are those of last time.
func (in *Ingester) same(ctx context.Context, f Fetched, hash []byte) (Report, error) {
	n, known := in.recent.items(f.Feed, hash)
	write := renewed(f, f.Claim.ETag, f.Claim.LastModified) && in.recent.worth(f, hash, true)
	if !known || write {
		var doc store.FeedDoc
		err := in.Store.View(ctx, func(tx *store.Tx) (err error) {
			doc, err = tx.FeedDoc(f.Feed)
			return err
		})
		if err != nil {
			return Report{}, wrap(f.Feed, err)
		}
		if !known {
			n = manifest(doc.State)
			in.recent.document(f.Feed, hash, n)
		}
		if write && string(doc.BodyHash) == string(hash) {
			if err := in.touch(ctx, f, doc.Seq, hash); err != nil {
				return Report{}, err
			}
		}
	}
	return Report{Unchanged: true, SameBytes: true, Items: n, Counts: feedonce.Counts{Unchanged: int64(n)}}, nil
}

// policy reads a policy as it is stored, and says what is odd about it. One that cannot be read is the default policy with
// a warning, so that a feed never stands still for it.
func policy(text string) (p dedup.Policy, odd string) {
	if text == "" {
		return p, ""
	}
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return dedup.Policy{}, fmt.Sprintf("the policy of this feed cannot be read (%v): the default policy is used", err)
	}
	if len(p.SuspectOnly) == 0 {
		return p, ""
	}
	var rules []string
	for _, id := range p.SuspectOnly {
		rules = append(rules, fmt.Sprintf("%s (%s)", id, dedup.RuleByID(id).Name))
	}
	return p, "in this feed nothing is folded by " + strings.Join(rules, ", ") + ": what is found by that is shown as new"
}

// pause waits a little before the next try: between nothing and a time that doubles up to 100 ms.
func (in *Ingester) pause(ctx context.Context, try int) error {
	after, random := in.After, in.Rand
	if after == nil {
		after = time.After
	}
	if random == nil {
		random = rand.Float64
	}
	longest := min(time.Millisecond<<min(try, 10), 100*time.Millisecond)
	select {
	case <-after(time.Duration(random() * float64(longest))):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// log writes a line for every arrival that is not unchanged.
func (in *Ingester) log(ctx context.Context, feed feedonce.FeedID, doc *dedup.Document, res *dedup.Result) {
	if in.Log == nil || !in.Log.Enabled(ctx, slog.LevelInfo) {
		return
	}
	for i := range res.Decisions {
		d := &res.Decisions[i]
		if d.Outcome == dedup.Unchanged || d.Again {
			continue
		}
		item := &doc.Items[i]
		attrs := []slog.Attr{
			slog.Int64("feed", int64(feed)), slog.String("outcome", string(d.Outcome)), slog.String("rule", string(d.Rule)),
			slog.Int64("entry", int64(d.Entry)), slog.String("guid", cut(item.GUID, 200)), slog.String("url", cut(item.URL, 200)),
			slog.String("title", cut(item.Title, 100)),
		}
		if d.Evidence.Note != "" {
			attrs = append(attrs, slog.String("note", d.Evidence.Note))
		}
		if d.Quiet != "" {
			attrs = append(attrs, slog.String("quiet", d.Quiet))
		}
		in.Log.LogAttrs(ctx, slog.LevelInfo, "article", attrs...)
	}
}

// cut shortens s to at most n bytes, at a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n-len("…")], "") + "…"
}
