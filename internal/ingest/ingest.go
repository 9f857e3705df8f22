// Package ingest takes one fetched document through format, dedup and store, in one transaction.
package ingest

import (
	"context"
	"errors"
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
}

// A Report says what became of a document.
type Report struct {
	Unchanged bool // nothing was written
	Counts    feedonce.Counts
	Items     int
	New       []feedonce.EntryID // entries created, in document order
	Document  *format.Document   // as parsed; nil where the bytes were those of last time
	Result    *dedup.Result      // bound; nil where the bytes were those of last time
}

// An Ingester ingests documents. It is safe for concurrent use, also for the same feed and by several processes.
type Ingester struct {
	Store    *store.Store
	MaxItems int // of one document; 0 is format's default
}

// Document ingests one document: all of it, or on error nothing. A document that is no feed gives the error of
// format.Parse; that is for the caller to record.
func (in *Ingester) Document(ctx context.Context, f Fetched) (Report, error) {
	return Report{}, errors.New("not yet")
}

// Items turns a parsed document into what dedup judges.
func Items(d *format.Document, feedURL string, fetched time.Time) *dedup.Document { return nil }
