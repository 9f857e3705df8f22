// Package store keeps feedonce's data in SQLite or PostgreSQL: all SQL of the program, by subject.
package store

import (
	"context"
	"errors"
	"time"

	"feedonce"
	"feedonce/dedup"
)

// A Store is an open database. It is safe for concurrent use.
type Store struct{}

// Open opens and migrates a database: a path (or "file:" URL) is SQLite, a "postgres://" URL is PostgreSQL.
func Open(ctx context.Context, dsn string) (*Store, error) { return nil, errors.New("not yet") }

// Close closes the database.
func (s *Store) Close() error { return nil }

// Dialect returns "sqlite" or "postgres".
func (s *Store) Dialect() string { return "" }

// A Tx is a transaction. Its methods are in the files of their subjects.
type Tx struct{}

// View runs f in a read-only transaction.
func (s *Store) View(ctx context.Context, f func(*Tx) error) error { return errors.New("not yet") }

// Update runs f in a transaction that writes, and commits if f returns nil. It may run f more than once
// (serialisation failures), so f touches nothing but the database and variables it sets afresh.
func (s *Store) Update(ctx context.Context, f func(*Tx) error) error { return errors.New("not yet") }

// ---- feeds.go

// NewFeed is what AddFeed needs.
type NewFeed struct {
	URL, Title, SiteURL, Folder string
	Added                       time.Time
}

// AddFeed adds a feed that is due at once. Where the feed is there already (same canonical URL), it returns that and ErrExists.
func (tx *Tx) AddFeed(f NewFeed) (feedonce.Feed, error) { panic("not yet") }

// Feed returns a feed, or ErrNotFound.
func (tx *Tx) Feed(id feedonce.FeedID) (feedonce.Feed, error) { panic("not yet") }

// FeedByURL returns the feed polled at a URL (compared by canonical key), or ErrNotFound.
func (tx *Tx) FeedByURL(url string) (feedonce.Feed, error) { panic("not yet") }

// Feeds returns all feeds, by folder and name.
func (tx *Tx) Feeds() ([]feedonce.Feed, error) { panic("not yet") }

// RemoveFeed removes a feed with its entries, keys and decisions, or returns ErrNotFound.
func (tx *Tx) RemoveFeed(id feedonce.FeedID) error { panic("not yet") }

// SetFeedState pauses, resumes or ends polling.
func (tx *Tx) SetFeedState(id feedonce.FeedID, state feedonce.FeedState) error { panic("not yet") }

// MoveFeed changes where a feed is polled. ErrExists if another feed is polled there.
func (tx *Tx) MoveFeed(id feedonce.FeedID, url string) error { panic("not yet") }

// SetMoved records a permanent redirect seen n polls in a row (to "" and 0: none).
func (tx *Tx) SetMoved(id feedonce.FeedID, to string, n int) error { panic("not yet") }

// ---- schedule.go

// A Claim is the right to poll a feed until the lease ends, with what is needed to do so.
type Claim struct {
	Feed         feedonce.Feed
	Fence        int64 // to be handed to Apply and Failed
	ETag         string
	LastModified string
	BodyHash     []byte // of the last document
}

// Claim takes up to limit feeds that are due, in one statement: it moves their next poll forward by their interval
// (Interval, but at least Floor, stretched by how long the feed has had nothing new: a tenth of the time since LastNew,
// at most 24 h), sets LastPoll, takes the lease and counts the fence up. Feeds that are leased are passed over, as are
// feeds that another transaction is claiming (PostgreSQL: for update skip locked). After an unchanged poll nothing else
// need be written.
func (tx *Tx) Claim(now time.Time, limit int, lease time.Duration) ([]Claim, error) { panic("not yet") }

// ClaimFeed claims one feed for a manual poll, due or not, leased or not. It moves the schedule as Claim does, but
// leaves lease and fence alone: it runs beside a worker, and Apply's compare-and-swap keeps the two apart.
func (tx *Tx) ClaimFeed(now time.Time, id feedonce.FeedID) (Claim, error) { panic("not yet") }

// NextDue returns when the next feed is due; zero where there is none.
func (tx *Tx) NextDue() (time.Time, error) { panic("not yet") }

// SetSchedule corrects a schedule after a poll that taught something: a zero NextPoll leaves what Claim set.
func (tx *Tx) SetSchedule(id feedonce.FeedID, s feedonce.Schedule) error { panic("not yet") }

// Failed records a failed poll in words, the number of failures in a row, and when to try again. ErrFenced if the lease was lost.
func (tx *Tx) Failed(id feedonce.FeedID, fence int64, at time.Time, reason string, next time.Time) error {
	panic("not yet")
}

// Recovered clears the error of a feed that could be read again though nothing changed.
func (tx *Tx) Recovered(id feedonce.FeedID) error { panic("not yet") }

// ---- documents.go: what ingest reads and writes

// FeedDoc is what the store remembers of a feed's last document.
type FeedDoc struct {
	Seq          int64 // the document's number; Apply counts it up by compare-and-swap
	State        []byte
	ETag         string
	LastModified string
	BodyHash     []byte
}

// FeedDoc returns it, or ErrNotFound where the feed is gone.
func (tx *Tx) FeedDoc(id feedonce.FeedID) (FeedDoc, error) { panic("not yet") }

// Known answers a query in one statement.
func (tx *Tx) Known(id feedonce.FeedID, q dedup.Query) (*dedup.Known, error) { panic("not yet") }

// Ingest is one decided document, to be stored whole.
type Ingest struct {
	Feed  feedonce.FeedID
	Seq   int64 // FeedDoc.Seq it was decided on
	Fence int64
	At    time.Time
	// The feed as the document says; empty strings leave what is known.
	Title, SiteURL, Format, Warning string
	// Validators and body hash of the document.
	ETag, LastModified string
	BodyHash           []byte
	Result             *dedup.Result // Apply binds it
	Items              []IngestItem  // for each item what Decide does not need but the entry keeps
}

// IngestItem are the fields of an entry that play no part in deciding.
type IngestItem struct {
	Categories []string
}

// Apply stores a decided document in the transaction: compare-and-swap of the document number (ErrConflict where it
// moved: read and decide again), check of the fence (ErrFenced), entries, versions, keys, marks, decisions, validators,
// state, hourly counts, and clears the feed's error. A violated unique constraint is a lost race: ErrConflict.
// It binds in.Result to the stored IDs.
func (tx *Tx) Apply(in Ingest) error { panic("not yet") }

// AddCounts adds to the hourly counters of feeds, for polls in which nothing changed.
func (tx *Tx) AddCounts(hour time.Time, counts map[feedonce.FeedID]feedonce.Counts) error {
	panic("not yet")
}

// ---- entries.go

// EntryFilter selects entries, newest first (by Entry.Time, then ID).
type EntryFilter struct {
	Feed   feedonce.FeedID // 0: all
	Words  string          // all of these words in the title; "" is no filter
	Limit  int             // default 50
	Before Cursor          // entries after this one in the list; zero is the start
}

// A Cursor is a place in a list, from a former page.
type Cursor struct {
	Time time.Time
	ID   int64
}

// Entries returns entries without Content and Summary.
func (tx *Tx) Entries(f EntryFilter) ([]feedonce.Entry, error) { panic("not yet") }

// Entry returns an entry with its texts, or ErrNotFound.
func (tx *Tx) Entry(id feedonce.EntryID) (feedonce.Entry, error) { panic("not yet") }

// FindEntries returns the entries that have this URL (by canonical link mark), guid, or ID in decimal.
func (tx *Tx) FindEntries(what string) ([]feedonce.Entry, error) { panic("not yet") }

// EntryCount returns the number of entries of a feed (0: of all).
func (tx *Tx) EntryCount(id feedonce.FeedID) (int64, error) { panic("not yet") }

// Versions returns the earlier versions of an entry, latest first.
func (tx *Tx) Versions(id feedonce.EntryID) ([]feedonce.Version, error) { panic("not yet") }

// Keys returns the identities an entry is known by.
func (tx *Tx) Keys(id feedonce.EntryID) ([]dedup.Key, error) { panic("not yet") }

// ---- decisions.go

// DecisionFilter selects decisions, latest first.
type DecisionFilter struct {
	Feed     feedonce.FeedID
	Entry    feedonce.EntryID
	Outcomes []string // empty: all
	Rule     string
	Words    string // guid, URL, or words of the title of the arrival
	Limit    int    // default 50
	Before   int64  // decisions with a smaller ID
}

// Decisions returns decisions.
func (tx *Tx) Decisions(f DecisionFilter) ([]feedonce.Decision, error) { panic("not yet") }

// FeedCounts returns the arrivals of each feed by outcome since a time, from the hourly counters.
func (tx *Tx) FeedCounts(since time.Time) (map[feedonce.FeedID]feedonce.Counts, error) {
	panic("not yet")
}
