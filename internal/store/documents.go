package store

import (
	"fmt"
	"time"

	"feedonce"
	"feedonce/dedup"
)

// FeedDoc is what the store remembers of a feed's last document.
type FeedDoc struct {
	Seq          int64  // the document's number; Apply counts it up by compare-and-swap
	State        []byte // what dedup.State.MarshalBinary gave; nil for a feed never read
	ETag         string
	LastModified string
	BodyHash     []byte
	Policy       string // of the feed, JSON of dedup.Policy: to be read with what it rules
	Restored     bool   // the database was restored from a backup since: what the next document brings is told to nobody
}

const feedDoc = `select d.seq, s.state, d.etag, d.last_modified, d.body_hash, f.policy, d.restored
	from feed_docs d join feeds f on f.id = d.feed_id left join feed_states s on s.feed_id = d.feed_id where d.feed_id = $1`

// FeedDoc returns it, or ErrNotFound where the feed is gone.
func (tx *Tx) FeedDoc(id feedonce.FeedID) (FeedDoc, error) {
	var d FeedDoc
	err := tx.QueryRow(feedDoc, id).Scan(&d.Seq, &d.State, &d.ETag, &d.LastModified, &d.BodyHash, &d.Policy, flag{&d.Restored})
	return d, found(err, "document of feed %d", id)
}

// Touch records validators and body hash of a document that differs from the last in nothing that counts: one row, and
// none where they are the same. Where the document's number has moved on from seq, what it says is old, and it is ignored.
func (tx *Tx) Touch(id feedonce.FeedID, seq int64, etag, lastModified string, bodyHash []byte) error {
	_, err := tx.Exec(`update feed_docs set etag = $3, last_modified = $4, body_hash = $5
		where feed_id = $1 and seq = $2 and (etag <> $3 or last_modified <> $4 or body_hash is distinct from $5)`,
		id, seq, etag, lastModified, bodyHash)
	if err != nil {
		return fmt.Errorf("record validators of feed %d: %w", id, err)
	}
	return nil
}

// Ingest is one decided document, to be stored whole.
type Ingest struct {
	Feed  feedonce.FeedID
	Seq   int64 // FeedDoc.Seq it was decided on
	Fence int64 // of the claim; 0 where there is no lease, and only the compare-and-swap counts
	At    time.Time
	// The feed as the document says; empty strings leave what is known, but for Warning.
	Title, SiteURL, Format, Warning string
	// Validators and body hash of the document.
	ETag, LastModified string
	BodyHash           []byte
	Result             *dedup.Result // Apply binds it
	Items              []IngestItem  // one for each item of the document, in its order
	// Settle, if set, runs when the new entries are stored and bound, and before the decisions are: it may change whether
	// they are told.
	Settle func(*Tx) error
	// Last, if set, runs when all of a document is stored that made or changed entries; revisions are those that the entries
	// it wrote have now.
	Last func(tx *Tx, revisions map[feedonce.EntryID]int) error
}

// IngestItem is an item of the document, with the fields of an entry that play no part in deciding.
type IngestItem struct {
	Item       dedup.Item // as it was decided: what a decision keeps of an arrival that is suppressed
	Title      string     // plain text; "" takes Item.Title with its white space collapsed
	Categories []string
	// Identity is the first identity key of an item that is held: two arrivals with the same one are one question.
	Identity dedup.Hash
}
