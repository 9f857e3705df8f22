package evolve

import (
	"strings"
	"time"
)

// Feeds whose links change under the articles.
var linkFaults = []*Archetype{
	{
		Name: "slug-edit", Family: Links, About: "The guid is the link, and edits change the link.",
		Compose: steps(essay, guidLink), Revise: steps(slugSuffix, guidLink),
	},
	{
		Name: "utm-links", Family: Links, About: "Tracking parameters, http and www come and go in the links.",
		Render: func(p *Publisher, _ *Article, it *Item) {
			it.URL += p.oneOf("?utm_source=rss&utm_medium=feed", "?utm_source=twitter", "")
			if it.Pos%2 == 0 {
				it.URL = strings.Replace(it.URL, "https://", "http://www.", 1)
			}
		},
	},
	{
		Name: "links-to-www", Family: Links, About: "All permalinks, and with them the guids, become http with www and a slash.",
		Compose: steps(essay, guidLink),
		Upheave: each(func(_ *Publisher, a *Article) {
			a.Link = strings.Replace(a.Link, "https://", "http://www.", 1) + "/"
		}, guidLink),
	},
	{
		Name: "domain-move", Family: Links, About: "All permalinks, and with them the guids, move to another domain.",
		Compose: steps(essay, guidLink),
		Upheave: each(func(p *Publisher, a *Article) {
			a.Link = strings.Replace(a.Link, p.host, "blog."+p.host+".net", 1)
			a.Moves++
		}, guidLink),
	},
	{
		Name: "feedburner-reissue", Family: Links, About: "A proxy re-issues the archive with its own guids and links.",
		Upheave: each(func(p *Publisher, a *Article) {
			a.GUID = "tag:feedburner,2009:" + p.hex(16)
			a.Link = "http://feedproxy.google.com/~r/" + p.host + "/~3/" + p.id(8) + "/"
			a.Moves++
		}),
	},
}

// Feeds whose dates are missing or wrong.
var dateFaults = []*Archetype{
	{
		Name: "undated", Family: Dates, About: "No dates at all.",
		Compose: steps(essay, guidNumber, noDate),
	},
	{
		Name: "dated-now", Family: Dates, About: "Every item is dated to the time of the poll.",
		Render: func(p *Publisher, _ *Article, it *Item) {
			it.Published = p.Now.Add(-time.Duration(it.Pos) * time.Second)
			it.Updated = time.Time{}
		},
	},
	{
		Name: "timezone-flip", Family: Dates, About: "One poll in five shows all dates seven hours off.",
		Render: func(p *Publisher, _ *Article, it *Item) {
			if p.Poll%5 == 2 {
				it.Published = it.Published.Add(7 * time.Hour)
			}
		},
	},
	{
		Name: "republished", Family: Dates, About: "Old articles go to the top again with a new guid and a new date.",
		Tick: func(p *Publisher) {
			if p.rng.IntN(20) != 0 {
				return
			}
			i := p.rng.IntN(len(p.visible()))
			a := p.articles[i]
			p.articles = append([]*Article{a}, append(p.articles[:i:i], p.articles[i+1:]...)...)
			freshGUID(p, a)
			a.Published = p.Now.Add(-time.Minute)
		},
	},
}
