package demo

import (
	"fmt"
	"time"

	"feedonce"
)

// Publishers whose items are in order: what they try is the patience of a reader.

func calm(nr newsroom) *Publisher {
	return &Publisher{
		Name: nr.name, Title: "The Calm Courier",
		Habit: "behaves: stable guids, and 304 Not Modified while nothing changed",
		edition: func(poll int) Edition {
			items := nr.window(poll/2, shelf, func(a *article) { a.guid, a.permalink = a.link, true })
			return Edition{
				ETag:     fmt.Sprintf("\"edition-%d\"", poll/2),
				Body:     rss(channel{title: "The Calm Courier", site: "https://" + nr.host + "/"}, items),
				Articles: truth(items),
			}
		},
		want: func(poll int) Want {
			if poll%2 == 1 {
				return Want{Status: "not modified"}
			}
			return onePerPoll(poll)
		},
	}
}

func restless(nr newsroom) *Publisher {
	return &Publisher{
		Name: nr.name, Title: "The Restless Record",
		Habit: "serves the same items with a new lastBuildDate in another order at every poll, and no validators",
		edition: func(poll int) Edition {
			items := nr.window(poll/3, shelf, func(a *article) { a.guid = "restless-" + letters(a.number) })
			turned := append(items[poll%shelf:len(items):len(items)], items[:poll%shelf]...)
			return Edition{
				Body: rss(channel{
					title: "The Restless Record", site: "https://" + nr.host + "/",
					built: nr.start.Add(time.Duration(poll) * time.Second),
				}, turned),
				Articles: truth(items),
			}
		},
		want: func(poll int) Want {
			if poll%3 != 0 {
				return Want{Status: "unchanged", Counts: feedonce.Counts{Unchanged: shelf}}
			}
			return onePerPoll(poll)
		},
	}
}

func counters(nr newsroom) *Publisher {
	return &Publisher{
		Name: nr.name, Title: "The Popular Post",
		Habit: "prints how many comments an article has and how long ago it came, and counts readers with a pixel",
		edition: func(poll int) Edition {
			items := nr.window(poll, shelf, func(a *article) {
				a.guid = "popular-" + letters(a.number)
				a.body += fmt.Sprintf("<p>Posted %d hours ago · %d comments</p><img src=\"https://%s/seen?request=%d\" "+
					"width=\"1\" height=\"1\">", poll+2, poll*3+a.number+2, nr.host, poll)
			})
			return Edition{Body: rss(channel{title: "The Popular Post", site: "https://" + nr.host + "/"}, items), Articles: truth(items)}
		},
		want: onePerPoll,
	}
}

func editedInPlace(nr newsroom) *Publisher {
	return &Publisher{
		Name: nr.name, Title: "The Corrected Chronicle",
		Habit: "corrects articles in place, as one should; a reader that knows only guids never shows the correction",
		edition: func(poll int) Edition {
			items := nr.window(poll, shelf, func(a *article) {
				a.guid = "correct-" + letters(a.number)
				if revised(a.number, poll) {
					a.body += correction
				}
			})
			return Edition{Body: rss(channel{title: "The Corrected Chronicle", site: "https://" + nr.host + "/"}, items), Articles: truth(items)}
		},
		want: wantRevisions,
	}
}

func jsonNumbers(nr newsroom) *Publisher {
	return &Publisher{
		Name: nr.name, Title: "The JSON Journal",
		Habit: "is a JSON Feed with numbers for ids, and corrects articles in place",
		edition: func(poll int) Edition {
			items := nr.window(poll, shelf, func(a *article) {
				if revised(a.number, poll) {
					a.body += correction
				}
			})
			return Edition{
				Type:     "application/feed+json",
				Body:     jsonFeed(channel{title: "The JSON Journal", site: "https://" + nr.host + "/"}, items),
				Articles: truth(items),
			}
		},
		want: wantRevisions,
	}
}

const correction = "<p>Correction: an earlier version of this article named the wrong street.</p>"

// wantRevisions is what is right where every poll brings one new article, and every second one a revision.
func wantRevisions(poll int) Want {
	w := onePerPoll(poll)
	if poll > 0 && revisesAt(poll) {
		w.Counts = feedonce.Counts{New: 1, Updated: 1, Unchanged: shelf - 2}
	}
	return w
}

// letters spells a number without digits, for guids in which no part looks like a shared identifier.
func letters(k int) string {
	const digits = "bcdfghjklm"
	out := []byte{}
	for {
		out = append([]byte{digits[k%10]}, out...)
		if k /= 10; k == 0 {
			return string(out)
		}
	}
}
