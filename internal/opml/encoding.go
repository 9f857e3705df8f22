package opml

import (
	"bytes"
	"regexp"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

var declared = regexp.MustCompile(`^\s*<\?xml[^>]*encoding\s*=\s*["']([A-Za-z0-9._:-]+)["']`)

// decode returns the text as UTF-8. A byte order mark says what it is; text that is valid UTF-8 is UTF-8, because text
// in another encoding practically never is; else the XML declaration counts, and Windows-1252 where that is wrong or
// unknown.
func decode(raw []byte) []byte {
	var enc encoding.Encoding
	switch {
	case bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")):
		raw = raw[3:]
	case bytes.HasPrefix(raw, []byte("\xff\xfe")), bytes.HasPrefix(raw, []byte("<\x00")):
		enc = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case bytes.HasPrefix(raw, []byte("\xfe\xff")), bytes.HasPrefix(raw, []byte("\x00<")):
		enc = unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	}
	if enc == nil {
		if utf8.Valid(raw) && !escapes(raw) {
			return bytes.ToValidUTF8(raw, nil)
		}
		if m := declared.FindSubmatch(raw[:min(len(raw), 1024)]); m != nil {
			var name string
			if enc, name = charset.Lookup(string(m[1])); name == "utf-8" {
				enc = nil
			}
		}
		if enc == nil {
			enc = charmap.Windows1252
		}
	}
	text, err := enc.NewDecoder().Bytes(raw)
	if err != nil {
		return bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	}
	return text
}

// escapes reports whether the text is in ISO-2022-JP, whose bytes are all ASCII.
func escapes(raw []byte) bool { return bytes.Contains(raw, []byte("\x1b$")) }
