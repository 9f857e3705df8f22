package format

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// kind is how a field of the model is compared with what another parser makes of it.
type kind int

const (
	exact  kind = iota // the same characters
	folded             // the same but for case, "_" for "-" and a "/" at the end: languages and host names
	plain              // the text of it, where theirs may be HTML
	markup             // the same HTML, however it is written
	moment             // the same second
)

// A view is one place of the model: what is there, and how it compares.
type view struct {
	got  []string // any of them may be what is meant
	time []time.Time
	kind kind
	base string // what relative URLs in HTML are relative to
}

// look returns the place with that name: "title", "items.link", "items.enclosures.url"; index has the numbers of the
// item and the list element.
func look(d *Document, name string, index []int) (view, bool) {
	field, inItem := strings.CutPrefix(name, "items.")
	if !inItem {
		switch field {
		case "title":
			return view{got: []string{d.Title}, kind: plain}, true
		case "description":
			return view{got: []string{d.Description}, kind: markup}, true
		case "site":
			return view{got: []string{d.SiteURL}}, true
		case "self":
			return view{got: []string{d.SelfURL}}, true
		case "moved":
			return view{got: []string{d.NewURL}}, true
		case "lang":
			return view{got: []string{d.Lang}, kind: folded}, true
		case "generator":
			return view{got: []string{d.Generator}, kind: plain}, true
		case "updated":
			return view{got: []string{d.Updated.Text}, kind: plain}, true
		case "updated time":
			return view{time: []time.Time{d.Updated.Time}, kind: moment}, true
		case "ttl":
			return view{got: []string{strconv.Itoa(int(d.TTL / time.Minute))}}, true
		case "format":
			return view{got: []string{d.Format}}, true
		}
		return view{}, false
	}
	if len(index) == 0 || index[0] >= len(d.Items) {
		return view{}, true
	}
	it := &d.Items[index[0]]
	k := 0
	if len(index) > 1 {
		k = index[1]
	}
	switch field {
	case "guid":
		return view{got: []string{it.GUID}}, true
	case "link":
		return view{got: []string{it.Link}}, true
	case "title":
		return view{got: []string{it.Title}, kind: plain}, true
	case "summary":
		return view{got: []string{it.Summary}, kind: markup, base: it.Base}, true
	case "content":
		return view{got: []string{it.Content}, kind: markup, base: it.Base}, true
	case "text": // whatever is there
		return view{got: []string{it.Summary, it.Content}, kind: markup, base: it.Base}, true
	case "author":
		return view{got: []string{it.Author}, kind: plain}, true
	case "authors":
		return view{got: append(strings.Split(it.Author, ", "), it.Author), kind: plain}, true
	case "published":
		return view{got: []string{it.Published.Text}, kind: plain}, true
	case "updated": // others take Dublin Core's date for the one or the other
		return view{got: []string{it.Updated.Text, it.Published.Text}, kind: plain}, true
	case "published time":
		return view{time: []time.Time{it.Published.Time}, kind: moment}, true
	case "updated time":
		return view{time: []time.Time{it.Updated.Time, it.Published.Time}, kind: moment}, true
	case "comments":
		return view{got: []string{it.Comments}}, true
	case "source":
		return view{got: []string{it.Source}}, true
	case "lang":
		return view{got: []string{it.Lang}, kind: folded}, true
	case "base":
		return view{got: []string{it.Base}}, true
	case "categories":
		return view{got: it.Categories, kind: plain}, true // without repetition, so at another place
	}
	list, sub, _ := strings.Cut(field, ".")
	switch {
	case list == "enclosures" && k < len(it.Enclosures):
		e := it.Enclosures[k]
		switch sub {
		case "url":
			return view{got: []string{e.URL}}, true
		case "type":
			return view{got: []string{e.Type}}, true
		case "length":
			return view{got: []string{strconv.FormatInt(e.Length, 10)}}, true
		}
	case list == "links" && k < len(it.Links):
		l := it.Links[k]
		switch sub {
		case "href":
			return view{got: []string{l.Href}}, true
		case "address":
			return view{got: []string{l.Href}, kind: folded}, true
		case "rel":
			return view{got: []string{l.Rel}}, true
		case "type":
			return view{got: []string{l.Type}}, true
		case "title":
			return view{got: []string{l.Title}}, true
		case "lang":
			return view{got: []string{l.Lang}}, true
		}
	case list == "enclosures" || list == "links":
		return view{}, true
	}
	return view{}, false
}

// equals compares with what is expected; the fault is "" if it is met.
func (v view) equals(want any) (fault string) {
	if v.kind == moment {
		w, ok := wantTime(want)
		if !ok {
			return fmt.Sprintf("expected time %v is not understood", want)
		}
		for _, got := range v.time {
			if got.Truncate(time.Second).Equal(w.Truncate(time.Second)) {
				return ""
			}
		}
		return fmt.Sprintf("time %v, expected %v", v.time, w)
	}
	w := fmt.Sprint(want)
	if f, ok := want.(float64); ok {
		w = strconv.FormatFloat(f, 'f', -1, 64)
	}
	for _, got := range v.got {
		switch v.kind {
		case exact:
			if got == strings.TrimFunc(w, blank) {
				return ""
			}
		case folded:
			fold := func(s string) string {
				return strings.TrimSuffix(strings.ReplaceAll(strings.ToLower(s), "_", "-"), "/")
			}
			if fold(got) == fold(w) {
				return ""
			}
		case plain:
			if got == oneLine(w) || got == htmlToLine(w) || canonical(got, "") == canonical(w, "") {
				return ""
			}
		case markup:
			c, g := canonical(w, ""), canonical(got, v.base)
			if g == c || canonical(got, "") == c || "<div>"+g+"</div>" == strings.NewReplacer("<div> ", "<div>", " </div>", "</div>").Replace(c) ||
				got == plainToHTML(strings.TrimFunc(w, blank)) || canonical(html.UnescapeString(got), v.base) == c {
				return ""
			}
		}
	}
	if len(v.got) == 0 {
		return fmt.Sprintf("nothing, expected %q", clip(w, 300))
	}
	return fmt.Sprintf("%q, expected %q", clip(strings.Join(v.got, "” or “"), 300), clip(w, 300))
}

// canonical writes HTML in one way: text decoded, attributes sorted and without name spaces, URLs resolved (which is
// the sanitiser's work here), white space collapsed.
func canonical(s, base string) string {
	z := html.NewTokenizer(strings.NewReader(s))
	var b strings.Builder
	for {
		switch z.Next() {
		case html.ErrorToken:
			return strings.Join(strings.Fields(b.String()), " ")
		case html.TextToken:
			b.WriteString(html.UnescapeString(string(z.Raw())))
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			b.WriteString("<" + t.Data)
			var attrs []string
			for _, a := range t.Attr {
				if a.Key == "href" || a.Key == "src" {
					a.Val = resolve(base, cleanURL(a.Val))
				}
				if !strings.HasPrefix(a.Key, "xmlns") && !strings.HasPrefix(a.Key, "xlink") {
					attrs = append(attrs, " "+a.Key+"="+strconv.Quote(a.Val))
				}
			}
			slices.Sort(attrs)
			b.WriteString(strings.Join(attrs, ""))
			if t.Type == html.SelfClosingTagToken && !voidElements[t.Data] {
				b.WriteString("></" + t.Data)
			}
			b.WriteString(">")
		case html.EndTagToken:
			b.WriteString("</" + z.Token().Data + ">")
		}
	}
}

// wantTime reads RFC 3339 or Python's 9-tuple.
func wantTime(want any) (time.Time, bool) {
	switch w := want.(type) {
	case string:
		t, err := time.Parse(time.RFC3339Nano, w)
		return t, err == nil
	case []any:
		if len(w) < 6 {
			return time.Time{}, false
		}
		var v [6]int
		for i := range v {
			f, ok := w[i].(float64)
			if !ok {
				return time.Time{}, false
			}
			v[i] = int(f)
		}
		return time.Date(v[0], time.Month(v[1]), v[2], v[3], v[4], v[5], 0, time.UTC), true
	}
	return time.Time{}, false
}

// invalid returns what no document may contain: strings that are no UTF-8 or have a NUL in them.
func invalid(d *Document) []string {
	var faults []string
	check := func(what, s string) {
		if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 {
			faults = append(faults, fmt.Sprintf("%s is no clean UTF-8: %q", what, clip(s, 100)))
		}
	}
	for _, s := range append([]string{d.Format, d.Title, d.Description, d.SiteURL, d.SelfURL, d.HubURL, d.NewURL, d.Generator, d.Lang, d.Updated.Text, d.Partial}, d.Warnings...) {
		check("the feed", s)
	}
	for i, it := range d.Items {
		what := fmt.Sprintf("item %d", i)
		for _, s := range append([]string{it.GUID, it.Link, it.OrigLink, it.Title, it.Summary, it.Content, it.Author, it.Published.Text,
			it.Updated.Text, it.Comments, it.Source, it.Base, it.Lang, it.Invalid}, it.Categories...) {
			check(what, s)
		}
		for _, l := range it.Links {
			check(what, l.Href+l.Rel+l.Type+l.Title+l.Lang)
		}
		for _, e := range it.Enclosures {
			check(what, e.URL+e.Type)
		}
	}
	return faults
}
