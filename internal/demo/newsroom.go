package demo

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// An article is one true article of a publisher, in the version it is published in right now. How a publisher dresses
// it up - guid, link, date - is the publisher's business; the number is the ground truth.
type article struct {
	number    int
	guid      string
	permalink bool
	link      string
	title     string
	body      string // HTML
	published time.Time
	updated   time.Time
	enclosure string
}

// A newsroom writes articles without end: the same number always gives the same article, no two articles of a newsroom
// have the same title, and no two bodies resemble each other.
type newsroom struct {
	name  string
	host  string // of the links, such as "gazette.example"
	start time.Time
	step  time.Duration
}

var (
	adjectives = strings.Fields("quiet early northern hidden modest sudden wooden patient crowded restless borrowed distant " +
		"careful narrow golden winter floating stubborn honest electric forgotten gentle crooked public")
	subjects = strings.Fields("harbour orchard library railway bakery museum lighthouse parliament observatory choir market " +
		"ferry school bridge theatre newspaper garden workshop hospital brewery airport village castle university")
	verbs = strings.Fields("welcomes loses repairs questions celebrates sells measures paints rebuilds defends copies returns")
	goods = strings.Fields("bicycles maps bells lanterns archives vineyards telescopes umbrellas recipes timetables portraits " +
		"instruments canals statues windmills letters seeds clocks kites chimneys gardens ledgers signposts murals")
	actors = strings.Fields("volunteers engineers neighbours historians sailors teachers pupils gardeners musicians councillors " +
		"farmers nurses printers architects cyclists librarians")
	actions = strings.Fields("discovered postponed examined explained restored counted photographed abandoned delivered opposed " +
		"described catalogued financed translated rehearsed inspected")
	places = strings.Fields("riverbank cellar courtyard hillside attic warehouse meadow platform quay chapel tunnel rooftop " +
		"laboratory crossroads nursery reservoir")
	links = strings.Fields("because although while before after unless until whereas")
)

// article writes article number k. It has no guid yet: publishers differ in that.
func (nr newsroom) article(k int) article {
	title := nr.title(k)
	a := article{
		number:    k,
		title:     title,
		body:      nr.body(k),
		link:      "https://" + nr.host + "/stories/" + slug(title),
		published: nr.start.Add(time.Duration(k) * nr.step).UTC().Truncate(time.Second),
	}
	a.updated = a.published
	return a
}

// title is unique for the first 165,888 numbers: a walk through all combinations by a step that shares no factor with
// their number.
func (nr newsroom) title(k int) string {
	total := len(adjectives) * len(subjects) * len(verbs) * len(goods)
	i := (k*61687 + len(nr.name)*997) % total
	pick := func(words []string) string {
		w := words[i%len(words)]
		i /= len(words)
		return w
	}
	a, s, v, g := pick(adjectives), pick(subjects), pick(verbs), pick(goods)
	return strings.ToUpper(a[:1]) + a[1:] + " " + s + " " + v + " its " + g
}

func (nr newsroom) body(k int) string {
	var seed uint64 = 14695981039346656037
	for _, c := range nr.name {
		seed = (seed ^ uint64(c)) * 1099511628211
	}
	r := rand.New(rand.NewPCG(seed, uint64(k)))
	word := func(from []string) string { return from[r.IntN(len(from))] }
	var b strings.Builder
	for range 3 {
		b.WriteString("<p>")
		for range 2 {
			fmt.Fprintf(&b, "The %s %s %s %s near the %s, %s %s %s the %s %s. ",
				word(adjectives), word(actors), word(actions), word(goods), word(places),
				word(links), word(actors), word(actions), word(adjectives), word(goods))
		}
		b.WriteString("</p>\n")
	}
	return b.String()
}

// window returns the articles first to first+size-1, newest first, each finished by dress.
func (nr newsroom) window(first, size int, dress func(*article)) []article {
	out := make([]article, 0, size)
	for k := first + size - 1; k >= first; k-- {
		a := nr.article(k)
		dress(&a)
		out = append(out, a)
	}
	return out
}

func slug(title string) string { return strings.ReplaceAll(strings.ToLower(title), " ", "-") }
