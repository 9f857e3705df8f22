package web

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"feedonce"
	"feedonce/internal/store"
)

// scrape serves the metrics.
func (s *server) scrape(w http.ResponseWriter, r *http.Request) error {
	s.metrics.ServeHTTP(w, r)
	return nil
}

// newMetrics serves the registry, with the poller's counters and what the database holds.
func (s *server) newMetrics() http.Handler {
	reg := s.Registry
	register := func(c prometheus.Collector) {
		// Somebody who brings a registry may have registered these.
		if err := reg.Register(c); err != nil {
			s.Log.Debug("metrics are registered already", "error", err)
		}
	}
	register(collectors.NewGoCollector())
	register(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	register(&contents{s})
	if s.Poller != nil {
		register(s.Poller)
	}
	return promhttp.HandlerFor(reg, promhttp.HandlerOpts{
		ErrorHandling: promhttp.ContinueOnError, Timeout: 10 * time.Second, ErrorLog: promLog{s},
	})
}

type promLog struct{ *server }

func (l promLog) Println(v ...any) { l.Log.Error("metrics", "error", v) }

var (
	feedsDesc   = prometheus.NewDesc("feedonce_feeds", "Feeds by state.", []string{"state"}, nil)
	failingDesc = prometheus.NewDesc("feedonce_feeds_failing", "Feeds whose last poll failed.", nil, nil)
	dueDesc     = prometheus.NewDesc("feedonce_feeds_due", "Feeds that are due and wait to be polled.", nil, nil)
	entriesDesc = prometheus.NewDesc("feedonce_entries", "Articles stored.", nil, nil)
)

// contents collects what the database holds, when it is asked.
type contents struct{ *server }

func (c *contents) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{feedsDesc, failingDesc, dueDesc, entriesDesc} {
		ch <- d
	}
}

func (c *contents) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	var feeds []feedonce.Feed
	var entries int64
	err := c.Store.View(ctx, func(tx *store.Tx) (err error) {
		if feeds, err = tx.Feeds(); err != nil {
			return err
		}
		entries, err = tx.EntryCount(0)
		return err
	})
	if err != nil {
		ch <- prometheus.NewInvalidMetric(entriesDesc, err)
		return
	}
	states := map[feedonce.FeedState]float64{feedonce.FeedActive: 0, feedonce.FeedPaused: 0, feedonce.FeedGone: 0}
	var failing, due float64
	now := c.Now()
	for _, f := range feeds {
		states[f.State]++
		if f.Error != "" {
			failing++
		}
		if f.State == feedonce.FeedActive && !f.Schedule.NextPoll.After(now) {
			due++
		}
	}
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	for state, n := range states {
		gauge(feedsDesc, n, string(state))
	}
	gauge(failingDesc, failing)
	gauge(dueDesc, due)
	gauge(entriesDesc, float64(entries))
}
