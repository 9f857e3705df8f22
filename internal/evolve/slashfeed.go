package evolve

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"feedonce/dedup"
)

// slashFeed is SlashFeed as its author describes it: a unique index on (feed, guid) whose conflict updates the row
// where one of seven fields is distinct, and a unique index on (feed, content hash) whose violation means duplicate.
type slashFeed struct{ feeds map[int]*slashTable }

// slashTable is the table of entries of one feed, by its two unique indexes.
type slashTable struct {
	byGUID, byHash map[string]*row
	last           int64
}

// NewSlashFeed returns the strategy of SlashFeed.
func NewSlashFeed() Strategy { return &slashFeed{feeds: map[int]*slashTable{}} }

func (s *slashFeed) Name() string { return "SlashFeed" }

func (s *slashFeed) Document(feed int, doc *dedup.Document) []Answer {
	t := s.feeds[feed]
	if t == nil {
		t = &slashTable{byGUID: map[string]*row{}, byHash: map[string]*row{}}
		s.feeds[feed] = t
	}
	answers := make([]Answer, len(doc.Items))
	for i := range doc.Items {
		answers[i] = t.upsert(&doc.Items[i])
	}
	return answers
}

// slashHash is its content hash: title and content trimmed, the URL trimmed and in lower case, joined by pipes.
func slashHash(it *dedup.Item) string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(it.Title) + "|" + strings.TrimSpace(it.Content) + "|" +
		strings.ToLower(strings.TrimSpace(it.URL))))
	return string(sum[:])
}

// upsert is upsert_entry_with_status.
func (t *slashTable) upsert(it *dedup.Item) Answer {
	guid := it.GUID
	if guid == "" && it.URL != "" { // the parser makes one from a hash of the URL
		sum := sha256.Sum256([]byte(it.URL))
		guid = hex.EncodeToString(sum[:])
	}
	if guid == "" {
		return Answer{Outcome: dedup.Invalid, Rule: "guid required"}
	}
	now := rowOf(it)
	now.contentHash = slashHash(it)
	have := t.byGUID[guid]
	if have != nil && have.same(now) { // is distinct from: false, StaleEntryError
		return Answer{Outcome: dedup.Unchanged, Entry: have.id, Rule: "not distinct"}
	}
	if other := t.byHash[now.contentHash]; other != nil && other != have { // the second index is violated
		return Answer{Outcome: dedup.Duplicate, Entry: other.id, Rule: "content hash"}
	}
	if have != nil {
		delete(t.byHash, have.contentHash)
		now.id = have.id
		*have = now
		t.byHash[now.contentHash] = have
		return Answer{Outcome: dedup.Updated, Entry: have.id, Rule: "distinct"}
	}
	t.last++
	now.id = t.last
	t.byGUID[guid], t.byHash[now.contentHash] = &now, &now
	return Answer{Outcome: dedup.New, Entry: now.id, Rule: "insert", Tell: true}
}
