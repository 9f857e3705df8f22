package format

import "strings"

// link reads a link of RSS (the URL is the text) or Atom (in href).
func (p *parser) link(id int32) (Link, bool) {
	n := &p.nodes[id]
	href := p.attr(id, "href")
	if href == "" {
		href = p.value(id)
	}
	if href == "" {
		href = p.attr(id, "resource") // rdf:resource
	}
	l := Link{
		Rel:   relation(p.attr(id, "rel")),
		Href:  resolve(n.base, cleanURL(href)),
		Type:  p.attr(id, "type"),
		Title: oneLine(p.attr(id, "title")),
		Lang:  p.attr(id, "hreflang"),
	}
	return l, l.Href != ""
}

// relation returns the short name of a link relation; none is "alternate" (RFC 4287 section 4.2.7.2).
func relation(rel string) string {
	rel = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(rel), "http://www.iana.org/assignments/relation/"))
	if rel == "" {
		return "alternate"
	}
	return rel
}

// page returns the best alternate link: a web page rather than another rendering, in the language of the document
// rather than another, the first rather than a later one; "" if there is none.
func page(links []Link, lang string) string {
	best, score := "", -1
	for _, l := range links {
		if l.Rel != "alternate" || harmful(l.Href) {
			continue
		}
		s := 0
		switch typ := strings.ToLower(l.Type); {
		case typ == "" || strings.HasPrefix(typ, "text/html") || strings.HasPrefix(typ, "application/xhtml"):
			s += 8
		case strings.Contains(typ, "json"), strings.Contains(typ, "xml"), isMedia(typ):
		default:
			s += 4
		}
		if sch := scheme(l.Href); sch == "" || strings.EqualFold(sch, "http:") || strings.EqualFold(sch, "https:") {
			s += 16
		}
		if sameLang(l.Lang, lang) {
			s += 2
		} else if l.Lang == "" {
			s++
		}
		if s > score {
			best, score = l.Href, s
		}
	}
	return best
}

func sameLang(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	a, _, _ = strings.Cut(strings.ToLower(a), "-")
	b, _, _ = strings.Cut(strings.ToLower(b), "-")
	return a == b
}

// itemPage returns the page of an item. Where no link says so, a guid that may be a page is one; then what the item
// is about.
func itemPage(it *Item, lang string) string {
	if it.Lang != "" {
		lang = it.Lang
	}
	if u := page(it.Links, lang); u != "" {
		return u
	}
	if it.Permalink {
		return it.GUID
	}
	if it.OrigLink != "" && web(it.OrigLink) {
		return it.OrigLink
	}
	for _, rel := range []string{"related", "via", "content"} {
		for _, l := range it.Links {
			if l.Rel == rel && !harmful(l.Href) && !isMedia(l.Type) {
				return l.Href
			}
		}
	}
	return ""
}

// absolute resolves every URL of the document against a base that is known only when all of it was read.
func (d *Document) absolute(base string) {
	for i := range d.Items {
		it := &d.Items[i]
		it.Base = resolveLink(base, it.Base)
		for _, u := range []*string{&it.Comments, &it.Source, &it.OrigLink} {
			if *u != "" {
				*u = resolveLink(base, *u)
			}
		}
		for k := range it.Links {
			it.Links[k].Href = resolveLink(base, it.Links[k].Href)
		}
		for k := range it.Enclosures {
			it.Enclosures[k].URL = resolveLink(base, it.Enclosures[k].URL)
		}
	}
}
