package fetch

import (
	"strings"
	"testing"
	"unicode/utf16"
)

func TestLooksLikeFeed(t *testing.T) {
	for _, doc := range []string{
		feedXML,
		"<rss>", "  \r\n<rss version='2.0'>", "\xef\xbb\xbf<?xml version='1.0'?>\n<rss/>",
		`<?xml version="1.0" encoding="UTF-8"?><?xml-stylesheet href="a>b.xsl"?><!-- <html> --><feed xmlns="http://www.w3.org/2005/Atom">`,
		`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">`, `<a:feed xmlns:a="http://www.w3.org/2005/Atom">`, "<RSS>",
		`<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://my.netscape.com/publish/formats/rss-0.91.dtd"><rss version="0.91">`,
		`<!DOCTYPE rss [<!ENTITY a "b">]><rss>`,
		"junk before <rss version='2.0'>", "<br />\n<b>Warning</b>: mysql in <b>x.php</b><br />\n<?xml version='1.0'?><rss version='2.0'>",
		`{"version": "https://jsonfeed.org/version/1.1", "items": []}`, ` {"version":"https:\/\/jsonfeed.org\/version\/1"}`,
		utf16le(`<?xml version="1.0" encoding="utf-16"?><rss>`), utf16le("\ufeff<feed>"), utf16be("\ufeff<rss>"), utf16be("<rss>"),
	} {
		if !LooksLikeFeed([]byte(doc)) {
			t.Errorf("%.100q is not taken for a feed", doc)
		}
	}
	for _, doc := range []string{
		"", " ", "<", "<?", "<!", "<!--", "<!doctype", "plain text", "<html><rss version=2>", "<!DOCTYPE html><feed>", "<!doctype HTML>\n<rss >",
		"<?xml version='1.0'?><!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'x'><html>", "<opml version='2.0'>", "<urlset>", "<svg/>",
		"<feedback/>", "{}", `{"version": "1"}`, "[1]", "\x1f\x8b\x08", "<!-- <rss> -->", "<?php <rss> ?>", "\xff\xfe", "\xff\xfe<\x00",
		strings.Repeat("x", 5000) + "<rss>",
	} {
		if LooksLikeFeed([]byte(doc)) {
			t.Errorf("%.100q is taken for a feed", doc)
		}
	}
}

func utf16le(s string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		b.Write([]byte{byte(u), byte(u >> 8)})
	}
	return b.String()
}

func utf16be(s string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		b.Write([]byte{byte(u >> 8), byte(u)})
	}
	return b.String()
}

func FuzzLooksLikeFeed(f *testing.F) {
	f.Add([]byte("<!doctype\xff\xfe<\x00"))
	f.Fuzz(func(t *testing.T, doc []byte) { LooksLikeFeed(doc); looksLikeText(doc) })
}
