package evolve

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// A mix is a combination of manners, one of each kind, drawn at random: what no archetype was written for.
type mix struct{ content, guid, link, date, noise int }

// The manners of each kind, in the order of their numbers.
var (
	contents = []string{"essays", "short", "advisories", "untitled", "few titles", "releases", "episodes", "one-word titles"}
	guids    = []string{"stable", "none", "new on edit", "new by a move", "new by a move to other links", "new at every poll", "shared", "https or http"}
	links    = []string{"own", "one page", "elsewhere", "new on edit", "token", "www and utm", "other host at times", "none"}
	dates    = []string{"full", "none", "day only", "bumped by edits", "now", "zone flip"}
	noisy    = []string{"none", "relative dates", "footer node", "excerpts", "pixel", "title counter"}
)

func newMix(rng *rand.Rand) mix {
	return mix{rng.IntN(len(contents)), rng.IntN(len(guids)), rng.IntN(len(links)), rng.IntN(len(dates)), rng.IntN(len(noisy))}
}

// String names the manners.
func (m mix) String() string {
	return fmt.Sprintf("content: %s, guid: %s, link: %s, date: %s, noise: %s",
		contents[m.content], guids[m.guid], links[m.link], dates[m.date], noisy[m.noise])
}

// Chaos combines manners of content, guid, link, date and noise at random, another combination for each feed.
var Chaos = &Archetype{
	Name: "chaos", Family: Random, About: "Faults combined at random: 18,432 combinations of content, guid, link, date and noise.",
	Compose: func(p *Publisher, a *Article) { p.mix.compose(p, a) },
	Revise:  func(p *Publisher, a *Article) { p.mix.revise(p, a) },
	Upheave: func(p *Publisher) { p.mix.upheave(p) },
	Render:  func(p *Publisher, a *Article, it *Item) { p.mix.render(p, a, it) },
	Differ:  func(p *Publisher, a *Article) string { return p.mix.differ(a) },
}

func (m mix) compose(p *Publisher, a *Article) {
	essay(p, a)
	switch contents[m.content] {
	case "short":
		a.Paras = []string{p.text.Remark(10)}
	case "advisories":
		a.Title = fmt.Sprintf("Advisory %d for %s", 100+a.N, p.oneOf("openssl", "curl", "zlib"))
		a.Paras = []string{fmt.Sprintf("A %s vulnerability was found in version %d.%d.%d of the product. A remote attacker could use "+
			"this issue to crash the application. Please update as soon as possible.",
			p.oneOf("use-after-free", "integer overflow"), p.rng.IntN(4), p.rng.IntN(20), p.rng.IntN(10))}
	case "untitled":
		a.Title = ""
		a.Paras = []string{p.text.Remark(22)}
	case "few titles":
		a.Title = p.oneOf("Notice", "Weekly update", "Release notes", "News")
	case "releases":
		a.Title = fmt.Sprintf("v1.%d.%d", a.N/10, a.N%10)
		a.Paras = []string{p.oneOf("Bug fixes and performance improvements.", "Bug fixes.", "Full Changelog: see commits")}
	case "episodes":
		episode(p, a)
		ownLink(p, a)
	case "one-word titles":
		shortTitle(p, a)
		ownLink(p, a)
	}
	guidNumber(p, a)
	switch guids[m.guid] {
	case "none":
		noGUID(p, a)
	case "shared":
		a.GUID = p.url("/feed")
	}
	switch links[m.link] {
	case "one page":
		a.Link = p.url("/page")
	case "elsewhere":
		a.Link = fmt.Sprintf("https://ext%d.example/%s", p.rng.IntN(40), a.Slug)
	case "none":
		noLink(p, a)
	}
	switch dates[m.date] {
	case "none":
		noDate(p, a)
	case "day only":
		dateOnly(p, a)
	}
}

func (m mix) revise(p *Publisher, a *Article) {
	if guids[m.guid] == "new on edit" {
		freshGUID(p, a)
	}
	if links[m.link] == "new on edit" {
		slugSuffix(p, a)
	}
	if dates[m.date] == "bumped by edits" {
		bumped(p, a)
	}
}

func (m mix) upheave(p *Publisher) {
	switch guids[m.guid] {
	case "new by a move":
		every(newNumbers)(p)
	case "new by a move to other links":
		every(newNumbers)(p)
		each(func(_ *Publisher, a *Article) {
			if a.Link != "" {
				a.Link = strings.Replace(a.Link, ".example/", ".example.net/p/", 1)
				a.Moves++
			}
		})(p)
	}
}

func (m mix) render(p *Publisher, a *Article, it *Item) {
	switch guids[m.guid] {
	case "new at every poll":
		it.GUID = "r-" + p.hex(15)
	case "https or http":
		if p.Poll%3 == 1 {
			it.GUID = strings.Replace(it.GUID, "https://", "http://", 1)
		}
	}
	switch links[m.link] {
	case "token":
		tokenLink(p, a, it)
	case "www and utm":
		if p.Poll%2 == 0 {
			it.URL = strings.Replace(it.URL, "https://", "http://www.", 1) + "/?utm_source=x"
		}
	case "other host at times":
		if p.Poll%5 == 3 {
			it.URL = strings.Replace(it.URL, "https://", "https://mirror.", 1)
			it.Face += "mirror"
		}
	}
	switch dates[m.date] {
	case "now":
		it.Published, it.Updated = p.Now.Add(-time.Duration(it.Pos)*time.Second), time.Time{}
	case "zone flip":
		if p.Poll%4 == 1 {
			it.Published = it.Published.Add(5 * time.Hour)
		}
	}
	switch noisy[m.noise] {
	case "relative dates":
		it.Content = fmt.Sprintf("<p>Posted %d hours ago | %d comments</p>", p.Poll+24, p.rng.IntN(50)) + it.Content
	case "footer node":
		footerNode(p, a, it)
	case "excerpts":
		if p.Poll%3 == 1 {
			excerpt(p, a, it, 30)
		}
	case "pixel":
		pixel(p, a, it)
	case "title counter":
		if a.Title != "" {
			it.Title = fmt.Sprintf("%s [%d comments]", a.Title, p.rng.IntN(3)+p.Poll/10)
		}
	}
}

// differ is what tells two articles apart for certain: what changes by itself does not count, or two of them could
// be equal to any reader.
func (m mix) differ(a *Article) string {
	id := a.Title + "\x00" + strings.Join(a.Paras, "\x00")
	for _, e := range a.Enclosures {
		id += "\x00" + e.URL
	}
	switch guids[m.guid] {
	case "stable", "new on edit", "new by a move", "https or http":
		id += "\x00" + a.GUID
	}
	if link := links[m.link]; link != "one page" && link != "none" {
		id += "\x00" + a.Link
	}
	if date := dates[m.date]; date == "full" || date == "zone flip" {
		id += "\x00" + a.Published.String()
	}
	return id
}
