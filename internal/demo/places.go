package demo

import (
	"fmt"
	"strings"

	"feedonce"
)

// Publishers that move, copy from each other, break down, or say nearly the same every day.

func migrated(nr newsroom) *Publisher {
	const listed = 12
	return &Publisher{
		Name: nr.name, Title: "The Nomad",
		Habit: "moves to another site now and then: every guid and every link is new, the articles are the old ones",
		edition: func(poll int) Edition {
			host := fmt.Sprintf("%s.%s", [...]string{"north", "east", "south", "west"}[(poll+4)/8%4], nr.host)
			site := "https://" + host + "/"
			items := nr.window(poll, listed, func(a *article) {
				a.link = site + "archive/" + slug(a.title)
				a.guid, a.permalink = a.link, true
			})
			return Edition{Body: rss(channel{title: "The Nomad", site: site}, items), Articles: truth(items)}
		},
		want: func(poll int) Want {
			later := Want{Status: "new", Counts: feedonce.Counts{New: 1, Unchanged: listed - 1}}
			if poll%8 == 4 {
				later.Counts = feedonce.Counts{New: 1, Duplicate: listed - 1}
			}
			return wantNew(listed, poll, later)
		},
	}
}

func moved(nr newsroom) *Publisher {
	return &Publisher{
		Name: nr.name, Title: "The Forwarding Address", Moves: true,
		Habit: "answers 301 Moved Permanently from its third poll on",
		edition: func(poll int) Edition {
			items := nr.window(poll, shelf, func(a *article) { a.guid = "forward-" + letters(a.number) })
			return Edition{Body: rss(channel{title: "The Forwarding Address", site: "https://" + nr.host + "/"}, items), Articles: truth(items)}
		},
		want: onePerPoll,
	}
}

// movesAt is the poll from which a publisher that moves redirects its old address.
const movesAt = 2

func crossPost(name, title string, nr newsroom) *Publisher {
	return &Publisher{
		Name: name, Title: title,
		Habit: "prints what another feed prints too: the same guids, links and texts in both",
		edition: func(poll int) Edition {
			items := nr.window(poll, shelf, func(a *article) { a.guid = "wire-" + letters(a.number) })
			return Edition{Body: rss(channel{title: title, site: "https://" + name + ".example/"}, items), Articles: truth(items)}
		},
		want: onePerPoll, // in its own feed an article is always new: a guid says nothing beyond its feed
	}
}

func illFormed(nr newsroom) *Publisher {
	const whole = 5 // items before the cut
	return &Publisher{
		Name: nr.name, Title: "The Smudge & Sons",
		Habit: "forgets to escape ampersands, uses entities XML does not have, and every second document stops in mid-sentence",
		edition: func(poll int) Edition {
			items := nr.window(poll, shelf, func(a *article) { a.guid = "smudge-" + letters(a.number); a.title += " & more" })
			body := rss(channel{title: "The Smudge & Sons", site: "https://" + nr.host + "/"}, items)
			body = strings.ReplaceAll(body, "&amp; ", "& ")
			body = strings.ReplaceAll(body, "near the", "near&nbsp;the")
			if revisesAt(poll) {
				cut := 0
				for range whole {
					cut += strings.Index(body[cut:], "</item>") + len("</item>")
				}
				body, items = body[:cut+150], items[:whole]
			}
			return Edition{Body: body, Articles: truth(items)}
		},
		want: func(poll int) Want {
			w := onePerPoll(poll)
			if revisesAt(poll) {
				w.Counts = feedonce.Counts{New: 1, Unchanged: whole - 1}
			}
			return w
		},
	}
}

func outage(nr newsroom) *Publisher {
	return &Publisher{
		Name: nr.name, Title: "The Flaky Flyer",
		Habit: "breaks down for three polls out of six (500, a web page, nothing at all), and goes on publishing meanwhile",
		edition: func(poll int) Edition {
			switch poll % 6 {
			case 2:
				return Edition{Status: 500, Type: "text/plain", Body: "database connection failed\n"}
			case 3:
				return Edition{Type: "text/html", Body: "<!doctype html><title>Back soon</title><p>We are down for maintenance."}
			case 4:
				return Edition{Body: ""}
			}
			items := nr.window(poll, shelf, func(a *article) { a.guid, a.permalink = a.link, true })
			return Edition{Body: rss(channel{title: "The Flaky Flyer", site: "https://" + nr.host + "/"}, items), Articles: truth(items)}
		},
		want: func(poll int) Want {
			switch poll % 6 {
			case 2, 3, 4:
				return Want{Status: "error"}
			case 5:
				return Want{Status: "new", Counts: feedonce.Counts{New: 4, Unchanged: shelf - 4}}
			}
			return onePerPoll(poll)
		},
	}
}

func podcast(nr newsroom) *Publisher {
	return &Publisher{
		Name: nr.name, Title: "The Daily Cast",
		Habit: "calls every episode the same and links them all to its front page; only the sound differs",
		edition: func(poll int) Edition {
			items := nr.window(poll, shelf, func(a *article) {
				name := slug(a.title)
				a.guid = "episode-" + letters(a.number)
				a.title = "The Daily Cast"
				a.link = "https://" + nr.host + "/"
				a.body = "<p>Your news in ten minutes.</p>"
				a.enclosure = "https://media." + nr.host + "/" + name + ".mp3"
			})
			return Edition{Body: rss(channel{title: "The Daily Cast", site: "https://" + nr.host + "/"}, items), Articles: truth(items)}
		},
		want: onePerPoll,
	}
}

func bulletin(nr newsroom) *Publisher {
	return &Publisher{
		Name: nr.name, Title: "The Weather Office",
		Habit: "has the same headline and the same link for every bulletin; folding by either loses the weather",
		edition: func(poll int) Edition {
			items := nr.window(poll, shelf, func(a *article) {
				a.guid = "bulletin-" + letters(a.number)
				a.title = "Weather for the coast"
				a.link = "https://" + nr.host + "/today"
			})
			return Edition{Body: rss(channel{title: "The Weather Office", site: "https://" + nr.host + "/"}, items), Articles: truth(items)}
		},
		want: onePerPoll,
	}
}
