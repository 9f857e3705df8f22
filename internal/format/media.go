package format

import (
	"strconv"
	"strings"
)

// enclosure adds a file to a list, unless it is there.
func (b *itemBuilder) enclosure(list *[]Enclosure, url, typ, length string) {
	if url == "" || len(*list) >= maxValues {
		return
	}
	e := Enclosure{URL: url, Type: typ, Length: size(length)}
	for i, o := range *list {
		if o.URL == url {
			if o.Type == "" {
				(*list)[i].Type = typ
			}
			if o.Length == 0 {
				(*list)[i].Length = e.Length
			}
			return
		}
	}
	*list = append(*list, e)
}

// size reads a number of bytes; 0 where there is none.
func size(s string) int64 {
	if s == "" {
		return 0
	}
	n, err := strconv.ParseInt(thousands.Replace(s), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

var thousands = strings.NewReplacer(",", "", " ", "", "\u00A0", "")

// mediaElement reads Media RSS: content may be in groups, and has titles and thumbnails in it.
func (b *itemBuilder) mediaElement(c int32, n *node, depth int) {
	p := b.p
	switch n.name {
	case "content":
		url, typ := resolve(n.base, cleanURL(p.attr(c, "url"))), p.attr(c, "type")
		medium := strings.ToLower(p.attr(c, "medium"))
		if medium != "document" && !strings.HasPrefix(typ, "text/") {
			if typ == "" && medium == "image" {
				typ = "image/*"
			}
			b.enclosure(&b.media, url, typ, p.attr(c, "filesize"))
		}
	case "thumbnail":
		b.enclosure(&b.thumbnails, resolve(n.base, cleanURL(p.attr(c, "url"))), "image/*", "")
	case "title":
		if depth == 0 {
			b.title.offer(3, p.title(c))
		}
	case "description":
		b.summary.offer(4, p.plainOrHTML(c))
	case "keywords":
		return
	case "category":
		b.category(p.value(c))
		return
	case "credit":
		return
	}
	if depth > 3 {
		return
	}
	for k := n.first; k != 0; k = p.nodes[k].next {
		if p.nodes[k].ns == nsMedia {
			b.mediaElement(k, &p.nodes[k], depth+1)
		}
	}
}
