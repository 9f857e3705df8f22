package dedup

import "time"

// A Document is one fetched version of a feed, as parsed: what Decide judges, as a whole.
type Document struct {
	// Fetched is when the document was received. It is the only clock Decide knows.
	Fetched time.Time `json:"fetched"`
	// Site is the feed's own site or, where the document names none, the feed's URL. It only helps to tell the
	// feed's own links from links to elsewhere.
	Site string `json:"site,omitempty"`
	// Generator is the software the document says it was made with.
	Generator string `json:"generator,omitempty"`
	// Partial says that the document was cut off and salvaged: what is absent from it proves nothing.
	Partial bool `json:"partial,omitempty"`
	// Items in document order.
	Items []Item `json:"items"`
}

// An Item is one item (RSS, JSON Feed) or entry (Atom) of a document, as published: texts are untrusted HTML,
// nothing is trimmed or folded, and an empty field is an absent one.
type Item struct {
	GUID      string `json:"guid,omitempty"`      // RSS guid, Atom id, rdf:about, JSON Feed id
	Permalink bool   `json:"permalink,omitempty"` // the guid may be the item's page: RSS isPermaLink is not "false"
	URL       string `json:"url,omitempty"`       // the item's page: link rel=alternate, absolute
	OrigURL   string `json:"origUrl,omitempty"`   // feedburner:origLink and its like: the page before a proxy
	Title     string `json:"title,omitempty"`
	Content   string `json:"content,omitempty"`
	Summary   string `json:"summary,omitempty"`
	Author    string `json:"author,omitempty"`
	Lang      string `json:"lang,omitempty"` // as declared for the item or its document
	// Published and Updated are zero where absent or unreadable.
	Published  time.Time   `json:"published,omitzero"`
	Updated    time.Time   `json:"updated,omitzero"`
	Enclosures []Enclosure `json:"enclosures,omitempty"`
	// Invalid is the parser's reason why nothing could be made of this item; it is then decided Invalid.
	Invalid string `json:"invalid,omitempty"`
}

// An Enclosure is a file an item links to.
type Enclosure struct {
	URL    string `json:"url"`
	Type   string `json:"type,omitempty"`
	Length int64  `json:"length,omitempty"`
}
