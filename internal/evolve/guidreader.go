package evolve

import "feedonce/dedup"

// What most feed readers do: an item is what its guid says, or a second look at its link or title.

// guidReader identifies an item by its guid, else its link, else its title and content, as Miniflux does, and maybe
// by one more field.
type guidReader struct {
	name  string
	or    func(*dedup.Item) string // a second identity: an item that has it is a duplicate; nil for none
	and   func(*dedup.Item) string // added to the identity; nil for none
	feeds map[int]*guidFeed
}

// NewGUIDOnly returns the strategy of Miniflux: guid, else link, else title and content.
func NewGUIDOnly() Strategy { return newGUIDReader("guid only", nil, nil) }

// NewGUIDOrLink returns a strategy for which an item with a known link is a duplicate.
func NewGUIDOrLink() Strategy { return newGUIDReader("guid or link", itemLink, nil) }

// NewGUIDOrTitle returns what the article of Method 3 says DevNews did before: guid and title matching.
func NewGUIDOrTitle() Strategy { return newGUIDReader("guid or title", itemTitle, nil) }

// NewGUIDAndTitle returns a strategy for which guid and title together identify an item.
func NewGUIDAndTitle() Strategy { return newGUIDReader("guid and title", nil, itemTitle) }

func itemLink(it *dedup.Item) string  { return it.URL }
func itemTitle(it *dedup.Item) string { return it.Title }

func newGUIDReader(name string, or, and func(*dedup.Item) string) Strategy {
	return &guidReader{name: name, or: or, and: and, feeds: map[int]*guidFeed{}}
}

// guidFeed is what a guidReader remembers of one feed.
type guidFeed struct {
	byID   map[string]*row
	second map[string]*row
	last   int64
}

// row is an entry as these strategies store it.
type row struct {
	id                                       int64
	title, content, summary, author, url     string
	enclosureURL, enclosureType, contentHash string
}

func rowOf(it *dedup.Item) row {
	r := row{title: it.Title, content: it.Content, summary: it.Summary, author: it.Author, url: it.URL}
	if len(it.Enclosures) > 0 {
		r.enclosureURL, r.enclosureType = it.Enclosures[0].URL, it.Enclosures[0].Type
	}
	return r
}

// same reports whether all fields that are tracked are equal.
func (r row) same(s row) bool {
	r.id, r.contentHash = s.id, s.contentHash
	return r == s
}

func (s *guidReader) Name() string { return s.name }

func (s *guidReader) Document(feed int, doc *dedup.Document) []Answer {
	f := s.feeds[feed]
	if f == nil {
		f = &guidFeed{byID: map[string]*row{}, second: map[string]*row{}}
		s.feeds[feed] = f
	}
	answers := make([]Answer, len(doc.Items))
	for i := range doc.Items {
		answers[i] = s.item(f, &doc.Items[i])
	}
	return answers
}

func (s *guidReader) item(f *guidFeed, it *dedup.Item) Answer {
	id := it.GUID
	if id == "" {
		id = it.URL
	}
	if id == "" {
		id = it.Title + it.Content
	}
	if s.and != nil {
		id += "\x00" + s.and(it)
	}
	now := rowOf(it)
	if have := f.byID[id]; have != nil {
		if have.same(now) {
			return Answer{Outcome: dedup.Unchanged, Entry: have.id, Rule: "identity"}
		}
		now.id = have.id
		*have = now
		return Answer{Outcome: dedup.Updated, Entry: have.id, Rule: "identity"}
	}
	second := ""
	if s.or != nil {
		second = s.or(it)
	}
	if have := f.second[second]; have != nil && second != "" {
		return Answer{Outcome: dedup.Duplicate, Entry: have.id, Rule: "second identity"}
	}
	f.last++
	now.id = f.last
	f.byID[id], f.second[second] = &now, &now
	return Answer{Outcome: dedup.New, Entry: now.id, Rule: "none", Tell: true}
}
