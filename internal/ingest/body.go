package ingest

import (
	"encoding/binary"
	"sync"

	"github.com/zeebo/xxh3"

	"feedonce"
	"feedonce/dedup"
)

// reading counts up whenever the same bytes may be read as different items than before, so that a new version of the
// program reads documents again that did not change.
const reading = 1

// BodyHash returns the 16 bytes by which a document is known again: of its bytes, of what else decides how they are
// read (declared type, URL, limit of items), and of the version of the reading. It is no defence against a publisher
// who wants two documents to look the same: he could serve one of them just as well.
func (in *Ingester) BodyHash(f Fetched) []byte {
	h := xxh3.NewSeed(reading)
	var head [24]byte
	binary.LittleEndian.PutUint64(head[:], uint64(in.MaxItems))
	binary.LittleEndian.PutUint64(head[8:], uint64(len(f.ContentType)))
	binary.LittleEndian.PutUint64(head[16:], uint64(len(f.URL)))
	h.Write(head[:])
	h.WriteString(f.ContentType)
	h.WriteString(f.URL)
	h.Write(f.Body)
	sum := h.Sum128().Bytes()
	return sum[:]
}

// recent remembers of every feed the last document that was not worth a row. It makes two things cheap that happen
// all day: counting the items of a document that came a second time, and leaving alone the row of a feed whose
// validators or bytes differ at every poll though its articles do not.
//
// It is a cache: empty after a start, and emptied when it is full.
type recent struct {
	mu    sync.Mutex
	feeds map[feedonce.FeedID]seen
}

type seen struct {
	body      uint64 // of the document's hash
	items     int    // its items
	candidate uint64 // validators and hash seen once, not stored
	wrote     bool   // validators were stored once without any article having changed
}

// maxRecent bounds the memory to some 60 MB.
const maxRecent = 1 << 20

func (r *recent) change(id feedonce.FeedID, f func(*seen)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.feeds == nil || len(r.feeds) >= maxRecent {
		r.feeds = map[feedonce.FeedID]seen{}
	}
	s := r.feeds[id]
	f(&s)
	r.feeds[id] = s
}

// document notes how many items a document has.
func (r *recent) document(id feedonce.FeedID, hash []byte, items int) {
	r.change(id, func(s *seen) { s.body, s.items = xxh3.Hash(hash), items })
}

// items returns how many items the document with this hash has, where it was the last one seen.
func (r *recent) items(id feedonce.FeedID, hash []byte) (int, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.feeds[id]
	return s.items, ok && s.body == xxh3.Hash(hash)
}

// stored notes that a document was stored with its validators: what comes next is compared with that.
func (r *recent) stored(id feedonce.FeedID) {
	r.change(id, func(s *seen) { s.candidate, s.wrote = 0, false })
}

// worth reports whether validators and hash of a document whose articles are all unchanged should be stored.
//
// New validators are stored at first sight, so that the next poll can be answered with 304; but once only between
// two documents that change something, for there are servers that make up an ETag for every answer. After that, and
// for bytes without validators (a lastBuildDate that is always now), a row is written when the same came twice.
func (r *recent) worth(f Fetched, hash []byte, validators bool) bool {
	h := xxh3.New()
	h.WriteString(f.ETag)
	h.WriteString("\x00")
	h.WriteString(f.LastModified)
	h.WriteString("\x00")
	h.Write(hash)
	now := h.Sum64()
	write := false
	r.change(f.Feed, func(s *seen) {
		switch {
		case s.candidate == now:
			write = true
			s.candidate = 0
		case validators && !s.wrote:
			write = true
			s.wrote = true
		default:
			s.candidate = now
		}
	})
	return write
}

// manifest counts the items of the document that a stored state describes; 0 where it cannot be read.
func manifest(state []byte) int {
	var s dedup.State
	if s.UnmarshalBinary(state) != nil {
		return 0
	}
	return len(s.Manifest)
}
