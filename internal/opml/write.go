package opml

import (
	"bufio"
	"encoding/xml"
	"io"
	"strings"
)

// Write writes OPML 2.0, folders as nested outlines in the order in which they first occur. What Read makes of it has
// the same feeds in the same folders. Characters that XML cannot hold are replaced by U+FFFD.
func Write(w io.Writer, title string, subs []Subscription) error {
	root := &folder{}
	for _, s := range subs {
		f := root
		if path := cleanPath(s.Folder); path != "" {
			for name := range strings.SplitSeq(path, "/") {
				f = f.child(name)
			}
		}
		f.subs = append(f.subs, s)
	}
	b := bufio.NewWriter(w)
	b.WriteString(xml.Header)
	b.WriteString("<opml version=\"2.0\">\n  <head>\n    <title>")
	escape(b, title)
	b.WriteString("</title>\n  </head>\n  <body>\n")
	root.write(b, "    ")
	b.WriteString("  </body>\n</opml>\n")
	return b.Flush()
}

// A folder is an outline with others in it.
type folder struct {
	name    string
	subs    []Subscription
	folders []*folder
	byName  map[string]*folder
}

func (f *folder) child(name string) *folder {
	if c := f.byName[name]; c != nil {
		return c
	}
	c := &folder{name: name}
	if f.byName == nil {
		f.byName = map[string]*folder{}
	}
	f.byName[name] = c
	f.folders = append(f.folders, c)
	return c
}

func (f *folder) write(b *bufio.Writer, indent string) {
	for _, s := range f.subs {
		text := s.Title
		if text == "" {
			text = s.URL // the specification requires a text
		}
		b.WriteString(indent + `<outline type="rss"`)
		attribute(b, "text", text)
		if s.Title != "" {
			attribute(b, "title", s.Title)
		}
		attribute(b, "xmlUrl", s.URL)
		if s.SiteURL != "" {
			attribute(b, "htmlUrl", s.SiteURL)
		}
		b.WriteString("/>\n")
	}
	for _, c := range f.folders {
		b.WriteString(indent + "<outline")
		attribute(b, "text", c.name)
		b.WriteString(">\n")
		c.write(b, indent+"  ")
		b.WriteString(indent + "</outline>\n")
	}
}

func attribute(b *bufio.Writer, name, value string) {
	b.WriteString(" " + name + `="`)
	escape(b, value)
	b.WriteString(`"`)
}

// escape writes to a bufio.Writer, which keeps its error until Flush.
func escape(b *bufio.Writer, s string) { _ = xml.EscapeText(b, []byte(s)) }

// cleanPath returns the path of a folder without empty names.
func cleanPath(path string) string {
	var names []string
	for name := range strings.SplitSeq(path, "/") {
		if name = strings.Join(strings.Fields(name), " "); name != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, "/")
}
