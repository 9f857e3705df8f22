package evolve

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"feedonce/dedup"
)

// A step does one thing to an article. Archetypes are made of steps.
type step = func(*Publisher, *Article)

// steps does one after the other.
func steps(ss ...step) step {
	return func(p *Publisher, a *Article) {
		for _, s := range ss {
			s(p, a)
		}
	}
}

// essay is an article of some paragraphs with a headline and a link of its own.
func essay(p *Publisher, a *Article) {
	a.Title = p.text.Headline()
	a.Paras = p.text.Paragraphs(2 + p.rng.IntN(3))
	ownLink(p, a)
}

// note is like essay, but with one paragraph.
func note(p *Publisher, a *Article) {
	essay(p, a)
	a.Paras = a.Paras[:1]
}

// ownLink gives a dated link with the words of the title.
func ownLink(p *Publisher, a *Article) {
	a.Slug = p.slug(a.Title, a.N)
	a.Link = p.url("/%d/%s", a.Published.Year(), a.Slug)
}

func guidNumber(p *Publisher, a *Article) { a.GUID = p.url("/?p=%d", 1000+a.N*7) }
func guidLink(_ *Publisher, a *Article)   { a.GUID = a.Link }
func noGUID(_ *Publisher, a *Article)     { a.GUID = "" }
func noLink(_ *Publisher, a *Article)     { a.Link = "" }
func noDate(_ *Publisher, a *Article)     { a.Published, a.Updated = time.Time{}, time.Time{} }

// dateOnly keeps the day of the date.
func dateOnly(_ *Publisher, a *Article) { a.Published = a.Published.Truncate(24 * time.Hour) }

// freshGUID gives a guid never used before.
func freshGUID(p *Publisher, a *Article) { a.GUID = p.url("/?p=%d", 500000+p.rng.IntN(1<<30)) }

// freshUUID gives a guid never used before, of another kind.
func freshUUID(p *Publisher, a *Article) { a.GUID = "urn:uuid:" + p.hex(32) }

// linkTo makes all articles link to one page.
func linkTo(path string) step {
	return func(p *Publisher, a *Article) { a.Link = p.url("%s", path) }
}

// titled gives one of a few titles.
func titled(titles ...string) step {
	return func(p *Publisher, a *Article) { a.Title = p.oneOf(titles...) }
}

// paras gives fixed paragraphs.
func paras(ps ...string) step {
	return func(_ *Publisher, a *Article) { a.Paras = ps }
}

// slugSuffix changes the link as systems do when an article is saved again.
func slugSuffix(p *Publisher, a *Article) {
	a.Link += fmt.Sprintf("-%d", 2+p.rng.IntN(90))
	a.Moves++
}

// bumped dates an article to now.
func bumped(p *Publisher, a *Article) {
	if !a.Published.IsZero() {
		a.Published = p.Now.Add(-time.Duration(30+p.rng.IntN(60)) * time.Second)
	}
}

// every does something to each article there ever was, newest first.
func every(do func(p *Publisher, a *Article, i int)) func(*Publisher) {
	return func(p *Publisher) {
		for i, a := range p.articles {
			do(p, a, i)
		}
	}
}

// each is every for steps.
func each(ss ...step) func(*Publisher) {
	return every(func(p *Publisher, a *Article, _ int) { steps(ss...)(p, a) })
}

// newSite moves an article's link to another host and form of address.
func newSite(p *Publisher, a *Article) {
	if a.Link == "" {
		return
	}
	last := a.Slug
	if last == "" {
		last = "x" + strconv.Itoa(8000+a.ID*3)
	}
	a.Link = "https://new." + p.host + "/" + last + "/"
	a.Moves++
}

// newNumbers gives guids counted anew.
func newNumbers(_ *Publisher, a *Article, i int) { a.GUID = fmt.Sprintf("urn:n:%d", 5000+i) }

// tokenLink adds a parameter to the link that is another one each time.
func tokenLink(p *Publisher, _ *Article, it *Item) { it.URL += "?v=" + p.hex(12) }

// excerpt replaces the content by its first n words.
func excerpt(p *Publisher, a *Article, it *Item, n int) {
	text := strings.Join(a.Paras, " ")
	if short := p.text.Cut(text, n); len(short) < len(text) {
		it.Content = "<p>" + short + " [&hellip;]</p>"
		it.Face += "excerpt"
		it.Short = true
	}
}

func audio(url string) []dedup.Enclosure {
	return []dedup.Enclosure{{URL: url, Type: "audio/mpeg", Length: 31_000_000}}
}

func picture(url string) []dedup.Enclosure {
	return []dedup.Enclosure{{URL: url, Type: "image/jpeg"}}
}

// copied returns a copy of encs with every URL mapped, so that items rendered before keep theirs.
func copied(encs []dedup.Enclosure, mapped func(string) string) []dedup.Enclosure {
	out := make([]dedup.Enclosure, len(encs))
	for i, e := range encs {
		e.URL = mapped(e.URL)
		out[i] = e
	}
	return out
}
