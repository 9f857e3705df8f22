package format

import "time"

// A Document is a parsed feed: the same shape for every format.
//
// Strings are valid UTF-8, without NUL, as published but for the white space around titles, names and URLs; nothing
// is sanitised. URLs are resolved against xml:base, the document's own links and the URL it was fetched from.
type Document struct {
	Format      string // "rss 0.91", "rss 1.0", "rss 2.0", "atom 0.3", "atom 1.0", "json feed 1.0", "json feed 1.1"
	Title       string // plain text
	Description string // HTML
	SiteURL     string // the page the feed belongs to
	SelfURL     string // where the feed says it lives
	HubURL      string // WebSub hub
	NewURL      string // where the feed says it moved (itunes:new-feed-url)
	Generator   string
	Lang        string
	Updated     Date
	// TTL is how long the publisher asks to wait between polls; 0 where it does not say.
	// SkipHours are hours of the day (0-23, UTC), SkipDays week days on which it asks not to be polled.
	TTL       time.Duration
	SkipHours []int
	SkipDays  []time.Weekday
	// Partial says that the document was cut off, and where; "" when it is whole. Items after the cut are missing,
	// so what is absent proves nothing.
	Partial string
	// Warnings are faults that did not prevent reading, in words, without repetition.
	Warnings []string
	Items    []Item
	// Dropped counts items beyond the limit; they are counted, not parsed.
	Dropped int
}

// An Item is one item or entry.
type Item struct {
	GUID       string // RSS guid, Atom id, rdf:about, JSON Feed id: white space trimmed, else as published
	Permalink  bool   // the guid is declared, or by the format's default taken, to be the item's page
	Link       string // the page: the best of Links with rel=alternate, RSS link, JSON Feed url; "" if none
	OrigLink   string // feedburner:origLink, or the like
	Links      []Link // every link relation, in order
	Title      string // plain text: tags stripped, entities decoded
	Summary    string // HTML
	Content    string // HTML
	Author     string // names joined with ", "; those of the feed are not inherited
	Categories []string
	Enclosures []Enclosure // all of them, in order, without repetition
	Published  Date
	Updated    Date
	Comments   string // URL of the comments page
	Source     string // URL of the feed it was copied from (RSS source, atom:source)
	Base       string // what relative URLs in Summary and Content are relative to: xml:base, or the site, or the document
	Lang       string
	// Invalid is why nothing could be made of the item, in words; "" for a good one.
	Invalid string
}

// A Link is a link with its relation.
type Link struct {
	Rel, Href, Type, Title, Lang string
}

// An Enclosure is a file an item links to.
type Enclosure struct {
	URL    string
	Type   string // as published; "image/*" where only that is known
	Length int64  // bytes as published; 0 is unknown
}

// A Date is a date as published and what it means.
type Date struct {
	Time time.Time // UTC; zero where Text is empty or cannot be read
	Text string    // as published
}
