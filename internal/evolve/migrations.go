package evolve

import (
	"fmt"
	"strings"
	"time"
)

// Feeds that move to another system once. Articles published afterwards get guids and links from the old hand:
// what matters is what becomes of those that are known.
var migrations = []*Archetype{
	{
		Name: "move-guids", Family: Migrating, About: "New guids for all.",
		Upheave: every(newNumbers),
	},
	{
		Name: "move-guids-links", Family: Migrating, About: "New guids and links for all.",
		Upheave: every(movedOut),
	},
	{
		Name: "move-all-dates", Family: Migrating, About: "New guids, links and dates for all.",
		Upheave: every(func(p *Publisher, a *Article, i int) {
			movedOut(p, a, i)
			a.Published = p.Now.Add(-time.Duration(i) * time.Second)
			a.Updated = time.Time{}
		}),
	},
	{
		Name: "move-markup", Family: Migrating, About: "New guids and links, other markup, curly quotes and a line at the end.",
		Upheave: every(func(p *Publisher, a *Article, i int) {
			movedOut(p, a, i)
			for k, s := range a.Paras {
				a.Paras[k] = strings.NewReplacer("'", "’", "’", "'", "–", "—").Replace(s)
			}
			a.Head = `<div class="c">`
			a.Tail = "</div><p>The post " + a.Title + " appeared first on Site.</p>"
		}),
	},
	{
		Name: "move-undated", Family: Migrating, About: "New guids and links, and there never were dates.",
		Compose: steps(essay, guidNumber, noDate),
		Upheave: every(movedOut),
	},
	{
		Name: "move-and-publish", Family: Migrating, About: "New guids and links, a shorter list, and a new article among them.",
		Upheave: func(p *Publisher) {
			every(movedOut)(p)
			p.window = p.window/2 + 1
			p.publish(p.Now)
		},
	},
	{
		Name: "move-releases", Family: Migrating, About: "Version numbers for titles get new guids and links.",
		Edits: 0.01, English: true, Compose: release, Upheave: every(movedOut),
	},
	{
		Name: "move-microblog", Family: Migrating, About: "Untitled short texts get new guids and links.",
		Edits: 0.01, Compose: steps(status, guidLink), Upheave: every(movedOut),
	},
	{
		Name: "move-comments", Family: Migrating, About: "Comments, often the same words, get new guids.",
		Edits: 0.01, English: true, Compose: comment, Upheave: every(newNumbers),
	},
	{
		Name: "move-changelog", Family: Migrating, About: "Entries with one title and one link get new guids.",
		Edits: 0.01, Compose: steps(whatsNew, serialGUID("cl")), Upheave: every(newNumbers),
	},
	{
		Name: "move-weather", Family: Migrating, About: "The daily weather gets new guids.",
		Pace: Daily, Few: true, Edits: -1, English: true,
		Compose: steps(weather, serialGUID("w")), Upheave: every(newNumbers),
	},
	{
		Name: "move-jobs", Family: Migrating, About: "Job advertisements, all much the same, get new guids.",
		Edits: 0.01, English: true, Compose: vacancy, Upheave: every(newNumbers),
	},
	{
		Name: "move-advisories", Family: Migrating, About: "Advisories, all much the same, get new guids and links.",
		Edits: 0.01, English: true, Compose: advisory, Upheave: every(movedOut),
	},
}

// movedOut is a move to another system under another address.
func movedOut(p *Publisher, a *Article, i int) {
	a.GUID = fmt.Sprintf("urn:ghost:%d", i+1)
	newSite(p, a)
	p.memory["generator"] = "Other 2.0"
}

// Feeds that bring back what was gone.
var memories = []*Archetype{
	{
		Name: "archive-returns", Family: Memories, About: "Now and then articles from long ago are listed again.",
		Arrange: func(p *Publisher, items []Item) []Item {
			if p.Poll%37 != 36 || len(p.articles) <= p.window+3 {
				return items
			}
			for i := range 3 {
				items = append(items, p.render(p.articles[len(p.articles)-1-i], len(items)))
			}
			return items
		},
	},
	{
		Name: "podcast-early-access", Family: Memories, About: "After a day, an episode appears again for all: new guid, later date.",
		Edits: 0.01, Compose: episode,
		Tick: func(p *Publisher) {
			for _, a := range p.visible() {
				if a.Tag("public") == "" && p.Now.Sub(a.Published) > 24*time.Hour {
					a.SetTag("public", "yes")
					a.GUID = "pub-" + p.hex(15)
					a.Published = a.Published.Add(24 * time.Hour)
				}
			}
		},
	},
	{
		Name: "podcast-host-move", Family: Memories, About: "A podcast changes its host: new guids and other files for all.",
		Edits: 0.01, Compose: episode,
		Upheave: each(func(p *Publisher, a *Article) {
			a.GUID = "new-" + p.hex(15)
			a.Enclosures = copied(a.Enclosures, func(u string) string { return strings.Replace(u, "cdn.", "media.newhost.", 1) })
			a.Moves++
		}),
	},
}
