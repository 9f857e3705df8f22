package store

import (
	"time"

	"feedonce"
	"feedonce/dedup"
)

// A Story is the same article in several feeds. It is a view: every member stays in its feed.
type Story struct {
	ID      int64
	At      time.Time // when its second article came
	Changed time.Time // when the last one joined
	Lead    int       // index in Members of the one to show first
	Members []StoryMember
}

// A StoryMember is an entry in a story, and how it came there.
type StoryMember struct {
	Entry    feedonce.Entry // without Content and Summary
	FeedName string
	About    bool // it only points to the others: shown beside them, and told by itself
	At       time.Time
	Told     bool             // it was told to destinations
	Rule     string           // a dedup.RuleID, whose sentence says why; "" for the article that was there first
	Joined   feedonce.EntryID // the entry it was found to be the same as; 0: none
	Evidence []byte           // JSON of dedup.Evidence; empty: none
}

// Lead says which article of a story leads: of a preferred feed if there is one, else as By says.
type Lead struct {
	By        dedup.Lead
	Preferred []feedonce.FeedID
}
