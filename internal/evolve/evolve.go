// Package evolve simulates publishers that misbehave, and measures who is fooled by them.
//
// A Publisher writes articles, edits them, moves them, and serves them over and over in the manner of its Archetype:
// one that gives an article a new guid whenever it is edited, one that serves every item twice, one that moves to
// another system in the middle of the run. Most archetypes have one fault, some are faultless but hard (a weather
// report that differs in a number), and the chaos archetype combines faults at random. On top of that lies what
// happens to documents on their way: other orders, cut-off documents, caches that serve yesterday's.
//
// What reaches a reader is a Document: items as published, and beside them their Origins, the truth that no Strategy
// ever sees: which article an item is, and in which version. A Strategy answers for each item whether it is new, and
// a Ledger and a Score compare that with the truth.
//
// Everything follows from a seed: a feed is determined by seed, archetype and number, whatever runs beside it.
package evolve

import (
	"math/rand/v2"
	"time"

	"feedonce/dedup"
)

// A Document is one version of a feed as it reaches the reader, with the truth about it.
type Document struct {
	dedup.Document
	Origins []Origin // of Items, by index
}

// An Origin is the truth about an item.
type Origin struct {
	Article int // numbers the articles of a feed: 1, 2, 3, …
	Version int // counts changes of the article's text; 0 is the first version
	Moves   int // counts changes of its link or enclosure: nothing a reader must store as an update, but may
	// Face tells renderings of the same version apart that differ in what a reader is right to store: a headline
	// under test, text instead of markup. Differences that should be looked through (counters, trackers) have no
	// face of their own.
	Face string
	// Short says that the item carries less text than the article has, so that it may not show its version.
	Short bool
}

// An Item is one rendering of an article.
type Item struct {
	dedup.Item
	Origin
	Pos int // place in the list before it was put in another order
}

// An Article is what a publisher's system knows of an article now.
type Article struct {
	ID      int
	Version int
	Moves   int

	N          int // the number the publisher's system gave it
	Title      string
	Paras      []string // text, a paragraph each
	Head, Tail string   // markup before and after the paragraphs
	Author     string
	Lang       string
	GUID, Link string
	Slug       string // last part of the link, where it has words
	Enclosures []dedup.Enclosure
	Published  time.Time // zero for none
	Updated    time.Time // zero for none

	tags map[string]string // whatever an archetype has to remember
	past []string          // paragraphs it once had
}

// Tag returns what SetTag remembered under key, or "".
func (a *Article) Tag(key string) string { return a.tags[key] }

// SetTag remembers value under key.
func (a *Article) SetTag(key, value string) {
	if a.tags == nil {
		a.tags = map[string]string{}
	}
	a.tags[key] = value
}

// revised counts a change of the article's text.
func (a *Article) revised(at time.Time) {
	a.Version++
	if !a.Published.IsZero() {
		a.Updated = at
	}
}

// A Family groups archetypes by where their fault lies.
type Family string

// The families, in the order of reports.
const (
	Sound     Family = "well-behaved"
	GUIDs     Family = "guid faults"
	Links     Family = "link faults"
	Dates     Family = "date faults"
	Migrating Family = "migrations"
	Noise     Family = "noise"
	Memories  Family = "memory"
	Histories Family = "seen in real histories"
	Random    Family = "chaos"
)

// An Archetype is one manner of publishing. Its functions are called with the publisher that publishes so; those that
// are nil do nothing.
type Archetype struct {
	Name   string // for tables and -only: lower case, hyphens
	Family Family
	About  string // one sentence

	Compose func(*Publisher, *Article)             // writes a new article, which has ID, N, Lang, Author and Published
	Revise  func(*Publisher, *Article)             // what else happens when the text of an article is edited
	Tick    func(*Publisher)                       // what happens before each poll
	Upheave func(*Publisher)                       // what happens once, in the middle of the run
	Render  func(*Publisher, *Article, *Item)      // what is special about one rendering of an article
	Arrange func(*Publisher, []Item) []Item        // what is special about one rendering of the document
	Push    func(*Publisher, *Article, *Item)      // how new articles look when pushed; nil: as usual, and rarely
	Differ  func(*Publisher, *Article) (id string) // what tells two articles apart; nil: all they have

	Pace    Pace
	Every   time.Duration // from poll to poll; 0 is an hour
	Edits   float64       // probability of an edit per poll; 0 is 3 %, negative is none
	Few     bool          // a window of one to five items, as of a feed that only has the latest
	English bool          // only in English, since the archetype's own words are
}

// Pace is how often a publisher has something new.
type Pace int

// The paces.
const (
	Steady Pace = iota // every 6 to 25 hours; in dense runs several an hour
	Daily              // once a day at the same time; in dense runs every six hours
	Busy               // most of the document is new at every poll
	Brisk              // one to three at nearly every poll
)

// start is when the first poll of every run is made: any time serves, as long as it is always the same.
var start = time.Date(2026, time.March, 2, 6, 0, 0, 0, time.UTC)

func source(seed uint64, name string, number int) *rand.Rand {
	h := uint64(14695981039346656037) // FNV-1a
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return rand.New(rand.NewPCG(seed, h+uint64(number)*0x9e3779b97f4a7c15))
}
