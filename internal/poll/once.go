package poll

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"feedonce"
	"feedonce/internal/fetch"
	"feedonce/internal/ingest"
	"feedonce/internal/store"
)

// poll polls a claimed feed: fetch, ingest, and what there is to learn from both.
func (p *Poller) poll(ctx context.Context, claim store.Claim) (res Result) {
	start := p.o.Now()
	res.Feed = claim.Feed
	late := time.Duration(-1)
	if !claim.Due.IsZero() {
		late = max(start.Sub(claim.Due), 0)
	}
	defer func() {
		if v := recover(); v != nil {
			res = p.failed(ctx, claim, res, nil, start, &ingest.PanicError{Doing: "polling", Value: v, Stack: debug.Stack()})
		}
		end := p.o.Now()
		res.Took = end.Sub(start)
		p.counts.addPoll(end, measured(res, late))
	}()

	resp, err := p.o.Client.Get(ctx, fetch.Request{URL: claim.Feed.URL, ETag: claim.ETag, LastModified: claim.LastModified})
	if err != nil {
		return p.failed(ctx, claim, res, nil, start, err)
	}
	res.Wire = resp.Wire
	if resp.NotModified {
		res.Status = StatusNotModified
		return p.settle(ctx, claim, res, resp, ingest.Report{Unchanged: true}, lesson{})
	}

	now := p.o.Now()
	var learned lesson // and stored with the document
	rep, err := p.in.Document(ctx, ingest.Fetched{
		Feed: claim.Feed.ID, Fence: claim.Fence,
		Body: resp.Body, ContentType: resp.ContentType, URL: resp.URL, ETag: resp.ETag, LastModified: resp.LastModified,
		Received: now, Truncated: resp.Truncated, Claim: &claim, Warnings: warnings(claim.Feed, resp),
		Also: func(tx *store.Tx, rep ingest.Report) error {
			learned = p.learn(claim, resp, rep, now)
			if !rep.Unchanged {
				learned.poll = recorded(resp, rep, now)
			}
			return learned.store(tx, claim.Feed)
		},
	})
	if err != nil {
		return p.failed(ctx, claim, res, resp, start, err)
	}
	p.counts.addPoll(now, lags(rep, claim.Feed.FirstOK.IsZero(), now))
	switch {
	case rep.Counts.New > 0:
		res.Status = StatusNew
	case !rep.Unchanged:
		res.Status = StatusChanged
	default:
		res.Status = StatusUnchanged
	}
	return p.settle(ctx, claim, res, resp, rep, learned)
}

// settle does what is to be done after a poll that went well, beside storing the document: as a rule, nothing.
// l is what was learned and stored with the document, where that was.
func (p *Poller) settle(ctx context.Context, claim store.Claim, res Result, resp *fetch.Response, rep ingest.Report, l lesson) Result {
	id, now := claim.Feed.ID, p.o.Now()
	res.Report = rep
	if rep.Document != nil && rep.Document.Title != "" {
		res.Feed.Title = rep.Document.Title
	}
	if !rep.Stored {
		p.counts.add(now, id, rep.Counts)
		l = p.learn(claim, resp, rep, now)
		if !l.empty() {
			if err := p.o.Store.Update(ctx, func(tx *store.Tx) error { return l.store(tx, claim.Feed) }); err != nil {
				return p.failed(ctx, claim, res, resp, now, err)
			}
		}
	}
	res.Next = claim.Feed.Schedule.NextPoll
	if l.schedule != nil && !l.schedule.NextPoll.IsZero() {
		res.Next = l.schedule.NextPoll
	}
	if to := believed(claim.Feed, resp); to != "" {
		p.move(ctx, &res, to)
	}
	return res
}

// A lesson is what a poll taught about a feed that its row should say. The zero lesson is none.
type lesson struct {
	recovered bool
	schedule  *feedonce.Schedule
	moved     *moved
	poll      *store.Poll // that stored something; nil where it did not
}

func (l lesson) empty() bool { return l == lesson{} }

func (l lesson) store(tx *store.Tx, feed feedonce.Feed) error {
	id := feed.ID
	if l.recovered {
		if err := tx.Recovered(id); err != nil {
			return fmt.Errorf("clearing the error: %w", err)
		}
	}
	switch {
	case l.poll != nil:
		s := feedonce.Schedule{Floor: feed.Schedule.Floor}
		if l.schedule != nil {
			s = *l.schedule
		}
		if err := tx.Polled(id, s, l.poll.Outcome); err != nil {
			return fmt.Errorf("schedule: %w", err)
		}
		if err := tx.AddPoll(id, *l.poll); err != nil {
			return err
		}
	case l.schedule != nil:
		if err := tx.SetSchedule(id, *l.schedule); err != nil {
			return fmt.Errorf("schedule: %w", err)
		}
	}
	if l.moved != nil {
		if err := tx.SetMoved(id, l.moved.to, l.moved.seen); err != nil {
			return fmt.Errorf("redirect: %w", err)
		}
	}
	return nil
}
