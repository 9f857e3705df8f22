package ingest

import (
	"encoding/binary"
	"fmt"
	"os"
	"sync"

	"feedonce"
)

// A Journal names the feeds whose documents are being read, in a small file, so that a document that ends the whole
// process (a stack or memory overflow cannot be recovered from in Go) is found out after the restart and does not end
// it again and again.
//
// Entering and leaving cost one write of 16 bytes each into the page cache, without sync and without the database:
// what must be survived is the end of the process, not of the machine. A feed that is named when the process ends has
// a strike; killing the process gives strikes as well, so one alone means nothing, and a document that is read to the
// end takes them all back. See Strikes.
//
// Each process has a file of its own. A Journal is safe for concurrent use; a nil one does nothing.
type Journal struct {
	file  *os.File
	mu    sync.Mutex
	slots []slot
	busy  map[feedonce.FeedID]int // running readers by feed
}

type slot struct {
	feed    feedonce.FeedID // 0 is a free slot
	strikes uint32
	running uint32 // 1 while a document of the feed is being read
}

// MaxStrikes is how many times in a row the process may end while a document of the same feed is being read, before
// the feed is left alone.
const MaxStrikes = 3

const slotSize = 16

// maxJournals is how many processes may share a path.
const maxJournals = 64

// OpenJournal opens the journal at path, or at path.1, path.2, … where other processes have those before it open, and
// gives every feed that was being read when its last user ended one strike.
func OpenJournal(path string) (*Journal, error) {
	for n := range maxJournals {
		name := path
		if n > 0 {
			name = fmt.Sprintf("%s.%d", path, n)
		}
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, fmt.Errorf("journal of documents being read: %w", err)
		}
		if !lock(f) {
			f.Close()
			continue
		}
		j := &Journal{file: f, busy: map[feedonce.FeedID]int{}}
		if err := j.load(); err != nil {
			f.Close()
			return nil, fmt.Errorf("journal of documents being read, %s: %w", name, err)
		}
		return j, nil
	}
	return nil, fmt.Errorf("journal of documents being read: %s and %d more like it are in use", path, maxJournals-1)
}

func (j *Journal) load() error {
	info, err := j.file.Stat()
	if err != nil {
		return err
	}
	data := make([]byte, min(info.Size(), 1<<20)/slotSize*slotSize)
	if _, err := j.file.ReadAt(data, 0); err != nil {
		return err
	}
	for ; len(data) > 0; data = data[slotSize:] {
		s := slot{
			feed:    feedonce.FeedID(binary.LittleEndian.Uint64(data)),
			strikes: binary.LittleEndian.Uint32(data[8:]),
			running: binary.LittleEndian.Uint32(data[12:]),
		}
		if s.feed > 0 {
			s.strikes += s.running
			s.running = 0
			j.slots = append(j.slots, s)
		}
	}
	if err := j.file.Truncate(0); err != nil {
		return err
	}
	for i := range j.slots {
		if err := j.write(i); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the file. Feeds being read keep their names in it.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	return j.file.Close()
}

// Strikes returns how many times in a row the process ended while a document of the feed was being read.
func (j *Journal) Strikes(id feedonce.FeedID) int {
	if j == nil {
		return 0
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if i := j.find(id); i >= 0 {
		return int(j.slots[i].strikes)
	}
	return 0
}

// Forgive takes back one strike, so that a feed that a person resumes has one more try.
func (j *Journal) Forgive(id feedonce.FeedID) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	i := j.find(id)
	if i < 0 || j.slots[i].strikes == 0 {
		return nil
	}
	j.slots[i].strikes--
	return j.write(i)
}

// enter names the feed until the function it returns is called. The error of the file is of no use to the reader of a
// document, who can go on without: it is returned for the log.
func (j *Journal) enter(id feedonce.FeedID) (leave func(), err error) {
	if j == nil {
		return func() {}, nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.busy[id]++; j.busy[id] == 1 {
		i := j.find(id)
		if i < 0 {
			if i = j.find(0); i < 0 {
				i = len(j.slots)
				j.slots = append(j.slots, slot{})
			}
			j.slots[i].feed = id
		}
		j.slots[i].running = 1
		err = j.write(i)
	}
	return func() { j.leave(id) }, err
}

func (j *Journal) leave(id feedonce.FeedID) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.busy[id]--; j.busy[id] > 0 {
		return
	}
	delete(j.busy, id)
	if i := j.find(id); i >= 0 {
		j.slots[i] = slot{}
		// A name that stays because the disk is full costs at most one strike.
		_ = j.write(i)
	}
}

// find returns the slot of a feed, or -1. There are hardly more slots than processors.
func (j *Journal) find(id feedonce.FeedID) int {
	for i := range j.slots {
		if j.slots[i].feed == id {
			return i
		}
	}
	return -1
}

func (j *Journal) write(i int) error {
	var b [slotSize]byte
	binary.LittleEndian.PutUint64(b[:], uint64(j.slots[i].feed))
	binary.LittleEndian.PutUint32(b[8:], j.slots[i].strikes)
	binary.LittleEndian.PutUint32(b[12:], j.slots[i].running)
	_, err := j.file.WriteAt(b[:], int64(i)*slotSize)
	return err
}
