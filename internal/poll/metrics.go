package poll

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"feedonce/internal/fetch"
)

// metrics count what a Poller does.
type metrics struct {
	polls      *prometheus.CounterVec
	errors     *prometheus.CounterVec
	arrivals   *prometheus.CounterVec
	bytes      prometheus.Counter
	seconds    prometheus.Histogram
	running    prometheus.Gauge
	late       prometheus.Gauge
	returned   prometheus.Counter
	conflicts  prometheus.Counter
	violations prometheus.Counter
}

func newMetrics() *metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	vector := func(name, help, label string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label})
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	m := &metrics{
		polls:    vector("feedonce_polls_total", "Polls by what became of them.", "status"),
		errors:   vector("feedonce_poll_errors_total", "Failed polls by kind of error.", "kind"),
		arrivals: vector("feedonce_arrivals_total", "Items of documents by what they turned out to be.", "outcome"),
		bytes:    counter("feedonce_fetched_bytes_total", "Bytes received over the wire."),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "feedonce_poll_duration_seconds", Help: "Time from the start of a poll to its end.",
			Buckets: []float64{.005, .02, .05, .1, .25, .5, 1, 2.5, 5, 10, 20, 40},
		}),
		running:    gauge("feedonce_polls_running", "Polls under way."),
		late:       gauge("feedonce_poll_late_seconds", "How long the most overdue feed has waited; 0 when all are on time."),
		returned:   counter("feedonce_claims_returned_total", "Claims given back because their host was too slow."),
		conflicts:  counter("feedonce_document_conflicts_total", "Documents decided again because another worker was faster."),
		violations: counter("feedonce_accounting_violations_total", "Documents whose decisions did not add up. Anything but 0 is a fault."),
	}
	// Series that exist from the start can be alerted on.
	for _, s := range []string{StatusNew, StatusChanged, StatusUnchanged, StatusNotModified, StatusError} {
		m.polls.WithLabelValues(s)
	}
	for _, o := range []string{"new", "updated", "unchanged", "duplicate", "quarantined", "invalid"} {
		m.arrivals.WithLabelValues(o)
	}
	return m
}

func (m *metrics) all() []prometheus.Collector {
	return []prometheus.Collector{m.polls, m.errors, m.arrivals, m.bytes, m.seconds, m.running, m.late, m.returned, m.conflicts, m.violations}
}

// Describe implements prometheus.Collector.
func (p *Poller) Describe(ch chan<- *prometheus.Desc) {
	for _, c := range p.metrics.all() {
		c.Describe(ch)
	}
}

// Collect implements prometheus.Collector.
func (p *Poller) Collect(ch chan<- prometheus.Metric) {
	for _, c := range p.metrics.all() {
		c.Collect(ch)
	}
}

func (m *metrics) observe(r Result) {
	m.polls.WithLabelValues(r.Status).Inc()
	if r.Err != nil {
		m.errors.WithLabelValues(kindOf(r.Err)).Inc()
	}
	c := r.Report.Counts
	for outcome, n := range map[string]int64{
		"new": c.New, "updated": c.Updated, "unchanged": c.Unchanged, "duplicate": c.Duplicate, "quarantined": c.Quarantined, "invalid": c.Invalid,
	} {
		m.arrivals.WithLabelValues(outcome).Add(float64(n))
	}
	m.bytes.Add(float64(r.Wire))
	m.seconds.Observe(r.Took.Seconds())
}

// kindOf names an error in a word or two.
func kindOf(err error) string {
	var failed *fetch.Error
	var fault *failure
	switch {
	case errors.As(err, &failed):
		return string(failed.Kind)
	case errors.As(err, &fault):
		return fault.kind
	}
	return "other"
}
