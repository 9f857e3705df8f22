package poll

import (
	"context"
	"errors"
	"sync"
	"time"

	"feedonce"
	"feedonce/internal/store"
)

// maxPending is how many claims may wait for their hosts in memory, some 10 MB.
const maxPending = 10_000

// A dispatcher claims due feeds and starts their polls. It belongs to one goroutine, but for ended.
type dispatcher struct {
	p       *Poller
	queues  map[string]*queue
	ring    []*queue // those that are not empty, in turn
	pending int
	claimAt time.Time // next look for due feeds
	flushAt time.Time // next try to store full hours

	polls   sync.WaitGroup
	mu      sync.Mutex
	running int
}

// A queue holds the claims of one host that wait.
type queue struct {
	host   string
	claims []waiting
}

type waiting struct {
	store.Claim
	expires time.Time // to be given back when not started by then
}

func newDispatcher(p *Poller) *dispatcher { return &dispatcher{p: p, queues: map[string]*queue{}} }

// run dispatches until ctx ends and every poll it started is over.
func (d *dispatcher) run(ctx context.Context) {
	p := d.p
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	for ctx.Err() == nil {
		now := p.o.Now()
		d.flush(work, now)
		more := d.claim(ctx, now)
		d.giveBackExpired(work, now)
		next := d.start(work, now)
		if more {
			continue
		}
		select {
		case <-p.o.After(max(next.Sub(now), time.Millisecond)):
		case <-p.hosts.wake:
		case <-ctx.Done():
		}
	}

	d.giveBack(work, d.takeAll(), func(int) time.Time { return p.o.Now() })
	over := make(chan struct{})
	go func() { d.polls.Wait(); close(over) }()
	select {
	case <-over:
	case <-p.o.After(p.o.Grace):
		p.o.Log.Warn("polls under way are cut off", "after", p.o.Grace)
		stop()
		<-over
	}
}

// claim takes due feeds as far as there is somebody to poll them, and reports whether there may be more to take.
func (d *dispatcher) claim(ctx context.Context, now time.Time) (more bool) {
	p := d.p
	if now.Before(d.claimAt) || d.pending >= maxPending {
		return false
	}
	// A few more claims than workers, so that these need not wait for the database; the rest is for other processes.
	limit := p.o.Workers + p.o.Workers/2 - d.startable(now) - d.busy()
	if limit <= 0 {
		return false
	}
	var claims []store.Claim
	err := p.o.Store.Update(ctx, func(tx *store.Tx) (err error) {
		claims, err = tx.Claim(now, limit, p.o.Lease)
		return err
	})
	if err != nil {
		if ctx.Err() == nil {
			p.o.Log.Error("cannot look for due feeds; trying again", "in", p.o.Step, "error", err)
		}
		d.claimAt = now.Add(p.o.Step)
		return false
	}
	for _, c := range claims {
		d.add(waiting{Claim: c, expires: now.Add(p.o.Lease / 2)})
	}
	if len(claims) < limit {
		d.claimAt = now.Add(p.o.Step)
		p.metrics.late.Set(0)
		p.hosts.sweep(now)
		return false
	}
	d.measureLateness(ctx, now)
	return true
}

// measureLateness looks how long the feed that is most overdue has waited.
func (d *dispatcher) measureLateness(ctx context.Context, now time.Time) {
	var due time.Time
	err := d.p.o.Store.View(ctx, func(tx *store.Tx) (err error) {
		due, err = tx.NextDue()
		return err
	})
	if err == nil && !due.IsZero() {
		d.p.metrics.late.Set(max(now.Sub(due), 0).Seconds())
	}
}

func (d *dispatcher) add(w waiting) {
	name := hostOf(w.Feed.URL)
	q := d.queues[name]
	if q == nil {
		q = &queue{host: name}
		d.queues[name] = q
		d.ring = append(d.ring, q)
	}
	q.claims = append(q.claims, w)
	d.pending++
}

// startable counts the waiting claims whose hosts have places for them.
func (d *dispatcher) startable(now time.Time) int {
	n := 0
	for _, q := range d.ring {
		n += max(min(d.p.hosts.places(q.host, now), len(q.claims)), 0)
	}
	return n
}

// start starts polls, one host after the other, until the workers or the hosts' places are used up. It returns when
// it should be called again at the latest.
func (d *dispatcher) start(work context.Context, now time.Time) (next time.Time) {
	next = now.Add(d.p.o.Step)
	if d.claimAt.After(now) && d.claimAt.Before(next) {
		next = d.claimAt
	}
	for blocked := 0; len(d.ring) > 0 && blocked < len(d.ring) && d.busy() < d.p.o.Workers; {
		q := d.ring[0]
		d.ring = append(d.ring[1:], q)
		ok, at := d.p.hosts.try(q.host, now)
		if !ok {
			blocked++
			if !at.IsZero() && at.Before(next) {
				next = at
			}
			continue
		}
		blocked = 0
		claim := q.claims[0].Claim
		q.claims = q.claims[1:]
		d.pending--
		d.drop(q)
		d.poll(work, q.host, claim)
	}
	return next
}

// drop forgets a queue that is empty.
func (d *dispatcher) drop(q *queue) {
	if len(q.claims) > 0 {
		return
	}
	delete(d.queues, q.host)
	for i := range d.ring {
		if d.ring[i] == q {
			d.ring = append(d.ring[:i:i], d.ring[i+1:]...)
			return
		}
	}
}

func (d *dispatcher) busy() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.running
}

// poll polls a claimed feed in a goroutine of its own.
func (d *dispatcher) poll(work context.Context, host string, claim store.Claim) {
	d.mu.Lock()
	d.running++
	d.mu.Unlock()
	d.p.metrics.running.Inc()
	d.polls.Go(func() {
		res := d.p.poll(work, claim)
		d.p.unlease(work, claim, res)
		d.p.report(res)
		d.p.metrics.running.Dec()
		d.mu.Lock()
		d.running--
		d.mu.Unlock()
		d.p.hosts.release(host, res.Took)
	})
}

// giveBackExpired gives back the claims that waited for half their lease, spread over the time their host needs.
func (d *dispatcher) giveBackExpired(work context.Context, now time.Time) {
	for _, q := range append([]*queue(nil), d.ring...) {
		n := 0
		for n < len(q.claims) && now.After(q.claims[n].expires) {
			n++
		}
		if n == 0 {
			continue
		}
		expired := q.claims[:n:n]
		q.claims = q.claims[n:]
		d.pending -= n
		d.drop(q)
		from, apart := d.p.hosts.outlook(q.host, now)
		d.p.metrics.returned.Add(float64(n))
		// Those that stay in the queue come first.
		d.giveBack(work, expired, func(i int) time.Time {
			return from.Add(d.p.o.Step + time.Duration(len(q.claims)+i)*apart)
		})
	}
}

// giveBack makes claimed feeds due again that were not polled. Where that fails they are polled an interval late.
func (d *dispatcher) giveBack(ctx context.Context, claims []waiting, due func(int) time.Time) {
	if len(claims) == 0 {
		return
	}
	err := d.p.o.Store.Update(ctx, func(tx *store.Tx) error {
		leases := map[feedonce.FeedID]int64{}
		for i, c := range claims {
			s := c.Feed.Schedule
			s.NextPoll = due(i)
			if err := tx.SetSchedule(c.Feed.ID, s); errors.Is(err, feedonce.ErrNotFound) {
				continue // removed meanwhile
			} else if err != nil {
				return err
			}
			leases[c.Feed.ID] = c.Fence
		}
		return tx.GiveBack(leases)
	})
	if err != nil {
		d.p.o.Log.Warn("claimed feeds could not be given back and wait for their next turn", "feeds", len(claims), "error", err)
	}
}

// takeAll empties the queues.
func (d *dispatcher) takeAll() []waiting {
	var all []waiting
	for _, q := range d.ring {
		all = append(all, q.claims...)
	}
	d.queues, d.ring, d.pending = map[string]*queue{}, nil, 0
	return all
}

// flush stores the counts of full hours.
func (d *dispatcher) flush(ctx context.Context, now time.Time) {
	if now.Before(d.flushAt) || !d.p.counts.full(now) {
		return
	}
	if err := d.p.flush(ctx, now.Truncate(time.Hour)); err != nil {
		d.p.o.Log.Error("cannot store what was counted; trying again", "in", d.p.o.Step, "error", err)
		d.flushAt = now.Add(d.p.o.Step)
	}
}
