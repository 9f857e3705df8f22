package format

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// buildFeed fills in what the prologue says of the feed itself.
func (p *parser) buildFeed() {
	d := p.doc
	id := p.feed
	if id < 0 {
		id = 0 // RSS without channel
	}
	if len(p.nodes) == 0 {
		return
	}
	var title, description, site, generator, lang, moved pick
	var updated datePick
	var period string
	var frequency int
	var links []Link
	n := p.nodes[id]
	lang.offer(3, n.lang)
	for c := n.first; c != 0; c = p.nodes[c].next {
		k := &p.nodes[c]
		switch k.ns {
		case nsCore, nsAtom:
			foreign := 0
			if k.ns == nsAtom && p.root != rootAtom {
				foreign = 1
			}
			switch k.name {
			case "title":
				title.offer(foreign, p.title(c))
			case "description", "subtitle", "tagline":
				description.offer(foreign, p.html(c))
			case "info":
				description.offer(3, p.html(c))
			case "link":
				if l, ok := p.link(c); ok && len(links) < maxValues {
					links = append(links, l)
				}
			case "generator":
				generator.offer(foreign, oneLine(p.value(c)))
			case "language":
				lang.offer(0, p.value(c))
			case "lastbuilddate", "updated", "modified":
				updated.offer(foreign, p.value(c))
			case "pubdate", "published":
				updated.offer(2, p.value(c))
			case "ttl":
				d.TTL = minutes(p.value(c))
			case "skiphours":
				p.skipHours(k)
			case "skipdays":
				p.skipDays(k)
			case "newlocation", "redirect":
				moved.offer(1, resolve(k.base, cleanURL(p.value(c))))
			case "home", "url":
				if p.root == rootRSS && web(p.value(c)) {
					site.offer(3, p.value(c))
				}
			}
		case nsDC, nsDCTerms:
			switch k.name {
			case "title":
				title.offer(2, p.title(c))
			case "description":
				description.offer(2, p.html(c))
			case "language":
				lang.offer(1, p.value(c))
			case "date", "modified":
				updated.offer(3, p.value(c))
			}
		case nsITunes:
			switch k.name {
			case "new-feed-url":
				moved.offer(0, resolve(k.base, cleanURL(p.value(c))))
			case "summary", "subtitle":
				description.offer(4, p.plainOrHTML(c))
			}
		case nsAdmin:
			if k.name == "generatoragent" {
				generator.offer(2, p.attr(c, "resource"))
			}
		case nsSyndication:
			switch k.name {
			case "updateperiod":
				period = p.value(c)
			case "updatefrequency":
				frequency, _ = strconv.Atoi(p.value(c))
			}
		}
	}
	d.Title, d.Description = title.value, description.value
	d.Generator, d.Lang, d.NewURL = generator.value, lang.value, moved.value
	d.Updated = updated.date
	if d.TTL == 0 {
		d.TTL = syndicationPeriod(period, frequency)
	}
	d.SiteURL = page(links, d.Lang)
	if d.SiteURL == "" {
		d.SiteURL = site.value
	}
	for _, l := range links {
		switch {
		case l.Rel == "self" && d.SelfURL == "":
			d.SelfURL = l.Href
		case l.Rel == "hub" && d.HubURL == "":
			d.HubURL = l.Href
		}
	}
}

// finish resolves URLs and lets items inherit, once the whole document is known.
func (d *Document) finish(opts Options, atom bool) {
	// Relative links of an RSS item are relative to the site, wherever the feed is hosted; those of Atom, by
	// RFC 3986, to the document.
	where := opts.URL
	if !web(where) {
		where = ""
	}
	for _, u := range []*string{&d.SelfURL, &d.SiteURL, &d.HubURL, &d.NewURL} {
		if *u == "" {
			continue
		}
		if *u = resolveLink(where, *u); where == "" && web(d.SelfURL) && u == &d.SelfURL {
			where = d.SelfURL
		}
	}
	base := where
	if web(d.SiteURL) && (!atom || base == "") {
		base = d.SiteURL
	}
	d.absolute(base)
	d.checkDate(d.Updated)
	for i := range d.Items {
		it := &d.Items[i]
		d.checkDate(it.Published)
		d.checkDate(it.Updated)
		if it.Lang == "" {
			it.Lang = d.Lang
		}
		it.Link = itemPage(it, d.Lang)
		if it.Invalid == "" && it.GUID == "" && it.Link == "" && it.Title == "" && it.Summary == "" && it.Content == "" && len(it.Enclosures) == 0 {
			it.Invalid = nothingIdentifies
		}
	}
}

func (d *Document) checkDate(date Date) {
	if date.Text != "" && date.Time.IsZero() {
		d.warn("a date cannot be read: “%s”", clip(date.Text, 60))
	}
}

// maxTTL bounds how long a publisher may ask to wait.
const maxTTL = 366 * 24 * time.Hour

func minutes(s string) time.Duration {
	n, err := strconv.Atoi(s)
	if err != nil || n <= 0 || n > int(maxTTL/time.Minute) {
		return 0
	}
	return time.Duration(n) * time.Minute
}

// syndicationPeriod is the time between updates by the RSS 1.0 syndication module.
func syndicationPeriod(period string, frequency int) time.Duration {
	var d time.Duration
	switch strings.ToLower(period) {
	case "hourly":
		d = time.Hour
	case "daily":
		d = 24 * time.Hour
	case "weekly":
		d = 7 * 24 * time.Hour
	case "monthly":
		d = 30 * 24 * time.Hour
	case "yearly":
		d = 365 * 24 * time.Hour
	}
	if frequency > 1 && frequency < 10_000 {
		d /= time.Duration(frequency)
	}
	return d
}

func (p *parser) skipHours(n *node) {
	for c := n.first; c != 0; c = p.nodes[c].next {
		h, err := strconv.Atoi(p.value(c))
		if err != nil || h < 0 || h > 24 || slices.Contains(p.doc.SkipHours, h%24) {
			continue
		}
		p.doc.SkipHours = append(p.doc.SkipHours, h%24) // RSS 0.91 counts from 1 to 24
	}
}

func (p *parser) skipDays(n *node) {
	for c := n.first; c != 0; c = p.nodes[c].next {
		for day := time.Sunday; day <= time.Saturday; day++ {
			if strings.EqualFold(p.value(c), day.String()) && !slices.Contains(p.doc.SkipDays, day) {
				p.doc.SkipDays = append(p.doc.SkipDays, day)
			}
		}
	}
}
