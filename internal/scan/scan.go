// Package scan is the front of every parser here: it makes clean UTF-8 of a fetched document and cuts it into tokens,
// within bounds.
//
// Decode finds the encoding (byte order mark, HTTP header, XML declaration, then the bytes themselves, which are
// believed over any label) and removes what no text may contain. A Tokenizer then reads XML as it is found on the web:
// one pass over the bytes, no recursion, no reflection, no copy but for what entities change, with the byte offset of
// everything. It accepts what publishers really send (unquoted attributes, stray ampersands, HTML entities, text that
// stops in the middle) and refuses, with a *LimitError, what no publisher sends: thousands of attributes, millions of
// elements, entities that expand without end. External entities are never loaded.
//
// A limit on bytes is no limit on memory (10 MB of attributes cost encoding/xml 728 MB), so the bounds are enforced
// here, before anything is kept.
package scan

import "fmt"

// A LimitError says which bound a document exceeded.
type LimitError struct {
	What  string // "nesting depth", "attributes of one element"
	Limit int
	Line  int
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("line %d exceeds the limit of %d for %s", e.Line, e.Limit, e.What)
}

// Limits bound a document. They are an order of magnitude above what 4,700 real and odd feeds need.
type Limits struct {
	Depth      int // open elements
	Attributes int // of one element
	Elements   int // start tags of the document
	Tokens     int // of the document, of any kind
	Name       int // bytes of the name of an element, attribute or entity
	Entity     int // bytes one declared entity expands to
	Expansion  int // bytes all uses of declared entities add up to
}

// DefaultLimits are the limits of a Tokenizer.
var DefaultLimits = Limits{
	Depth:      512,
	Attributes: 256,
	Elements:   1_500_000,
	Tokens:     4_000_000,
	Name:       512,
	Entity:     4 << 10,
	Expansion:  1 << 20,
}
