package evolve

import (
	"fmt"
	"strings"
)

// Feeds without a fault. Most are hard all the same: their articles are much like each other.
var sound = []*Archetype{
	{
		Name: "wordpress", Family: Sound, About: "A blog with stable guids, as WordPress makes them.",
		Compose: steps(essay, guidNumber),
		Render: func(p *Publisher, a *Article, it *Item) {
			it.Summary = p.text.Cut(strings.Join(a.Paras, " "), 30) + " […]"
		},
	},
	{
		Name: "permalink", Family: Sound, About: "The guid is the link, and both are stable.",
		Compose: steps(essay, guidLink),
	},
	{
		Name: "youtube", Family: Sound, About: "Eleven-letter ids in which case matters.",
		Compose: steps(essay, func(p *Publisher, a *Article) {
			id := p.videoID()
			a.GUID, a.Link = "yt:video:"+id, "https://www.youtube.com/watch?v="+id
		}),
	},
	{
		Name: "reddit", Family: Sound, About: "Own titles over bodies that are all boilerplate.", Edits: 0.01,
		Compose: steps(essay, func(p *Publisher, a *Article) {
			id := p.id(7)
			a.GUID = "t3_" + id
			a.Link = "https://www.reddit.com/r/go/comments/" + id + "/" + a.Slug + "/"
			a.Paras = []string{fmt.Sprintf("submitted by /u/user%d [link] [comments]", p.rng.IntN(50))}
		}),
	},
	{
		Name: "github-releases", Family: Sound, About: "Version numbers for titles, and a few texts for all releases.",
		Edits: 0.01, Compose: release, English: true,
	},
	{
		Name: "podcast", Family: Sound, About: "All episodes link to the site, and their files carry a token per request.",
		Edits: 0.01, Compose: episode,
		Render: func(p *Publisher, _ *Article, it *Item) {
			it.Enclosures = copied(it.Enclosures, func(u string) string { return u + "?token=" + p.hex(10) })
		},
	},
	{
		Name: "podcast-latest-mp3", Family: Sound, About: "Every episode has the same title, text, link and file name.",
		Pace: Daily, Few: true, Edits: -1, English: true,
		Compose: steps(titled("Daily News"), paras("Your daily news podcast."), linkTo("/"), func(p *Publisher, a *Article) {
			a.Enclosures = audio("https://cdn." + p.host + "/latest.mp3")
			a.GUID = fmt.Sprintf("%s-%d", p.hex(12), a.N)
		}),
	},
	{
		Name: "advisories", Family: Sound, About: "Security advisories that differ in product, versions and number.",
		Edits: 0.01, English: true, Compose: advisory,
	},
	{
		Name: "comments", Family: Sound, About: "Comments on three posts: few authors, and often the same words.",
		Edits: 0.01, Compose: comment, English: true,
	},
	{
		Name: "microblog", Family: Sound, About: "No titles, short texts, and good morning every day.",
		Edits: 0.01, Compose: steps(status, guidLink),
	},
	{
		Name: "images-only", Family: Sound, About: "A picture each, no title and no text.", Edits: 0.01,
		Compose: func(p *Publisher, a *Article) {
			a.Head = fmt.Sprintf(`<img src="%s"/>`, p.url("/i/%s.png", p.hex(8)))
			a.Link = p.url("/post/%d", 9000+a.N)
			a.GUID = a.Link
		},
	},
	{
		Name: "editions", Family: Sound, About: "Each article twice, in two editions with their own links and declared languages.",
		Edits: 0.01, Compose: steps(essay, guidLink),
		Tick: func(p *Publisher) {
			for _, a := range p.visible() {
				if a.Tag("twin") == "" {
					p.twin(a)
				}
			}
		},
	},
	{
		Name: "open-thread", Family: Sound, About: "The same title and the same text every week, each with its own link.",
		Edits: 0.01, English: true,
		Compose: steps(titled("Open Thread"), paras("This is the weekly open thread. Talk about anything you like, be kind "+
			"to one another, and remember that the comment policy applies. Previous threads can be found in the archive."),
			func(p *Publisher, a *Article) { a.Link = p.url("/open-thread-%d", a.N) }, guidNumber),
	},
	{
		Name: "jobs", Family: Sound, About: "Job advertisements: few titles, and one text for all but the names.",
		Edits: 0.01, English: true, Compose: vacancy,
	},
	{
		Name: "link-blog", Family: Sound, About: "Six notes share a page; the guid is the page with a fragment.",
		Compose: steps(note, func(p *Publisher, a *Article) {
			a.Link = p.url("/links/%d", a.N/6)
			a.GUID = fmt.Sprintf("%s#%d", a.Link, a.N)
		}),
	},
	{
		Name: "hacker-news", Family: Sound, About: "Links to elsewhere; one in twelve was submitted before, and is discussed anew.",
		Edits: 0.01, Compose: submission,
	},
	{
		Name: "daily-weather", Family: Sound, About: "The same title and link every day, and a text that differs in two numbers.",
		Pace: Daily, Few: true, Edits: -1, English: true, Compose: steps(weather, serialGUID("w")),
	},
	{
		Name: "status-page", Family: Sound, About: "Three titles and one text for all incidents.", Edits: 0.01, English: true,
		Compose: func(p *Publisher, a *Article) {
			a.Title = p.oneOf("Elevated error rates", "Scheduled maintenance", "API latency")
			a.Link = p.url("/incidents/%s", p.id(8))
			a.GUID = fmt.Sprintf("tag:%s,2005:Incident/%d", p.host, 9000+a.N)
			a.Paras = []string{
				"<strong>Resolved</strong> - This incident has been resolved.",
				"<strong>Monitoring</strong> - A fix has been implemented and we are monitoring the results.",
				"<strong>Investigating</strong> - We are currently investigating this issue.",
			}
		},
	},
	{
		Name: "changelog", Family: Sound, About: "Every entry is called What's new, and links to the same page.",
		Edits: 0.01, Compose: steps(whatsNew, serialGUID("cl")),
	},
	{
		Name: "earnings", Family: Sound, About: "Companies report quarters in the same words with other numbers.",
		Edits: 0.01, English: true, Compose: earnings,
	},
	{
		Name: "price-alerts", Family: Sound, About: "A handful of titles for all offers; only prices and dates differ.",
		Edits: -1, English: true, Compose: offer,
	},
	{
		Name: "earthquakes", Family: Sound, About: "Titles and texts made of numbers, some of them revised later.",
		Edits: 0.01, English: true, Compose: earthquake,
	},
}

// videoID is eleven letters, digits, hyphens and underscores.
func (p *Publisher) videoID() string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	b := make([]byte, 11)
	for i := range b {
		b[i] = letters[p.rng.IntN(len(letters))]
	}
	return string(b)
}

// twin publishes the other edition of an article: an article of its own, with the same text.
func (p *Publisher) twin(a *Article) {
	p.nextID++
	t := *a
	t.tags = map[string]string{"twin": "of another"}
	t.ID, t.Version = p.nextID, 0
	t.Lang = a.Lang + "-x-edition"
	t.Link = strings.Replace(a.Link, p.host+"/", p.host+"/edition/", 1)
	t.GUID = t.Link
	a.SetTag("twin", "written")
	for i, other := range p.articles {
		if other == a {
			p.articles = append(p.articles[:i+1:i+1], append([]*Article{&t}, p.articles[i+1:]...)...)
			return
		}
	}
}
