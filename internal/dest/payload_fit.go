package dest

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	xhtml "golang.org/x/net/html"
)

// maxPayload is how large a message for programs may be, in bytes. It is our own bound: a receiver can then set one.
const maxPayload = 256 << 10

// fit shortens articles until a message with them has at most maxPayload bytes, and flags those it shortened. First content
// goes, of the longest articles; then what else strangers can make long; and if even that is too much, the last articles, of
// which the number is returned. around is the size of a message without articles.
func fit(articles []ArticlePayload, around int) (kept []ArticlePayload, left int) {
	room, raw := maxPayload-around, 0
	for i := range articles {
		// Before anything is encoded: what has hundreds of categories would take its time.
		if articles[i].words() > maxPayload/8 {
			articles[i].strip()
		}
		raw += articles[i].words() + len(articles[i].HTML)
	}
	if raw <= room && jsonSize(articles) <= room {
		return articles, 0
	}
	fitHTML(articles, room)
	if jsonSize(articles) <= room {
		return articles, 0
	}
	for i := range articles {
		articles[i].strip()
	}
	kept = articles
	for len(kept) > 1 && jsonSize(kept) > room {
		kept = kept[:len(kept)-1-len(kept)/10]
	}
	return kept, len(articles) - len(kept)
}

// words is how much there is besides the content, in bytes, before it is encoded.
func (a *ArticlePayload) words() int {
	n := 0
	for _, s := range []string{a.ID, a.Title, a.URL, a.GUID, a.Author, a.Text, a.Lang, a.Image, a.Why, a.Feed.Title, a.Feed.URL, a.Feed.SiteURL} {
		n += len(s)
	}
	for _, list := range [][]string{a.Categories, a.Changed, a.AlsoIn} {
		for _, s := range list {
			n += len(s) + len(`"",`)
		}
	}
	for _, e := range a.Enclosures {
		n += len(e.URL) + len(e.Type) + len(`{"url":""},`)
	}
	return n
}

// strip leaves of an article what names it.
func (a *ArticlePayload) strip() {
	a.Enclosures, a.Categories, a.AlsoIn, a.Changed, a.Image, a.Truncated = nil, nil, nil, nil, "", true
	for _, s := range []*string{&a.Title, &a.Author, &a.Text, &a.Lang, &a.Feed.Title} {
		*s = cut(*s, 200)
	}
	for _, s := range []*string{&a.URL, &a.GUID, &a.Why, &a.Feed.URL, &a.Feed.SiteURL} {
		if len(*s) > 500 {
			*s = "" // half of one would be another one
		}
	}
}

// fitHTML gives the room that everything else leaves to the content of articles, to the short ones first. The first that is
// too long for what is left gets that; the others get none.
func fitHTML(articles []ArticlePayload, room int) {
	html, order, stripped := make([]string, len(articles)), make([]int, len(articles)), make([]bool, len(articles))
	for i := range articles {
		html[i], order[i], stripped[i], articles[i].HTML = articles[i].HTML, i, articles[i].Truncated, ""
	}
	room -= jsonSize(articles) + len(articles)*len(`"html":"",`)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(html[a]), len(html[b])) })
	for _, i := range order {
		whole := html[i]
		articles[i].Truncated = stripped[i] || whole != ""
		for keep := min(room, len(whole)); keep > 0; keep -= 1 + keep/10 {
			part := cutHTML(whole, keep)
			if n := jsonSize(part); n <= room {
				articles[i].HTML, room = part, room-n
				articles[i].Truncated = stripped[i] || part != whole
				break
			}
		}
	}
}

// jsonSize is how long something is in JSON.
func jsonSize(v any) int {
	b, err := json.Marshal(v)
	if err != nil {
		return maxPayload // which cannot be: there is nothing in it but text and numbers
	}
	return len(b)
}

// cutHTML cuts sanitised HTML to at most max bytes, between two tokens, and ends the elements that are open.
func cutHTML(s string, max int) string {
	var b strings.Builder
	var open []string
	closing := 0
	z := xhtml.NewTokenizer(strings.NewReader(s))
	for {
		kind := z.Next()
		if kind == xhtml.ErrorToken {
			break
		}
		raw := z.Raw()
		name, _ := z.TagName()
		need := len(raw)
		void := slices.Contains(voidElements, string(name))
		if kind == xhtml.StartTagToken && !void {
			need += len(name) + len("</>")
		}
		if kind != xhtml.EndTagToken && b.Len()+need+closing > max {
			break
		}
		b.Write(raw)
		switch {
		case kind == xhtml.StartTagToken && !void:
			open, closing = append(open, string(name)), closing+len(name)+len("</>")
		case kind == xhtml.EndTagToken && len(open) > 0:
			closing -= len(open[len(open)-1]) + len("</>")
			open = open[:len(open)-1]
		}
	}
	for _, name := range slices.Backward(open) {
		b.WriteString("</" + name + ">")
	}
	return b.String()
}

// voidElements have no end (HTML 13.1.2), as far as the sanitiser leaves them.
var voidElements = []string{"br", "hr", "img", "wbr", "source", "track", "col"}
