package shape

import (
	"time"

	"feedonce"
)

// Destination is where new articles are told.
type Destination struct {
	ID       feedonce.DestinationID           `json:"id"`
	Name     string                           `json:"name"`
	Kind     string                           `json:"kind"`
	State    string                           `json:"state" enum:"active,paused,disabled" doc:"paused: a person stopped it; disabled: it is gone, or its settings cannot be used. Its messages wait"`
	Settings map[string]string                `json:"settings" doc:"By the names of the kind's fields; secrets are masked"`
	Route    feedonce.Route                   `json:"route"`
	Created  time.Time                        `json:"created"`
	LastOK   *time.Time                       `json:"last_ok,omitempty" doc:"When it last accepted a message"`
	Error    string                           `json:"error,omitempty" doc:"What the last attempt met; absent when it went well"`
	ErrorAt  *time.Time                       `json:"error_at,omitempty"`
	Errors   int                              `json:"errors,omitempty" doc:"Failed attempts in a row"`
	Rests    *time.Time                       `json:"rests_until,omitempty" doc:"It failed too often in a row, and nothing is sent until then"`
	Counts   map[feedonce.DeliveryState]int64 `json:"counts" doc:"Its deliveries by state"`
}

// DestinationOf is a destination with settings that may be shown.
func DestinationOf(d feedonce.Destination, settings map[string]string, counts map[feedonce.DeliveryState]int64) Destination {
	if settings == nil {
		settings = map[string]string{}
	}
	if counts == nil {
		counts = map[feedonce.DeliveryState]int64{}
	}
	return Destination{d.ID, d.Name, d.Kind, string(d.State), settings, d.Route, d.Created.UTC(), Moment(d.LastOK), d.Error, Moment(d.ErrorAt), d.Errors,
		Moment(d.OpenUntil), counts}
}

// Delivery is one thing to tell to one destination.
type Delivery struct {
	ID          feedonce.DeliveryID    `json:"id"`
	Destination feedonce.DestinationID `json:"destination"`
	Kind        string                 `json:"kind" enum:"new,update,notice"`
	Entry       feedonce.EntryID       `json:"entry,omitempty"`
	Feed        feedonce.FeedID        `json:"feed,omitempty"`
	Title       string                 `json:"title,omitempty" doc:"Of the article, or the text of a notice"`
	State       string                 `json:"state" enum:"pending,sending,sent,retry,unknown,dead,skipped,held"`
	Note        string                 `json:"note,omitempty" doc:"Why it is in its state"`
	Attempts    int                    `json:"attempts"`
	Created     time.Time              `json:"created"`
	Due         *time.Time             `json:"due,omitempty" doc:"When it is to be sent, where it waits"`
	Done        *time.Time             `json:"done,omitempty" doc:"When it was sent, skipped or given up"`
	Batch       int64                  `json:"batch,omitempty" doc:"Deliveries with the same batch are one message"`
	Brake       int64                  `json:"brake,omitempty" doc:"The flood brake that holds or held it"`
	Tries       []Attempt              `json:"tries,omitempty" doc:"Where one delivery is asked for: its attempts"`
}

// DeliveryOf is a delivery.
func DeliveryOf(d feedonce.Delivery) Delivery {
	out := Delivery{ID: d.ID, Destination: d.Destination, Kind: string(d.Kind), Entry: d.Entry, Feed: d.Feed, Title: d.Title, State: string(d.State), Note: d.Note,
		Attempts: d.Attempts, Created: d.Created.UTC(), Done: Moment(d.Done), Batch: d.Batch, Brake: d.Brake}
	if d.State == feedonce.DeliveryPending || d.State == feedonce.DeliveryRetry {
		out.Due = Moment(d.Due)
	}
	return out
}

// Attempt is one try of a delivery.
type Attempt struct {
	N       int       `json:"n"`
	At      time.Time `json:"at"`
	TookMS  int64     `json:"took_ms"`
	Status  int       `json:"status,omitempty" doc:"Of the answer; absent where there was none"`
	Excerpt string    `json:"excerpt,omitempty" doc:"Of the answer"`
	Error   string    `json:"error,omitempty" doc:"Absent where it was accepted"`
}

// AttemptOf is an attempt.
func AttemptOf(a feedonce.Attempt) Attempt {
	return Attempt{a.N, a.At.UTC(), a.Took.Milliseconds(), a.Status, a.Excerpt, a.Error}
}

// Brake holds the deliveries of a feed that suddenly had far more new articles than ever.
type Brake struct {
	ID     int64           `json:"id"`
	Feed   feedonce.FeedID `json:"feed"`
	At     time.Time       `json:"at"`
	Count  int             `json:"count" doc:"New articles in the document"`
	Usual  float64         `json:"usual" doc:"New articles of a document of this feed that has any"`
	State  string          `json:"state" enum:"open,released,digested,discarded"`
	Closed *time.Time      `json:"closed,omitempty"`
	Who    string          `json:"who,omitempty"`
}

// BrakeOf is a brake.
func BrakeOf(b feedonce.Brake) Brake {
	return Brake{b.ID, b.Feed, b.At.UTC(), b.Count, b.Usual, string(b.State), Moment(b.Closed), b.Who}
}
