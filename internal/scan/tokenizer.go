package scan

import (
	"bytes"
	"io"
)

// Kind is what a Token is.
type Kind uint8

// The kinds of tokens.
const (
	StartTag Kind = iota + 1
	EndTag
	TextToken // character data, references not decoded
	CDATA     // the inside of a CDATA section
	Comment
	Instruction // processing instruction, including the XML declaration
	Doctype
)

// A Token is a piece of a document. Its slices alias the document, and Attrs is valid until the next token.
type Token struct {
	Kind       Kind
	Name       []byte // of tags, as written, with prefix
	Data       []byte // what is inside, for what is no tag
	Attrs      []Attr
	SelfClosed bool // <name/>
	Start, End int  // byte offsets in the document; End is behind the token
}

// An Attr is an attribute as written: references in Value are not decoded.
type Attr struct {
	Name, Value []byte
}

// A Tokenizer cuts a document into tokens. It never fails on bad markup: what is no markup is text.
type Tokenizer struct {
	Entities Entities // with those declared in the document type declaration

	doc      []byte
	pos      int
	limits   Limits
	attrs    []Attr
	tokens   int
	elements int
	noQuote  [2]bool // no closing " or ' is left in the rest of the document
	cut      int     // where the token starts that the end of the document cuts; -1 is none
	repeated int     // offset of the first repeated attribute; -1 is none
}

// NewTokenizer returns a tokenizer of clean UTF-8 (see Decode).
func NewTokenizer(doc []byte, limits Limits) *Tokenizer {
	return &Tokenizer{doc: doc, limits: limits, cut: -1, repeated: -1, Entities: Entities{limit: limits.Expansion}}
}

// Next reads the next token. It returns io.EOF at the end, or a *LimitError.
func (t *Tokenizer) Next(tok *Token) error {
	start := t.pos
	if start >= len(t.doc) {
		return io.EOF
	}
	if t.tokens++; t.tokens > t.limits.Tokens {
		return t.exceeds("tokens", t.limits.Tokens, start)
	}
	*tok = Token{Start: start, Attrs: nil}
	if t.doc[start] == '<' {
		ok, err := t.markup(tok)
		if err != nil {
			return err
		}
		if ok {
			tok.End = t.pos
			return nil
		}
		start++ // a "<" that begins nothing is text
	}
	end := bytes.IndexByte(t.doc[start:], '<')
	if end < 0 {
		t.pos = len(t.doc)
	} else {
		t.pos = start + end
	}
	tok.Kind, tok.Data, tok.End = TextToken, t.doc[tok.Start:t.pos], t.pos
	return nil
}

// AppendText appends raw character data or an attribute's value, decoded with the entities of the document.
func (t *Tokenizer) AppendText(dst, raw []byte) ([]byte, error) {
	dst, err := t.Entities.AppendText(dst, raw)
	if e, ok := err.(*LimitError); ok {
		e.Line = t.Line(t.pos)
	}
	return dst, err
}

// Offset returns where the next token starts.
func (t *Tokenizer) Offset() int { return t.pos }

// Cut returns the offset of the token that the end of the document cuts in two, and whether there is one.
// It is known after Next returned io.EOF.
func (t *Tokenizer) Cut() (offset int, ok bool) { return t.cut, t.cut >= 0 }

// RepeatedAttribute returns the offset of the first element that has an attribute twice, and whether there is one.
func (t *Tokenizer) RepeatedAttribute() (offset int, ok bool) { return t.repeated, t.repeated >= 0 }

// Line returns the line of an offset, from 1. It counts, so it is for messages only.
func (t *Tokenizer) Line(offset int) int {
	return 1 + bytes.Count(t.doc[:min(offset, len(t.doc))], []byte{'\n'})
}

// CheckDepth returns a *LimitError if that many elements may not be open at offset.
func (t *Tokenizer) CheckDepth(open, offset int) error {
	if open > t.limits.Depth {
		return t.exceeds("nesting depth", t.limits.Depth, offset)
	}
	return nil
}

func (t *Tokenizer) exceeds(what string, limit, offset int) error {
	return &LimitError{What: what, Limit: limit, Line: t.Line(offset)}
}

// markup reads what starts with "<". It reports false, and does not move, if that is no markup.
func (t *Tokenizer) markup(tok *Token) (bool, error) {
	rest := t.doc[t.pos:]
	if len(rest) < 2 {
		return t.truncated(tok, TextToken), nil
	}
	switch c := rest[1]; {
	case c == '!':
		return t.declaration(tok, rest)
	case c == '?':
		return t.instruction(tok, rest), nil
	case c == '/':
		return t.endTag(tok, rest)
	case nameStart(c):
		return t.startTag(tok)
	}
	return false, nil
}

// truncated ends the document with a token that lacks its end. Half a tag is dropped.
func (t *Tokenizer) truncated(tok *Token, kind Kind) bool {
	t.cut = t.pos
	tok.Kind = kind
	t.pos = len(t.doc)
	return true
}

func (t *Tokenizer) instruction(tok *Token, rest []byte) bool {
	end := bytes.IndexByte(rest, '>')
	if end < 0 {
		return t.truncated(tok, Instruction)
	}
	if rest[end-1] != '?' || end < 3 {
		// A ">" inside, or the "?" was forgotten: then the next "<" comes before any "?>".
		if n := bytes.Index(rest[2:min(len(rest), 2+1024)], []byte("?>")); n >= 0 && bytes.IndexByte(rest[2:2+n], '<') < 0 {
			end = 2 + n + 1
		}
	}
	tok.Kind, tok.Data = Instruction, bytes.TrimSuffix(rest[2:max(end, 2)], []byte("?"))
	t.pos += end + 1
	return true
}

func (t *Tokenizer) declaration(tok *Token, rest []byte) (bool, error) {
	switch {
	case bytes.HasPrefix(rest, []byte("<!--")):
		tok.Kind = Comment
		n := bytes.Index(rest[4:], []byte("-->"))
		if n < 0 {
			return t.truncated(tok, Comment), nil
		}
		tok.Data = rest[4 : 4+n]
		t.pos += 4 + n + 3
	case len(rest) >= 9 && bytes.EqualFold(rest[:9], []byte("<![CDATA[")):
		tok.Kind = CDATA
		n := bytes.Index(rest[9:], []byte("]]>"))
		if n < 0 {
			tok.Data = rest[9:]
			return t.truncated(tok, CDATA), nil
		}
		tok.Data = rest[9 : 9+n]
		t.pos += 9 + n + 3
	case len(rest) >= 9 && bytes.EqualFold(rest[:9], []byte("<!DOCTYPE")):
		return t.doctype(tok, rest)
	default:
		n := bytes.IndexByte(rest, '>')
		if n < 0 {
			return t.truncated(tok, Comment), nil
		}
		tok.Kind, tok.Data = Comment, rest[2:n]
		t.pos += n + 1
	}
	return true, nil
}

func (t *Tokenizer) endTag(tok *Token, rest []byte) (bool, error) {
	n := bytes.IndexAny(rest[2:min(len(rest), 2+t.limits.Name)], "<>")
	if n < 0 {
		if len(rest) > t.limits.Name {
			return false, nil
		}
		return t.truncated(tok, EndTag), nil
	}
	name := bytes.TrimSpace(rest[2 : 2+n])
	if i := bytes.IndexAny(name, " \t\r\n"); i >= 0 {
		name = name[:i]
	}
	if len(name) == 0 || !nameStart(name[0]) {
		return false, nil
	}
	tok.Kind, tok.Name = EndTag, name
	t.pos += 2 + n
	if rest[2+n] == '>' { // else the ">" was forgotten
		t.pos++
	}
	return true, nil
}

// startTag reads a start tag with its attributes.
func (t *Tokenizer) startTag(tok *Token) (bool, error) {
	doc, i := t.doc, t.pos+1
	for i < len(doc) && nameByte[doc[i]] {
		i++
	}
	name := doc[t.pos+1 : i]
	if len(name) > t.limits.Name {
		return false, t.exceeds("bytes of a name", t.limits.Name, t.pos)
	}
	t.attrs = t.attrs[:0]
	for {
		for i < len(doc) && space(doc[i]) {
			i++
		}
		if i >= len(doc) {
			return t.truncated(tok, EndTag), nil // no name: closes nothing
		}
		switch c := doc[i]; c {
		case '>':
			tok.Kind, tok.Name, tok.Attrs = StartTag, name, t.attrs
			t.pos = i + 1
			return t.count(tok)
		case '<':
			return false, nil // text with a "<" in it
		case '/':
			if i+1 < len(doc) && doc[i+1] == '>' {
				tok.Kind, tok.Name, tok.Attrs, tok.SelfClosed = StartTag, name, t.attrs, true
				t.pos = i + 2
				return t.count(tok)
			}
			i++
			continue
		}
		var a Attr
		start := i
		for i < len(doc) && !space(doc[i]) && doc[i] != '=' && doc[i] != '>' && doc[i] != '<' && doc[i] != '/' {
			i++
		}
		a.Name = doc[start:i]
		if len(a.Name) > t.limits.Name {
			return false, t.exceeds("bytes of a name", t.limits.Name, t.pos)
		}
		j := i
		for j < len(doc) && space(doc[j]) {
			j++
		}
		if j < len(doc) && doc[j] == '=' {
			for j++; j < len(doc) && space(doc[j]); j++ {
			}
			a.Value, i = t.attrValue(j)
		}
		if len(a.Name) == 0 {
			continue // a stray quoted string
		}
		if len(t.attrs) >= t.limits.Attributes {
			return false, t.exceeds("attributes of one element", t.limits.Attributes, t.pos)
		}
		if t.repeated < 0 && t.has(a.Name) {
			t.repeated = t.pos
		}
		t.attrs = append(t.attrs, a)
	}
}

func (t *Tokenizer) count(tok *Token) (bool, error) {
	if t.elements++; t.elements > t.limits.Elements {
		return false, t.exceeds("elements", t.limits.Elements, tok.Start)
	}
	return true, nil
}

// has looks at the first attributes only, so that many elements with many attributes stay linear.
func (t *Tokenizer) has(name []byte) bool {
	for _, a := range t.attrs[:min(len(t.attrs), 32)] {
		if bytes.Equal(a.Name, name) {
			return true
		}
	}
	return false
}

// attrValue reads the value at i and returns where it ends.
func (t *Tokenizer) attrValue(i int) ([]byte, int) {
	doc := t.doc
	if i >= len(doc) {
		return nil, i
	}
	if q := doc[i]; q == '"' || q == '\'' {
		qi := 0
		if q == '\'' {
			qi = 1
		}
		n := -1
		if !t.noQuote[qi] {
			if n = bytes.IndexByte(doc[i+1:], q); n < 0 {
				t.noQuote[qi] = true
			}
		}
		if n >= 0 {
			v, end := doc[i+1:i+1+n], i+1+n+1
			if bytes.IndexByte(v, '<') < 0 || end >= len(doc) || space(doc[end]) || doc[end] == '>' || doc[end] == '/' || doc[end] == '?' {
				return v, end
			}
		} else if bytes.IndexByte(doc[i:], '>') < 0 {
			return doc[i+1:], len(doc) // the document was cut here
		}
		i++ // the closing quote was forgotten
	}
	start := i
	for i < len(doc) && !space(doc[i]) && doc[i] != '>' && doc[i] != '<' {
		i++
	}
	if i < len(doc) && doc[i] == '>' && i-1 > start && doc[i-1] == '/' {
		i-- // <a href=x/>: the tag is closed, as XML would have it
	}
	return doc[start:i], i
}

func space(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func nameStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == ':' || c >= 0x80
}

// nameByte says what may follow in the name of an element.
var nameByte = func() (t [256]bool) {
	for c := range t {
		t[c] = nameStart(byte(c)) || c >= '0' && c <= '9' || c == '-' || c == '.'
	}
	return t
}()
