package evolve

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kinds that no design foresaw, and recorded feeds showed.
var histories = []*Archetype{
	{
		Name: "exact-copies", Family: Histories, About: "Some polls list every item twice.",
		Arrange: copies,
	},
	{
		Name: "exact-copies-noguid", Family: Histories, About: "Some polls list every item twice, and there are no guids.",
		Compose: steps(essay, noGUID), Arrange: copies,
	},
	{
		Name: "exact-copies-one-link", Family: Histories, About: "Some polls list every item twice; no guids, one link for all.",
		Compose: steps(note, noGUID, linkTo("/")), Arrange: copies,
	},
	{
		Name: "sparse-polls", Family: Histories, About: "A busy feed polled twice a day: hardly an item is there again.",
		Pace: Busy, Every: 12 * time.Hour,
		Compose: func(p *Publisher, a *Article) {
			essay(p, a)
			if p.chance(0.03) {
				a.Title = "Top photos of the week"
				a.Paras = []string{"Our picture editors choose the best photographs that were taken around the world this week."}
				ownLink(p, a)
			}
			guidNumber(p, a)
		},
	},
	{
		Name: "shared-pictures", Family: Histories, About: "Articles of the same days share their photographs as enclosures.",
		Compose: steps(essay, guidNumber, func(p *Publisher, a *Article) {
			a.Enclosures = picture(p.url("/img/%d/%d.jpg", 240000+a.N/4, 1+p.rng.IntN(2)))
		}),
		Revise: func(p *Publisher, a *Article) {
			if p.style%2 == 0 {
				freshGUID(p, a)
			}
		},
	},
	{
		Name: "rewritten-news", Family: Histories, About: "Headline, text, link and date are all rewritten; an identifier in guid and link stays.",
		Compose: func(p *Publisher, a *Article) {
			essay(p, a)
			id := fmt.Sprint(48211000 + a.N*37)
			if p.style%2 == 0 {
				id = p.hex(24)
			}
			a.SetTag("id", id)
			a.GUID = []string{p.url("/news/%s", id), "article-" + id, id}[p.style/2%3]
			newsLink(p, a)
		},
		Tick: func(p *Publisher) {
			if p.chance(0.05) {
				p.rewrite(newsLink)
			}
		},
	},
	{
		Name: "link-is-identity", Family: Histories, About: "No guids and one link for each article, whose title, text and date are all rewritten.",
		Compose: func(p *Publisher, a *Article) {
			essay(p, a)
			if p.style%2 == 0 {
				a.Link = p.url("/article/%d", 48211000+a.N*37)
			}
		},
		Tick: func(p *Publisher) {
			if p.chance(0.05) {
				p.rewrite(nil)
			}
		},
	},
	{
		Name: "short-titles", Family: Histories, About: "Titles of one word; guids and links change once, and dates have no time of day.",
		Compose: steps(essay, guidNumber, dateOnly, shortTitle),
		Upheave: every(movedOut),
	},
	{
		Name: "short-titles-on-edit", Family: Histories, About: "Titles of one word; edits give a new guid.",
		Compose: steps(essay, shortTitle, guidNumber, dateOnly), Revise: freshGUID,
	},
	{
		Name: "staging-leak", Family: Histories, About: "Now and then guids and links are those of the author's own computer.",
		Compose: steps(essay, guidLink),
		Render: func(p *Publisher, a *Article, it *Item) {
			if p.Poll%23 == 17 {
				onHost(it, "https://"+p.host, "http://localhost:1313")
			}
		},
	},
	{
		Name: "mirrors", Family: Histories, About: "Polls are answered by mirrors, each with its own host in guids and links.",
		Compose: steps(essay, guidLink),
		Render: func(p *Publisher, a *Article, it *Item) {
			switch p.Poll / 4 % 3 {
			case 1:
				onHost(it, "https://"+p.host, "https://mirror."+p.host)
			case 2:
				onHost(it, "https://"+p.host, "https://"+p.host+".net")
			}
		},
	},
	{
		Name: "planet", Family: Histories, About: "Posts of four blogs, one of which moves to another host.",
		Compose: steps(essay, func(p *Publisher, a *Article) {
			a.Link = strings.Replace(a.Link, p.host, fmt.Sprintf("blog%d.example", p.rng.IntN(4)), 1)
		}, guidLink),
		Upheave: each(func(_ *Publisher, a *Article) {
			if moved := strings.Replace(a.Link, "//blog2.example/", "//two.blogs.example/", 1); moved != a.Link {
				a.Link = moved
				a.Moves++
			}
		}, guidLink),
	},
	{
		Name: "empty-polls", Family: Histories, About: "Some polls bring nothing, some only the first three items.",
		Arrange: emptied,
	},
	{
		Name: "empty-polls-noguid", Family: Histories, About: "Some polls bring nothing, some only three items, and there are neither guids nor dates.",
		Compose: steps(essay, noGUID, noDate), Arrange: emptied,
	},
	{
		Name: "escaped-links", Family: Histories, About: "Links with a parameter are escaped once at some polls and twice at others.",
		Compose: steps(essay, func(p *Publisher, a *Article) {
			a.Link = p.url("/view?section=world&objectid=%d", 12326000+a.N*41)
			if p.style%2 == 0 {
				a.GUID = a.Link
			}
		}),
		Render: func(p *Publisher, a *Article, it *Item) {
			if p.Poll/3%2 == 1 {
				it.URL = strings.ReplaceAll(a.Link, "&", "&amp;")
				it.GUID = strings.ReplaceAll(a.GUID, "&", "&amp;")
			}
		},
	},
	{
		Name: "section-parameter", Family: Histories, About: "Of two parameters in a link one identifies, the other is the section it was found in.",
		Compose: steps(essay, func(p *Publisher, a *Article) {
			a.Link = p.url("/story.asp?sec=home&objectid=%d", 12326000+a.N*41)
			if p.style%2 == 0 {
				a.GUID = a.Link
			}
		}),
		Render: func(p *Publisher, a *Article, it *Item) {
			if section := []string{"home", "world", "politics"}[(a.ID+p.Poll/9)%3]; section != "home" {
				it.URL = strings.Replace(a.Link, "sec=home", "sec="+section, 1)
				it.GUID = strings.Replace(a.GUID, "sec=home", "sec="+section, 1)
				it.Face += section
			}
		},
	},
	{
		Name: "one-link-headlines", Family: Histories, About: "A thousand headlines, no guids, and the home page for a link.",
		Pace:    Brisk,
		Compose: steps(note, noGUID, linkTo("/")),
		Render: func(p *Publisher, _ *Article, it *Item) {
			if p.style%2 == 0 {
				it.Published = time.Time{}
			}
			it.Updated = time.Time{}
		},
	},
	{
		Name: "guid-and-link-swap", Family: Histories, About: "Guids go missing at some polls, and come back.",
		Compose: steps(essay, guidNumber),
		Render: func(p *Publisher, _ *Article, it *Item) {
			if p.Poll%11 == 5 {
				it.GUID = ""
			}
		},
	},
}

// copies lists every item twice at some polls.
func copies(p *Publisher, items []Item) []Item {
	switch p.Poll % 5 {
	case 1:
		return slices.Concat(items, items)
	case 3:
		var out []Item
		for _, it := range items {
			out = append(out, it, it)
		}
		return out
	}
	return items
}

// emptied lists nothing, or next to nothing, at some polls.
func emptied(p *Publisher, items []Item) []Item {
	switch {
	case p.Poll == 0:
		return items
	case p.chance(0.1):
		return nil
	case p.chance(0.05):
		return items[:min(3, len(items))]
	}
	return items
}

// rewrite replaces all that is written about one of the latest articles: headline, text, date and, with link, the
// words in its link.
func (p *Publisher) rewrite(link step) {
	latest := p.visible()
	a := latest[p.rng.IntN(min(8, len(latest)))]
	a.Title = p.text.Headline()
	a.Paras = p.text.Paragraphs(2 + p.rng.IntN(3))
	bumped(p, a)
	a.revised(p.Now)
	if link != nil {
		link(p, a)
		a.Moves++
	}
}

// newsLink has words and the article's identifier.
func newsLink(p *Publisher, a *Article) {
	a.Slug = p.slug(a.Title, a.N)
	a.Link = p.url("/%s/%s-%s.html", p.oneOf("world", "politics", "sport"), a.Slug, a.Tag("id"))
}

// shortTitle is one invented word.
func shortTitle(p *Publisher, a *Article) { a.Title = p.text.Name() }

// onHost shows an item under another host.
func onHost(it *Item, from, to string) {
	it.URL = strings.Replace(it.URL, from, to, 1)
	it.GUID = strings.Replace(it.GUID, from, to, 1)
	it.Face += to
}
