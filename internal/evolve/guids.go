package evolve

import (
	"fmt"
	"strings"
)

// Feeds whose guids change, are shared, or are missing.
var guidFaults = []*Archetype{
	{
		Name: "guid-on-edit", Family: GUIDs, About: "A plug-in gives an article a new guid whenever it is edited.",
		Revise: freshGUID,
	},
	{
		Name: "guid-on-publish", Family: GUIDs, About: "Publishing again gives a new guid, and half the time a new link or date.",
		Compose: steps(essay, freshUUID),
		Revise: func(p *Publisher, a *Article) {
			freshUUID(p, a)
			if p.chance(0.5) {
				a.Link += "-2"
				a.Moves++
			}
			if p.chance(0.5) {
				bumped(p, a)
			}
		},
	},
	{
		Name: "guid-per-render", Family: GUIDs, About: "Every item has a new guid at every poll.",
		Render: func(p *Publisher, _ *Article, it *Item) { it.GUID = "r-" + p.hex(15) },
	},
	{
		Name: "guid-per-render-undated", Family: GUIDs, About: "Every item has a new guid at every poll, and none has a date.",
		Compose: steps(essay, noDate),
		Render:  func(p *Publisher, _ *Article, it *Item) { it.GUID = "r-" + p.hex(15) },
	},
	{
		Name: "guid-per-render-one-link", Family: GUIDs, About: "Every item has a new guid at every poll, and all link to one page.",
		Compose: steps(note, linkTo("/status")),
		Render:  func(p *Publisher, _ *Article, it *Item) { it.GUID = "r-" + p.hex(15) },
	},
	{
		Name: "guid-scheme-flip", Family: GUIDs, About: "Guids are now https, now http, now with white space around them.",
		Render: func(p *Publisher, a *Article, it *Item) {
			switch p.Poll % 3 {
			case 1:
				it.GUID = strings.Replace(a.GUID, "https://", "http://", 1)
			case 2:
				it.GUID = "  " + a.GUID + "\n"
			}
		},
	},
	{
		Name: "guid-case-change", Family: GUIDs, About: "A new system writes all guids in lower case.",
		Compose: steps(essay, func(_ *Publisher, a *Article) { a.GUID = fmt.Sprintf("Post-AbC%d", a.N) }),
		Upheave: each(func(_ *Publisher, a *Article) { a.GUID = strings.ToLower(a.GUID) }),
	},
	{
		Name: "guid-fragment", Family: GUIDs, About: "The guid is the link with a fragment that goes up now and then.",
		Compose: steps(essay, guidLink),
		Render: func(p *Publisher, a *Article, it *Item) {
			it.GUID = fmt.Sprintf("%s#%d", a.GUID, p.Poll/20%4)
		},
	},
	{
		Name: "guid-fragment-twins", Family: GUIDs, About: "Some items are listed twice, under two fragments of their guid.",
		Compose: steps(essay, guidLink),
		Arrange: func(p *Publisher, items []Item) []Item {
			for _, it := range items {
				if it.Article%4 == 0 && p.Poll%2 == 1 {
					it.GUID += "#3"
					items = append(items, it)
				}
			}
			return items
		},
	},
	{
		Name: "guid-shared", Family: GUIDs, About: "All items have the guid of the feed.",
		Compose: steps(essay, func(p *Publisher, a *Article) { a.GUID = p.url("/feed") }),
	},
	{
		Name: "noguid-own-link", Family: GUIDs, About: "No guids, but a link for each article.",
		Compose: steps(essay, noGUID),
	},
	{
		Name: "noguid-token-link", Family: GUIDs, About: "No guids, and links that carry another token at every poll.",
		Compose: steps(essay, noGUID), Render: tokenLink,
	},
	{
		Name: "noguid-one-link", Family: GUIDs, About: "No guids, and one link for all.",
		Compose: steps(note, noGUID, linkTo("/status")),
	},
	{
		Name: "noguid-no-link", Family: GUIDs, About: "Neither guids nor links: title and date must do.",
		Compose: steps(essay, noGUID, noLink),
	},
	{
		Name: "noguid-undated-status", Family: GUIDs, About: "No guids, no dates, one link and three titles: only the text differs.",
		Compose: steps(note, noGUID, noDate, linkTo("/status"), titled("Incident", "Maintenance", "Notice")),
	},
	{
		Name: "noguid-microblog", Family: GUIDs, About: "No guids, no titles, no dates: a text and a link.", Edits: 0.01,
		Compose: steps(noDate, func(p *Publisher, a *Article) {
			a.Paras = []string{p.text.Remark(25)}
			a.Link = p.url("/@me/%d", 110000000+a.N*997)
		}),
	},
	{
		Name: "noguid-title-edits", Family: GUIDs, About: "No guids, and edits lengthen the title.",
		Compose: steps(essay, noGUID),
		Revise:  func(p *Publisher, a *Article) { a.Title += " " + p.text.Name() },
	},
	{
		Name: "noguid-weather", Family: GUIDs, About: "The daily weather without guids: only the date tells.",
		Pace: Daily, Few: true, Edits: -1, English: true, Compose: weather,
	},
	{
		Name: "guid-recycled", Family: GUIDs, About: "Now and then an old guid is given to a new article.",
		Tick: func(p *Publisher) {
			if p.Poll%40 != 39 || len(p.articles) <= 6 {
				return
			}
			old := p.articles[5]
			p.articles = append(p.articles[:5:5], p.articles[6:]...)
			p.publish(p.Now).GUID = old.GUID
		},
	},
	{
		Name: "headline-with-guid", Family: GUIDs, About: "An edit comes with a new headline and a new guid; the link stays.",
		Revise: func(p *Publisher, a *Article) {
			freshGUID(p, a)
			a.Title = p.text.Headline()
		},
	},
	{
		Name: "guid-on-edit-dateonly", Family: GUIDs, About: "Edits give a new guid, and dates have no time of day.",
		Compose: steps(essay, guidNumber, dateOnly), Revise: freshGUID,
	},
	{
		Name: "guid-and-slug-on-edit", Family: GUIDs, About: "Edits give a new guid and a new link.",
		Revise: steps(freshGUID, func(_ *Publisher, a *Article) {
			a.Link += "-v2"
			a.Moves++
		}),
	},
	{
		Name: "guid-counter-reset", Family: GUIDs, About: "A move restarts the counter in the guids: they now are those of other articles.",
		Upheave: func(p *Publisher) {
			for i, a := range p.articles {
				a.GUID = p.url("/?p=%d", 1000+(i+3)*7)
			}
			p.serial = len(p.articles) + 3
		},
	},
	{
		Name: "guid-preview", Family: GUIDs, About: "A push has the guid of the preview, the next poll the final one.",
		Push: func(_ *Publisher, a *Article, it *Item) { it.GUID = a.GUID + "&preview=true" },
	},
	{
		Name: "guid-push-scheme", Family: GUIDs, About: "Pushed items have https in their guids, polled ones http.",
		Compose: steps(essay, guidLink),
		Push:    func(_ *Publisher, a *Article, it *Item) { it.GUID = a.GUID },
		Render: func(p *Publisher, a *Article, it *Item) {
			it.GUID = strings.Replace(a.GUID, "https://", "http://", 1)
		},
	},
}
