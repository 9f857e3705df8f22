package evolve

import (
	"slices"
	"time"

	"feedonce/dedup"
)

// How often documents suffer on their way from publisher to reader.
const (
	shuffled  = 0.10  // in another order
	truncated = 0.01  // cut off, and salvaged
	failed    = 0.01  // an error of the server: no document
	stale     = 0.02  // from a node that is some polls behind
	twice     = 0.01  // fetched by two workers at once
	tagged    = 0.01  // with other markup, as for another user agent
	encoded   = 0.005 // with characters written as references
	plain     = 0.01  // text where there was HTML
	hub       = 0.05  // preceded by what is new in it, pushed by a hub
)

// keep is how many documents a node can be behind.
const keep = 6

// Next is the next poll: the documents that reach the reader, none where the server failed, several where something
// was pushed or two workers fetched at once.
func (p *Publisher) Next() []Document {
	known := p.nextID
	p.advance()
	var docs []Document
	if fresh := p.nextID - known; fresh > 0 && p.Poll > 0 && (p.Kind.Push != nil || p.chance(hub)) {
		docs = append(docs, p.pushed(fresh))
	}
	switch {
	case p.Poll == 0: // the first document arrives in good order
		docs = append(docs, p.document(""))
	case p.chance(failed):
	case p.chance(stale):
		old := p.served[p.rng.IntN(len(p.served))]
		old.Fetched = p.Now
		docs = append(docs, old)
	default:
		d := p.document(p.view())
		if p.chance(truncated) && len(d.Items) > 1 {
			n := p.rng.IntN(len(d.Items))
			d.Partial, d.Items, d.Origins = true, d.Items[:n], d.Origins[:n]
		}
		docs = append(docs, d)
		if p.chance(twice) {
			again := p.document("")
			again.Fetched = again.Fetched.Add(time.Second)
			docs = append(docs, again)
		}
	}
	if len(docs) > 0 && !docs[len(docs)-1].Partial {
		p.served = append(p.served, docs[len(docs)-1])
		p.served = p.served[max(0, len(p.served)-keep):]
	}
	every := p.Kind.Every
	if every == 0 {
		every = time.Hour
	}
	p.Now = p.Now.Add(every)
	p.Poll++
	return docs
}

// view is how the document is written this time; "" is as usual.
func (p *Publisher) view() string {
	switch {
	case p.chance(tagged):
		return "tagged"
	case p.chance(encoded):
		return "encoded"
	case p.chance(plain):
		return "plain"
	}
	return ""
}

// document renders what is visible now.
func (p *Publisher) document(view string) Document {
	listed := p.visible()
	items := make([]Item, 0, len(listed))
	for i, a := range listed {
		items = append(items, p.render(a, i))
	}
	if p.Kind.Arrange != nil {
		items = p.Kind.Arrange(p, items)
	}
	if p.chance(shuffled) {
		p.rng.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	}
	return p.pack(items, view)
}

// pushed renders the newest articles as a hub delivers them: without the rest of the document.
func (p *Publisher) pushed(n int) Document {
	var items []Item
	for i, a := range p.visible()[:min(n, p.window, len(p.articles))] {
		it := p.render(a, i)
		if p.Kind.Push != nil {
			p.Kind.Push(p, a, &it)
		}
		items = append(items, it)
	}
	d := p.pack(items, "")
	d.Fetched = d.Fetched.Add(-time.Minute)
	d.Partial = true
	return d
}

func (p *Publisher) pack(items []Item, view string) Document {
	d := Document{
		Document: dedup.Document{
			Fetched: p.Now, Site: p.url("/"), Generator: p.generator(), Items: make([]dedup.Item, len(items)),
		},
		Origins: make([]Origin, len(items)),
	}
	for i, it := range items {
		it.seen(view)
		it.Permalink = it.GUID != "" && it.GUID == it.URL
		it.Enclosures = slices.Clip(it.Enclosures)
		d.Items[i], d.Origins[i] = it.Item, it.Origin
	}
	return d
}

func (p *Publisher) generator() string {
	if g := p.memory["generator"]; g != "" {
		return g
	}
	return "Simulator 1.0"
}
