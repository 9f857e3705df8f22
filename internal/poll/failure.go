package poll

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"feedonce"
	"feedonce/internal/fetch"
	"feedonce/internal/format"
	"feedonce/internal/ingest"
	"feedonce/internal/scan"
	"feedonce/internal/store"
)

// A failure is a failed poll in words for a person.
type failure struct {
	kind  string // for the metrics
	words string
	state feedonce.FeedState // to put the feed in; "" leaves it
	after time.Duration      // the server asked to wait so long
	err   error
}

func (f *failure) Error() string { return f.words }
func (f *failure) Unwrap() error { return f.err }

// explain puts an error of fetch or ingest in words. resp is nil where nothing came.
func explain(err error, resp *fetch.Response) *failure {
	f := &failure{kind: "store", err: err}
	var (
		failed  *fetch.Error
		notFeed *format.NotFeedError
		limit   *scan.LimitError
		panicd  *ingest.PanicError
		account *ingest.AccountingError
		strikes *ingest.StrikesError
	)
	switch {
	case errors.As(err, &failed):
		f.kind, f.words, f.after = string(failed.Kind), failed.Error(), failed.RetryAfter
		if failed.Kind == fetch.KindGone {
			f.state = feedonce.FeedGone
			f.words += " It is not polled any more; resume it to try again."
		}
	case errors.As(err, &notFeed):
		f.kind, f.words = "not a feed", notFeed.Error()
		if resp != nil && notFeed.HTML {
			if c, ok := named(resp); ok {
				f.words = fmt.Sprintf("%s. It names a feed at %s: add that", f.words, c.URL)
			}
		}
	case errors.As(err, &limit):
		f.kind, f.words = "limit", "the document was refused: "+limit.Error()
	case errors.As(err, &panicd), errors.As(err, &account):
		f.kind, f.words = "fault", err.Error()
	case errors.As(err, &strikes):
		f.kind, f.words, f.state = "fault", err.Error(), feedonce.FeedPaused
	case errors.Is(err, feedonce.ErrConflict):
		f.kind, f.words = "conflict", "the document could not be stored, because others stored documents of this feed all the time. The next poll tries again"
	case resp == nil:
		f.kind, f.words = "fetch", "the feed could not be fetched: "+err.Error()
	default:
		f.words = fmt.Sprintf("the document could not be stored, so nothing of it was: %v. The next poll tries again", err)
	}
	return f
}

// named returns the feed that a web page names, as long as it is not the page.
func named(resp *fetch.Response) (fetch.Candidate, bool) {
	for _, c := range fetch.Discover(resp.Body, resp.URL) {
		if !c.Guess && c.URL != resp.URL {
			return c, true
		}
	}
	return fetch.Candidate{}, false
}

// maxHold is how long a host that was asked too often is left alone altogether (429, RFC 6585 4); the feed that was
// told so waits as long as it was told.
const maxHold = time.Hour

// failed is the end of a poll that did not go well: it records the error with the feed, in words, and when to try again.
// The poll began at start.
func (p *Poller) failed(ctx context.Context, claim store.Claim, res Result, resp *fetch.Response, start time.Time, err error) Result {
	id, now := claim.Feed.ID, p.o.Now()
	res.Status, res.Report = StatusError, ingest.Report{}
	log := p.o.Log.With("feed", id, "url", shown(claim.Feed.URL))
	var panicd *ingest.PanicError
	if errors.As(err, &panicd) {
		log.Error("fault while polling", "fault", panicd.Value, "stack", string(panicd.Stack))
	}
	switch {
	case errors.Is(err, feedonce.ErrFenced):
		// What was fetched is older than what the other worker has, and the feed is none the worse.
		res.Err = &failure{kind: "fenced", words: "another worker polls this feed now; what was fetched was dropped", err: err}
		log.Info("poll dropped", "reason", res.Err)
		return res
	case errors.Is(err, feedonce.ErrNotFound):
		res.Err = &failure{kind: "removed", words: "the feed was removed meanwhile", err: err}
		return res
	case ctx.Err() != nil:
		res.Err = &failure{kind: "stopped", words: "the poll was cut off, because the program was stopped", err: err}
		res.Next = now
		p.dueAgain(ctx, claim, now)
		return res
	}

	f := explain(err, resp)
	res.Err = f
	res.Next = p.skips.after(id, now.Add(p.backoff(claim.Feed.Errors, f.after)))
	if failed := (*fetch.Error)(nil); errors.As(err, &failed) && failed.Status == http.StatusTooManyRequests && f.after > 0 {
		p.hosts.hold(hostOf(claim.Feed.URL), now.Add(min(f.after, maxHold)))
	}
	log.Warn("poll failed", "error", f, "in a row", claim.Feed.Errors+1, "next", res.Next)
	err = p.o.Store.Update(ctx, func(tx *store.Tx) error {
		if f.state != "" {
			if err := tx.SetFeedState(id, f.state); err != nil {
				return err
			}
		}
		if err := tx.Failed(id, claim.Fence, now, f.words, res.Next); err != nil {
			return err
		}
		return tx.AddPoll(id, f.poll(resp, now.Sub(start), now))
	})
	if err != nil && !errors.Is(err, feedonce.ErrFenced) && !errors.Is(err, feedonce.ErrNotFound) {
		log.Error("cannot record the error of a poll", "error", err)
	}
	var strikes *ingest.StrikesError
	if err == nil && errors.As(f.err, &strikes) {
		if err := p.o.Journal.Forgive(id); err != nil {
			log.Error("cannot give the feed another try", "error", err)
		}
	}
	return res
}

// dueAgain makes a claimed feed due that was not polled to the end.
func (p *Poller) dueAgain(ctx context.Context, claim store.Claim, now time.Time) {
	s := claim.Feed.Schedule
	s.NextPoll = now
	err := p.o.Store.Update(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		if err := tx.SetSchedule(claim.Feed.ID, s); err != nil {
			return err
		}
		return tx.GiveBack(map[feedonce.FeedID]int64{claim.Feed.ID: claim.Fence})
	})
	if err != nil && !errors.Is(err, feedonce.ErrNotFound) {
		p.o.Log.Warn("a feed could not be given back and waits for its next turn", "feed", claim.Feed.ID, "error", err)
	}
}

// unlease gives the lease of a polled feed back where it would outlast the feed's interval. Where intervals are what
// they are by default it never does.
func (p *Poller) unlease(ctx context.Context, claim store.Claim, res Result) {
	if res.Err != nil || !res.Next.Before(claim.Feed.Schedule.LastPoll.Add(p.o.Lease)) {
		return
	}
	err := p.o.Store.Update(ctx, func(tx *store.Tx) error {
		return tx.Release(map[feedonce.FeedID]int64{claim.Feed.ID: claim.Fence})
	})
	if err != nil && ctx.Err() == nil {
		p.o.Log.Warn("a lease could not be given back", "feed", claim.Feed.ID, "error", err)
	}
}

// shown is a URL without the password that may be in it.
func shown(raw string) string {
	if u, err := url.Parse(raw); err == nil {
		return u.Redacted()
	}
	return raw
}
