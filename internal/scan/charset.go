package scan

import (
	"bytes"
	"mime"
	"strings"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// Text is a document as clean UTF-8.
type Text struct {
	Bytes    []byte // valid UTF-8 without control characters other than tab, line feed and carriage return
	Charset  string // the encoding it was read as, in lower case: "utf-8", "windows-1252"
	Warnings []string
}

// Decode makes UTF-8 of a document. contentType is the HTTP header, or empty.
//
// A byte order mark decides. Otherwise bytes that prove to be UTF-8 or UTF-16 are read as that, whatever a label says;
// then the charset of the HTTP header counts, then that of the XML declaration (the order of RFC 7303 section 3).
// Bytes that are labelled UTF-8 and are not are read as windows-1252, unless most of them are UTF-8; then the broken
// ones become U+FFFD. The result shares memory with body where nothing had to change.
func Decode(body []byte, contentType string) Text {
	var t Text
	switch {
	case hasPrefix(body, "\x00\x00\xFE\xFF", "\xFF\xFE\x00\x00"):
		t.decode(body, "utf-32", utf32.UTF32(utf32.BigEndian, utf32.UseBOM))
	case hasPrefix(body, "\xFE\xFF", "\xFF\xFE"):
		t.decode(body, "utf-16", unicode.UTF16(unicode.BigEndian, unicode.UseBOM))
	case hasPrefix(body, "\xEF\xBB\xBF"):
		t.unlabelled(body[3:], true)
	default:
		if name, enc := sniffWide(body); enc != nil {
			t.decode(body, name, enc)
			break
		}
		t.labelled(body, contentType)
	}
	t.Bytes = clean(bytes.TrimPrefix(t.Bytes, []byte("\uFEFF")))
	return t
}

func (t *Text) warn(s string) { t.Warnings = append(t.Warnings, s) }

func (t *Text) decode(body []byte, name string, enc encoding.Encoding) {
	out, err := enc.NewDecoder().Bytes(body)
	if err != nil {
		// No decoder of x/text fails on bad input; should one, the bytes are kept and cleaned.
		out = body
	}
	t.Bytes, t.Charset = out, name
}

// labelled decodes a document without byte order mark in an encoding that has ASCII as its subset.
func (t *Text) labelled(body []byte, contentType string) {
	var label string // the first that is not UTF-8
	var enc encoding.Encoding
	saysUTF8 := false
	for _, l := range []string{headerCharset(contentType), declaredCharset(body)} {
		if l == "" {
			continue
		}
		name, e := lookup(l)
		switch {
		case e == nil:
			t.warn("unknown encoding “" + strings.ToValidUTF8(l, "?") + "”")
		case name == "utf-8":
			saysUTF8 = true
		case enc == nil:
			label, enc = name, e
		}
	}
	st := examine(body)
	switch {
	case enc == nil || saysUTF8 && st.invalid == 0:
		t.unlabelled(body, saysUTF8)
	case st.invalid == 0 && st.multi == 0:
		// All bytes are ASCII, which says the same in nearly every encoding.
		if bytes.IndexByte(body, 0x1B) >= 0 || label == "hz-gb-2312" {
			t.decode(body, label, enc)
			return
		}
		t.Bytes, t.Charset = body, label
	case st.invalid == 0 && (!multibyte(label) || st.proves()):
		t.warn("the document says it is " + label + ", but it is utf-8")
		t.Bytes, t.Charset = body, "utf-8"
	case st.multi > 4*st.invalid && !multibyte(label):
		t.warn("the document says it is " + label + ", but it is utf-8 with errors")
		t.Bytes, t.Charset = bytes.ToValidUTF8(body, []byte("\uFFFD")), "utf-8"
	default:
		t.decode(body, label, enc)
	}
}

// unlabelled decodes what is labelled UTF-8 or nothing.
func (t *Text) unlabelled(body []byte, saysUTF8 bool) {
	st := examine(body)
	switch {
	case st.invalid == 0:
		t.Bytes, t.Charset = body, "utf-8"
	case st.multi > st.invalid:
		t.warn("the text is not quite utf-8: broken characters were replaced")
		t.Bytes, t.Charset = bytes.ToValidUTF8(body, []byte("\uFFFD")), "utf-8"
	default:
		if saysUTF8 {
			t.warn("the document says it is utf-8, but it is not; read as windows-1252")
		} else {
			t.warn("the document does not name its encoding; read as windows-1252")
		}
		t.decode(body, "windows-1252", charmap.Windows1252)
	}
}

// lookup returns the WHATWG name and encoding of a label, or of an IANA name browsers do not know. It returns nil for
// labels that say nothing of the bytes: UTF-16 and UTF-32 would have been found before.
func lookup(label string) (string, encoding.Encoding) {
	label = strings.ToLower(strings.TrimSpace(label))
	if strings.HasPrefix(label, "utf-16") || strings.HasPrefix(label, "utf-32") || strings.HasPrefix(label, "ucs-") || label == "iso-10646-ucs-2" {
		return "utf-8", unicode.UTF8
	}
	if e, name := charset.Lookup(label); e != nil && name != "replacement" && name != "x-user-defined" {
		return name, e
	}
	if e, err := ianaindex.IANA.Encoding(label); err == nil && e != nil {
		return label, e
	}
	return "", nil
}

// multibyte reports whether text in an encoding can look like UTF-8 by accident.
func multibyte(name string) bool {
	switch name {
	case "gbk", "gb18030", "big5", "euc-kr", "euc-jp", "shift_jis", "iso-2022-jp":
		return true
	}
	return false
}

func headerCharset(contentType string) string {
	if contentType == "" {
		return ""
	}
	if _, params, err := mime.ParseMediaType(contentType); err == nil {
		return strings.Trim(params["charset"], `'" `)
	}
	_, after, ok := strings.Cut(strings.ToLower(contentType), "charset=")
	if !ok {
		return ""
	}
	after, _, _ = strings.Cut(after, ";")
	return strings.Trim(after, `'" `)
}

// declaredCharset returns the encoding of the XML declaration, which may have junk before it.
func declaredCharset(body []byte) string {
	head := body[:min(len(body), 2048)]
	i := bytes.Index(head, []byte("<?xml"))
	if i < 0 {
		if hasPrefix(body, "\x4C\x6F\xA7\x94") { // "<?xml" in EBCDIC
			return "ibm037"
		}
		return ""
	}
	head = head[i:]
	if end := bytes.IndexByte(head, '>'); end >= 0 {
		head = head[:end]
	}
	i = bytes.Index(head, []byte("encoding"))
	if i < 0 {
		return ""
	}
	head = bytes.TrimLeft(head[i+len("encoding"):], " \t\r\n=")
	if len(head) == 0 || head[0] != '"' && head[0] != '\'' {
		return ""
	}
	end := bytes.IndexByte(head[1:], head[0])
	if end < 0 || end > 40 {
		return ""
	}
	return string(head[1 : 1+end])
}

// sniffWide recognises UTF-16 and UTF-32 without byte order mark by where the zero bytes of the markup stand.
func sniffWide(body []byte) (string, encoding.Encoding) {
	head := body[:min(len(body), 64)&^3]
	if len(head) < 8 {
		return "", nil
	}
	var zero [4]int
	for i, b := range head {
		if b == 0 {
			zero[i&3]++
		}
	}
	n := len(head) / 4
	many := func(k int) bool { return zero[k]*4 > n*3 }
	none := func(k int) bool { return zero[k] == 0 }
	some := func(k int) bool { return zero[k]*3 > n }
	switch {
	case none(0) && many(1) && many(2) && many(3):
		return "utf-32le", utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)
	case many(0) && many(1) && many(2) && none(3):
		return "utf-32be", utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)
	case none(0) && some(1) && none(2) && some(3):
		return "utf-16le", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case some(0) && none(1) && some(2) && none(3):
		return "utf-16be", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	return "", nil
}

func hasPrefix(body []byte, prefixes ...string) bool {
	for _, p := range prefixes {
		if bytes.HasPrefix(body, []byte(p)) {
			return true
		}
	}
	return false
}
