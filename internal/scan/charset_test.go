package scan

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

func TestDecode(t *testing.T) {
	as := func(e encoding.Encoding, s string) string {
		out, err := e.NewEncoder().String(s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	decl := func(enc string) string { return `<?xml version="1.0" encoding="` + enc + `"?>` }
	utf16le := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	utf16be := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	for _, tt := range []struct {
		name, header, in, charset, want string
		warns                           bool
	}{
		{name: "nothing said", in: "<a>é</a>", charset: "utf-8", want: "<a>é</a>"},
		{name: "utf-8 mark", in: "\uFEFF<a>é</a>", charset: "utf-8", want: "<a>é</a>"},
		{name: "two marks", in: "\uFEFF\uFEFF<a/>", charset: "utf-8", want: "<a/>"},
		{name: "utf-16le mark", in: "\xFF\xFE" + as(utf16le, "<a>é日</a>"), charset: "utf-16", want: "<a>é日</a>"},
		{name: "utf-16be mark", in: "\xFE\xFF" + as(utf16be, "<a>é日</a>"), charset: "utf-16", want: "<a>é日</a>"},
		{name: "utf-16le without mark", in: as(utf16le, decl("utf-16")+"<a>é</a>"), charset: "utf-16le", want: decl("utf-16") + "<a>é</a>"},
		{name: "utf-16be without mark", in: as(utf16be, decl("utf-16")+"<a>日本</a>"), charset: "utf-16be", want: decl("utf-16") + "<a>日本</a>"},
		{name: "utf-32le mark", in: as(utf32.UTF32(utf32.LittleEndian, utf32.UseBOM), "<a>é</a>"), charset: "utf-32", want: "<a>é</a>"},
		{name: "utf-32be without mark", in: as(utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), "<a>é</a>"), charset: "utf-32be", want: "<a>é</a>"},
		{name: "utf-16 said of utf-8", in: decl("utf-16") + "<a>é</a>", charset: "utf-8", want: decl("utf-16") + "<a>é</a>"},
		{name: "latin-1 declared", in: decl("ISO-8859-1") + "<a>\xe9</a>", charset: "windows-1252", want: decl("ISO-8859-1") + "<a>é</a>"},
		{name: "latin-1 said of utf-8", in: decl("ISO-8859-1") + "<a>é</a>", charset: "utf-8", want: decl("ISO-8859-1") + "<a>é</a>", warns: true},
		{name: "utf-8 said of windows-1252", in: decl("utf-8") + "<a>\x93caf\xe9\x94</a>", charset: "windows-1252", want: decl("utf-8") + "<a>“café”</a>", warns: true},
		{name: "nothing said of windows-1252", in: "<a>caf\xe9</a>", charset: "windows-1252", want: "<a>café</a>", warns: true},
		{name: "utf-8 with one broken byte", in: decl("utf-8") + "<a>éàü\xe9</a>", charset: "utf-8", want: decl("utf-8") + "<a>éàü\uFFFD</a>", warns: true},
		{name: "latin-1 said of utf-8 with one broken byte", in: decl("latin1") + "<a>éàüöß\xe9</a>", charset: "utf-8", want: decl("latin1") + "<a>éàüöß\uFFFD</a>", warns: true},
		{name: "header before declaration", header: "text/xml; charset=windows-1251", in: decl("iso-8859-1") + as(charmap.Windows1251, "<a>Привет</a>"), charset: "windows-1251", want: decl("iso-8859-1") + "<a>Привет</a>"},
		{name: "declaration where the header is wrong", header: "text/xml; charset=utf-8", in: decl("koi8-r") + as(charmap.KOI8R, "<a>Привет</a>"), charset: "koi8-r", want: decl("koi8-r") + "<a>Привет</a>"},
		{name: "header without quotes and sense", header: "text/xml; charset='utf-8' ; x=;", in: "<a>é</a>", charset: "utf-8", want: "<a>é</a>"},
		{name: "shift_jis", in: decl("Shift_JIS") + as(japanese.ShiftJIS, "<a>日本語</a>"), charset: "shift_jis", want: decl("Shift_JIS") + "<a>日本語</a>"},
		{name: "iso-2022-jp is ASCII bytes", in: decl("iso-2022-jp") + as(japanese.ISO2022JP, "<a>日本語</a>"), charset: "iso-2022-jp", want: decl("iso-2022-jp") + "<a>日本語</a>"},
		{name: "gb2312", in: decl("gb2312") + as(simplifiedchinese.GBK, "<a>中文联通</a>"), charset: "gbk", want: decl("gb2312") + "<a>中文联通</a>"},
		{name: "gb2312 said of utf-8", in: decl("gb2312") + "<a>中文联通</a>", charset: "utf-8", want: decl("gb2312") + "<a>中文联通</a>", warns: true},
		{name: "gbk that could be utf-8", in: decl("gbk") + "<a>\xcd\xa8</a>", charset: "gbk", want: decl("gbk") + "<a>通</a>"},
		{name: "euc-kr", in: decl("euc-kr") + as(korean.EUCKR, "<a>한국어</a>"), charset: "euc-kr", want: decl("euc-kr") + "<a>한국어</a>"},
		{name: "unknown label", in: decl("klingon") + "<a>é</a>", charset: "utf-8", want: decl("klingon") + "<a>é</a>", warns: true},
		{name: "ebcdic", in: as(charmap.CodePage037, decl("ibm037")+"<a>x</a>"), charset: "ibm037", want: decl("ibm037") + "<a>x</a>"},
		{name: "controls", in: "<a>\x00\x01b\tc\r\n\x1F\uFFFE\uFDD0d</a>", charset: "utf-8", want: "<a>b\tc\r\nd</a>"},
		{name: "C1 controls mean windows-1252", in: "<a>it\u0092s \u0081 \u0085</a>", charset: "utf-8", want: "<a>it’s  …</a>"},
		{name: "empty", in: "", charset: "utf-8", want: ""},
		{name: "odd utf-16", in: "\xFF\xFE<\x00a\x00/", charset: "utf-16", want: "<a\uFFFD"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Decode([]byte(tt.in), tt.header)
			if string(got.Bytes) != tt.want || got.Charset != tt.charset || (len(got.Warnings) > 0) != tt.warns {
				t.Errorf("got  %q as %s, warnings %q\nwant %q as %s", got.Bytes, got.Charset, got.Warnings, tt.want, tt.charset)
			}
		})
	}
}

func TestDecodeKeepsCleanBytes(t *testing.T) {
	in := []byte(strings.Repeat("<a>é Â ï日 \uFEFF</a>\r\n", 100))
	if out := Decode(in, "").Bytes; &out[0] != &in[0] || len(out) != len(in) {
		t.Error("clean text was copied or changed")
	}
}

// FuzzDecode checks that whatever comes in, valid UTF-8 without controls comes out, and that it is stable.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{"<a>\xe9</a>", "\xFF\xFE<\x00", "\x00\x00\xFE\xFF", "\xEF\xBB\xBFx", "\xc2\x85\xef\xbf\xbe", `<?xml encoding="gbk"?>` + "\xcd\xa8", "\x1b$B"} {
		f.Add([]byte(s), "text/xml; charset=utf-8")
	}
	f.Fuzz(func(t *testing.T, in []byte, header string) {
		out := Decode(in, header).Bytes
		if !utf8.Valid(out) {
			t.Fatalf("%q is not UTF-8", out)
		}
		if i := firstUnclean(out); i >= 0 {
			t.Fatalf("%q has a control at %d", out, i)
		}
		if len(out) > 4*len(in)+16 {
			t.Fatalf("%d bytes became %d", len(in), len(out))
		}
	})
}
