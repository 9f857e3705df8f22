package demo

import (
	"fmt"

	"feedonce"
)

// Publishers whose guids cannot be relied on.

func guidPerEdit(nr newsroom) *Publisher {
	return &Publisher{
		Name: nr.name, Title: "The Plugin Press",
		Habit: "gives an article another guid whenever it is edited",
		edition: func(poll int) Edition {
			items := nr.window(poll, shelf, func(a *article) {
				a.guid = "press-first-" + letters(a.number)
				if revised(a.number, poll) {
					a.guid = "press-second-" + letters(a.number)
					a.body += correction
				}
			})
			return Edition{Body: rss(channel{title: "The Plugin Press", site: "https://" + nr.host + "/"}, items), Articles: truth(items)}
		},
		want: wantRevisions,
	}
}

func republished(nr newsroom) *Publisher {
	return &Publisher{
		Name: nr.name, Title: "The Republic",
		Habit: "publishes articles again under another guid, word for word",
		edition: func(poll int) Edition {
			items := nr.window(poll, shelf, func(a *article) {
				a.guid = "post-" + letters(a.number)
				if revised(a.number, poll) {
					a.guid = "again-" + letters(a.number)
				}
			})
			return Edition{Body: rss(channel{title: "The Republic", site: "https://" + nr.host + "/"}, items), Articles: truth(items)}
		},
		want: func(poll int) Want {
			w := onePerPoll(poll)
			if poll > 0 && revisesAt(poll) {
				w.Counts = feedonce.Counts{New: 1, Duplicate: 1, Unchanged: shelf - 2}
			}
			return w
		},
	}
}

func freshGuids(nr newsroom) *Publisher {
	return &Publisher{
		Name: nr.name, Title: "The Fresh Forum",
		Habit: "makes up a new guid for every item at every poll",
		edition: func(poll int) Edition {
			items := nr.window(poll, shelf, func(a *article) { a.guid = fmt.Sprintf("%s-at-%s", letters(a.number), letters(poll)) })
			return Edition{Body: rss(channel{title: "The Fresh Forum", site: "https://" + nr.host + "/"}, items), Articles: truth(items)}
		},
		want: func(poll int) Want {
			return wantNew(shelf, poll, Want{Status: "new", Counts: feedonce.Counts{New: 1}, Folded: shelf - 1})
		},
	}
}

func sharedGuid(nr newsroom) *Publisher {
	return &Publisher{
		Name: nr.name, Title: "The Monotone",
		Habit: "gives all items the same guid, so that a reader which trusts it shows one article and loses the rest",
		edition: func(poll int) Edition {
			items := nr.window(poll, shelf, func(a *article) { a.guid = "https://" + nr.host + "/feed" })
			return Edition{Body: rss(channel{title: "The Monotone", site: "https://" + nr.host + "/"}, items), Articles: truth(items)}
		},
		want: onePerPoll,
	}
}

func noGuid(nr newsroom) *Publisher {
	return &Publisher{
		Name: nr.name, Title: "The Anonymous Almanac",
		Habit: "has no guids, and rewords headlines",
		edition: func(poll int) Edition {
			items := nr.window(poll, shelf, func(a *article) {
				if revised(a.number, poll) {
					a.title += " after all"
				}
			})
			return Edition{Body: rss(channel{title: "The Anonymous Almanac", site: "https://" + nr.host + "/"}, items), Articles: truth(items)}
		},
		want: wantRevisions,
	}
}

func schemeFlip(nr newsroom) *Publisher {
	return &Publisher{
		Name: nr.name, Title: "The Flip-Flop",
		Habit: "writes its guids with http:// and https:// by turns",
		edition: func(poll int) Edition {
			scheme := "http://"
			if poll%2 == 1 {
				scheme = "https://"
			}
			items := nr.window(poll, shelf, func(a *article) {
				a.guid, a.permalink = scheme+nr.host+"/stories/"+slug(a.title), true
			})
			return Edition{Body: rss(channel{title: "The Flip-Flop", site: "https://" + nr.host + "/"}, items), Articles: truth(items)}
		},
		want: func(poll int) Want {
			switch poll {
			case 0:
				return onePerPoll(0)
			case 1: // every article but the new one meets its other spelling
				return Want{Status: "new", Counts: feedonce.Counts{New: 1, Duplicate: shelf - 1}}
			}
			return Want{Status: "new", Counts: feedonce.Counts{New: 1, Duplicate: 1, Unchanged: shelf - 2}}
		},
	}
}

func recycledGuid(nr newsroom) *Publisher {
	return &Publisher{
		Name: nr.name, Title: "The Recycling Review",
		Habit: "has eight guids, and gives a new article that of the oldest one",
		edition: func(poll int) Edition {
			items := nr.window(poll, shelf, func(a *article) { a.guid = "slot-" + letters(a.number%shelf) })
			return Edition{Body: rss(channel{title: "The Recycling Review", site: "https://" + nr.host + "/"}, items), Articles: truth(items)}
		},
		want: onePerPoll,
	}
}

func atomTwins(nr newsroom) *Publisher {
	return &Publisher{
		Name: nr.name, Title: "The Twin Tribune",
		Habit: "lists a revised article twice under one Atom id, the older version first (RFC 4287 4.1.1 allows it)",
		edition: func(poll int) Edition {
			twin := poll + shelf - 2 // the article that came one poll ago
			var items []article
			for _, a := range nr.window(poll, shelf, func(a *article) { a.guid = "tag:" + nr.host + ",2026:" + letters(a.number) }) {
				if a.number == twin {
					items = append(items, a)
				}
				if a.number <= twin {
					a.body += correction
					a.updated = a.updated.Add(nr.step)
				}
				items = append(items, a)
			}
			return Edition{
				Type:     "application/atom+xml",
				Body:     atom(channel{title: "The Twin Tribune", site: "https://" + nr.host + "/", built: items[0].updated}, items),
				Articles: truth(items),
			}
		},
		want: func(poll int) Want {
			if poll == 0 {
				return Want{Status: "new", Counts: feedonce.Counts{New: shelf, Unchanged: 1}}
			}
			return Want{Status: "new", Counts: feedonce.Counts{New: 1, Updated: 1, Unchanged: shelf - 1}}
		},
	}
}
