package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
)

// A When writes a moment for a person.
type When func(time.Time) string

// Summary says in plain words what became of an article, a sentence each.
func (a *Article) Summary(when When) []string {
	out := []string{a.began(when)}
	if s := a.copies(when); s != "" {
		out = append(out, s)
	}
	if s := a.updates(when); s != "" {
		out = append(out, s)
	}
	if s := a.inStory(); s != "" {
		out = append(out, s)
	}
	for _, m := range a.Amendments {
		out = append(out, a.amended(m, when))
	}
	return out
}

// began says how the article came.
func (a *Article) began(when When) string {
	for i := range a.Decisions {
		d := &a.Decisions[i]
		if d.Outcome != string(dedup.New) {
			continue
		}
		s := "This article was shown on " + when(d.At) + " as new"
		if d.Rule.ID == "NR" {
			s += ", under a guid that another article had before"
		}
		switch {
		case d.Quiet != "":
			return s + ". Nobody was sent a message about it: " + quiet(d.Quiet) + "."
		}
		return s + "."
	}
	return "This article came on " + when(a.Entry.FirstSeen) + ". What was decided then is not kept any more."
}

var quiets = map[string]string{
	"first document of the feed":           "it was there already when the feed was read for the first time",
	"the whole list was sent anew":         "the publisher had sent the whole list anew, and it may be old",
	"many at once":                         "more new articles came at once than this feed usually has",
	"older than the last look at the feed": "the feed had not been read for long, and the article is older than that",
	"an old article":                       "it was dated more than a week before, and newer ones were known",
}

// quiet says in a clause why nobody was told.
func quiet(reason string) string {
	if s := quiets[reason]; s != "" {
		return s
	}
	return reason
}

// copies says what was folded into the article.
func (a *Article) copies(when When) string {
	var list []string
	for i := range a.Decisions {
		if d := &a.Decisions[i]; d.Outcome == string(dedup.Duplicate) {
			list = append(list, "on "+when(d.At)+" "+d.how())
		}
	}
	switch n := len(list); {
	case n == 0:
		return ""
	case n == 1:
		return "One other copy came " + list[0] + ", and was folded into it."
	case n > 3:
		return fmt.Sprintf("%s other copies were folded into it: %s; and %d more.", capital(spelled(n)), strings.Join(list[:3], "; "), n-3)
	default:
		return fmt.Sprintf("%s other copies were folded into it: %s.", capital(spelled(n)), strings.Join(list, "; "))
	}
}

// how says by what an arrival differed from the article: "under another guid and another link".
func (d *Decision) how() string {
	var parts []string
	switch d.is("guid") {
	case "differs":
		parts = append(parts, "another guid")
	case "equal but for spelling":
		parts = append(parts, "another spelling of its guid")
	}
	switch d.is("link") {
	case "differs":
		parts = append(parts, "another link")
	case "same path on another host":
		parts = append(parts, "another host")
	}
	switch d.is("title") {
	case "differs", "a typing error apart":
		parts = append(parts, "another title")
	}
	if len(parts) == 0 {
		if d.Rule.ID == "G0" {
			return "twice in one document"
		}
		return "once more"
	}
	return "under " + list(parts)
}

// updates says how often the article changed.
func (a *Article) updates(when When) string {
	n := 0
	var last *Decision
	for i := range a.Decisions {
		if d := &a.Decisions[i]; d.Outcome == string(dedup.Updated) {
			n, last = n+1, d
		}
	}
	if last == nil {
		return ""
	}
	what := ""
	if f := fields(last.Evidence.Changed); f != "" {
		what = ": " + f
	}
	if n == 1 {
		return "It was changed on " + when(last.At) + what + "."
	}
	return fmt.Sprintf("It was changed %d times, last on %s%s.", n, when(last.At), what)
}

// fields names fields as people do: "the text and the link".
func fields(names []string) string {
	var out []string
	for _, n := range names {
		switch n {
		case "summary", "content":
			n = "text"
		case "url":
			n = "link"
		case "published":
			n = "date"
		case "enclosures", "enclosure":
			n = "audio, video or file"
		}
		if n = "the " + n; !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return list(out)
}

// inStory says in which other feeds the article stands.
func (a *Article) inStory() string {
	if a.Story == nil {
		return ""
	}
	var same, about []string
	lead := ""
	for i, m := range a.Story.Members {
		if i == a.Story.Lead && m.Entry.ID != a.Entry.ID {
			chosen := ""
			if !a.Story.Chosen.IsZero() {
				chosen = ", as a person chose"
			}
			lead = fmt.Sprintf(" That of %s is shown first%s.", short(m.FeedName), chosen)
		}
		switch {
		case m.Entry.ID == a.Entry.ID:
		case m.About:
			about = append(about, fmt.Sprintf("%s (article %d)", short(m.FeedName), m.Entry.ID))
		default:
			same = append(same, fmt.Sprintf("%s (article %d)", short(m.FeedName), m.Entry.ID))
		}
	}
	var out []string
	if len(same) > 0 {
		out = append(out, "It stands in other feeds, too, and they are one story: "+list(firsts(same))+"."+lead)
	}
	if len(about) > 0 {
		out = append(out, "Articles that point to it are shown beside it: "+list(firsts(about))+".")
	}
	return strings.Join(out, " ")
}

// amended says what a person did.
func (a *Article) amended(m store.Amendment, when When) string {
	who := "A person"
	if m.Who != "" {
		who = short(m.Who)
	}
	other := m.B
	if other == a.Entry.ID {
		other = m.A
	}
	s := ""
	switch m.Kind {
	case store.AmendSplit:
		s = fmt.Sprintf("%s said on %s that it is not the same as %s", who, when(m.At), a.Named(other))
	case store.AmendMerge:
		s = fmt.Sprintf("%s said on %s that it is the same as %s", who, when(m.At), a.Named(other))
		if m.B == a.Entry.ID && m.Undone.IsZero() {
			s += ", which is shown in its place"
		}
	case store.AmendJoin:
		s = fmt.Sprintf("%s said on %s that it is one story with %s", who, when(m.At), a.Named(other))
	case store.AmendLeave:
		s = fmt.Sprintf("%s took it out of its story on %s", who, when(m.At))
	default:
		s = fmt.Sprintf("%s on %s: %s", who, when(m.At), short(m.Note))
	}
	if !m.Undone.IsZero() {
		by := "that was taken back on "
		return s + "; " + by + when(m.Undone) + "."
	}
	return s + " (change " + fmt.Sprint(m.ID) + ")."
}

// Named is how an article is called in a sentence.
func (a *Article) Named(id feedonce.EntryID) string {
	if id == 0 {
		return "another article"
	}
	n, ok := a.Titles[id]
	if name := short(n.Title); ok && name != "" {
		return fmt.Sprintf("article %d, “%s”", id, name)
	}
	return fmt.Sprintf("article %d", id)
}

// Headline says what was decided about an arrival, beside the article it became or was folded into.
func (d *Decision) Headline() string {
	switch dedup.Outcome(d.Outcome) {
	case dedup.New:
		return "New: shown as an article of its own"
	case dedup.Updated:
		if how := d.how(); strings.HasPrefix(how, "under") {
			return "Updated: it came edited, " + how + ", and took the place of what was here"
		}
		return "Updated: the publisher changed it"
	case dedup.Duplicate:
		return "A copy: it came " + d.how() + ", and was folded into this article"
	case dedup.Quarantined:
		return "Held: not shown until a person accepts it"
	case dedup.Invalid:
		if d.Rule.ID == "Q2" {
			return "Refused, as the feed's policy wants it"
		}
		return "Refused: nothing could be made of it"
	}
	return d.Outcome
}

// RuleOf is the rule with this ID as it is to be told of a decision with this outcome: by rule Q2 an item without a guid is
// held or refused, as the feed's policy wants.
func RuleOf(id dedup.RuleID, outcome dedup.Outcome) dedup.Rule {
	r := dedup.RuleByID(id)
	if id == "Q2" && outcome == dedup.Invalid {
		r.Name, r.Sentence = "refused for want of a guid", "The feed's policy refuses items without a guid."
	}
	return r
}

// Why is the rule in a sentence.
func (d *Decision) Why() string {
	if d.Rule.Sentence == "" {
		return "Another version of feedonce decided this by a rule that this one does not know."
	}
	return d.Rule.Sentence
}

var notes = map[string]string{
	"moved":                                   "Only the address is new; the article's link leads there now.",
	"excerpt of what is stored":               "What came is a part of the text that is stored; the longer text was kept.",
	"seen version":                            "The article had this content before; the current one was kept.",
	"only counters or relative times differ":  "Only counters or words such as “3 hours ago” differ.",
	"an earlier version came back to stay":    "The publisher went back to an earlier version, and stayed with it.",
	"its texts were removed by retention":     "The article's texts had been removed by then.",
	"both stand in the document at once":      "Both stand in the feed at the same time.",
	"older version in the same document":      "A newer version of it stands in the same document.",
	"the same words were added to most items": "The same words were added to most articles of the feed: a footer, no edit.",
}

// noted is a note of dedup as a sentence.
func noted(n string) string {
	if s := notes[n]; s != "" {
		return s
	}
	if strings.HasPrefix(n, "changes with every document") {
		return "It changes with every document of the feed: such changes are stored now and then only."
	}
	return full(n)
}

// Remarks are sentences beside the rule: what else was found out, what was changed, and why nobody was told.
func (d *Decision) Remarks() []string {
	var out []string
	if n := d.Evidence.Note; n != "" && n != "re-issued and edited" { // that is its headline
		out = append(out, noted(n))
	}
	if f := fields(d.Evidence.Changed); f != "" {
		words := slices.ContainsFunc(d.Evidence.Changed, func(n string) bool { return n == "title" || n == "summary" || n == "content" })
		switch {
		case d.Evidence.Material:
			f += ", in substance"
		case words:
			f += "; of title and text only markup, case or punctuation"
		default:
			f += "; not a word of title and text"
		}
		out = append(out, "Changed "+f+".")
	}
	if d.Outcome == string(dedup.New) && d.Quiet != "" {
		out = append(out, "Nobody was sent a message: "+quiet(d.Quiet)+".")
	}
	if d.Item != nil && d.Item.Invalid != "" {
		out = append(out, "The reader of feeds says: "+short(d.Item.Invalid)+".")
	}
	if d.Damage != "" {
		out = append(out, full(d.Damage))
	}
	return out
}

// Folded says in a sentence what became of an arrival that is not shown by itself.
func (d *Decision) Folded(into string, when When) string {
	what := "What came on " + when(d.At)
	switch dedup.Outcome(d.Outcome) {
	case dedup.Duplicate:
		return what + " is not shown by itself: it was taken for a copy of " + into + "."
	case dedup.Quarantined:
		return what + " is not shown: the feed's policy holds such items until a person accepts them. It is kept."
	case dedup.Invalid:
		if d.Rule.ID == "Q2" {
			return what + " is not shown: the feed's policy refuses such items. It is kept."
		}
		return what + " is not shown: nothing could be made of it. It is kept."
	}
	return what + " became " + into + "."
}

// count is "1 word", "2 words".
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// list joins parts as people do: "a, b and c".
func list(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

// firsts are at most five parts, and how many more there are.
func firsts(parts []string) []string {
	const most = 5
	if len(parts) <= most {
		return parts
	}
	return append(parts[:most:most], fmt.Sprintf("%d more", len(parts)-most))
}

// capital begins a sentence.
func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// full begins a sentence and ends it.
func full(s string) string {
	if s = capital(s); !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

// spelled is a small number in letters.
func spelled(n int) string {
	small := [...]string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	if n < len(small) {
		return small[n]
	}
	return fmt.Sprint(n)
}

// short is a text of strangers on one line, at most 120 characters.
func short(s string) string {
	const most = 120
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return string(r)
}
