package format

import (
	"fmt"
	"strings"
)

// generateRSS and generateAtom make documents of 30 items and about 93 kB, as a large blog has them.
func generateRSS(items int) []byte {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:slash="http://purl.org/rss/1.0/modules/slash/">
<channel>
	<title>A blog</title>
	<atom:link href="https://blog.example/feed/" rel="self" type="application/rss+xml" />
	<link>https://blog.example/</link>
	<description>Notes &amp; more</description>
	<lastBuildDate>Mon, 02 Jun 2025 10:00:00 +0000</lastBuildDate>
	<language>en-US</language>
`)
	for i := range items {
		fmt.Fprintf(&b, `	<item>
		<title>Post number %[1]d &#8211; on things &amp; thoughts</title>
		<link>https://blog.example/2025/06/post-%[1]d/</link>
		<comments>https://blog.example/2025/06/post-%[1]d/#comments</comments>
		<dc:creator><![CDATA[Ann Author]]></dc:creator>
		<pubDate>Mon, 02 Jun 2025 %02[2]d:00:00 +0000</pubDate>
		<category><![CDATA[News]]></category>
		<category><![CDATA[Go]]></category>
		<guid isPermaLink="false">https://blog.example/?p=%[1]d</guid>
		<description><![CDATA[%[3]s]]></description>
		<content:encoded><![CDATA[%[4]s]]></content:encoded>
		<slash:comments>%[1]d</slash:comments>
	</item>
`, i, i%24, paragraph(i, 1), paragraph(i, 7))
	}
	b.WriteString("</channel>\n</rss>\n")
	return []byte(b.String())
}

func generateAtom(items int) []byte {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
	<title>A blog</title>
	<link href="https://blog.example/"/>
	<link rel="self" href="https://blog.example/atom.xml"/>
	<updated>2025-06-02T10:00:00Z</updated>
	<id>https://blog.example/</id>
	<author><name>Ann Author</name></author>
`)
	for i := range items {
		fmt.Fprintf(&b, `	<entry>
		<title type="html">Post number %[1]d on things &amp;amp; thoughts</title>
		<link href="https://blog.example/2025/06/post-%[1]d/"/>
		<id>tag:blog.example,2025:post-%[1]d</id>
		<published>2025-06-02T%02[2]d:00:00Z</published>
		<updated>2025-06-02T%02[2]d:30:00+02:00</updated>
		<category term="news"/>
		<summary type="html">%[3]s</summary>
		<content type="html">%[4]s</content>
	</entry>
`, i, i%24, string(escapeFrom([]byte(paragraph(i, 1)), 0)), string(escapeFrom([]byte(paragraph(i, 6)), 0)))
	}
	b.WriteString("</feed>\n")
	return []byte(b.String())
}

// paragraph is HTML of about 320 bytes a part.
func paragraph(seed, parts int) string {
	var b strings.Builder
	for i := range parts {
		fmt.Fprintf(&b, `<p>Part %d of post %d says what the one before left out, with a <a href="https://blog.example/tag/%d/">link</a>, some <em>stress</em>, “quotes”, and an <img src="https://blog.example/i/%d-%d.jpg" alt="image" />. Nothing in it is new, but all of it is written down here, so that it has a usual length.</p>
`, i, seed, seed%7, seed, i)
	}
	return b.String()
}
