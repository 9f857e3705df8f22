package demo

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"
	"time"
)

// A channel is what a document says of its feed.
type channel struct {
	title string
	site  string
	built time.Time // RSS lastBuildDate, Atom updated; zero leaves it out
}

func escape(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) //nolint:errcheck // a strings.Builder does not fail
	return b.String()
}

const rfc822 = "Mon, 02 Jan 2006 15:04:05 GMT"

// rss renders RSS 2.0.
func rss(c channel, items []article) string {
	var b strings.Builder
	b.WriteString(rssHead(c))
	for _, a := range items {
		b.WriteString(rssItem(a))
	}
	b.WriteString("</channel>\n</rss>\n")
	return b.String()
}

func rssHead(c channel) string {
	head := "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\">\n<channel>\n" +
		"<title>" + escape(c.title) + "</title>\n<link>" + escape(c.site) + "</link>\n" +
		"<description>" + escape(c.title) + "</description>\n"
	if !c.built.IsZero() {
		head += "<lastBuildDate>" + c.built.UTC().Format(rfc822) + "</lastBuildDate>\n"
	}
	return head
}

func rssItem(a article) string {
	var b strings.Builder
	b.WriteString("<item>\n<title>" + escape(a.title) + "</title>\n")
	if a.link != "" {
		b.WriteString("<link>" + escape(a.link) + "</link>\n")
	}
	if a.guid != "" {
		fmt.Fprintf(&b, "<guid isPermaLink=\"%t\">%s</guid>\n", a.permalink, escape(a.guid))
	}
	b.WriteString("<pubDate>" + a.published.Format(rfc822) + "</pubDate>\n")
	if a.enclosure != "" {
		b.WriteString("<enclosure url=\"" + escape(a.enclosure) + "\" type=\"audio/mpeg\" length=\"1048576\"/>\n")
	}
	b.WriteString("<description>" + escape(a.body) + "</description>\n</item>\n")
	return b.String()
}

// atom renders Atom 1.0 (RFC 4287).
func atom(c channel, items []article) string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n" +
		"<title>" + escape(c.title) + "</title>\n<id>" + escape(c.site) + "</id>\n" +
		"<link rel=\"alternate\" href=\"" + escape(c.site) + "\"/>\n<author><name>" + escape(c.title) + "</name></author>\n" +
		"<updated>" + c.built.UTC().Format(time.RFC3339) + "</updated>\n")
	for _, a := range items {
		b.WriteString("<entry>\n<title>" + escape(a.title) + "</title>\n<id>" + escape(a.guid) + "</id>\n" +
			"<link rel=\"alternate\" href=\"" + escape(a.link) + "\"/>\n" +
			"<published>" + a.published.Format(time.RFC3339) + "</published>\n" +
			"<updated>" + a.updated.Format(time.RFC3339) + "</updated>\n" +
			"<content type=\"html\">" + escape(a.body) + "</content>\n</entry>\n")
	}
	b.WriteString("</feed>\n")
	return b.String()
}

// jsonFeed renders JSON Feed 1.1, with numbers for ids, as many publishers have them (the specification asks readers
// to take them for strings).
func jsonFeed(c channel, items []article) string {
	type item struct {
		ID        int       `json:"id"`
		URL       string    `json:"url"`
		Title     string    `json:"title"`
		HTML      string    `json:"content_html"`
		Published time.Time `json:"date_published"`
	}
	doc := struct {
		Version string `json:"version"`
		Title   string `json:"title"`
		Home    string `json:"home_page_url"`
		Items   []item `json:"items"`
	}{"https://jsonfeed.org/version/1.1", c.title, c.site, nil}
	for _, a := range items {
		doc.Items = append(doc.Items, item{a.number + 1000, a.link, a.title, a.body, a.published})
	}
	out, err := json.MarshalIndent(doc, "", " ")
	if err != nil {
		panic(err) // strings, numbers and times always marshal
	}
	return string(out)
}
