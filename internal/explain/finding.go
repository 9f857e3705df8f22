package explain

import (
	"strings"

	"feedonce/dedup"
)

// A Finding is one comparison in words.
type Finding struct {
	Text   string // a sentence without its full stop: "The guid is another one"
	Weight Weight
	Came   string // the value of the arrival; "" where there is none, or the text says it
	Had    string // the value of the article, where it is another one
	Needed string // the threshold, where there is one
}

// A Weight says what a finding speaks for.
type Weight int

const (
	Neutral Weight = iota
	For            // for the arrival being this article
	Against
)

// wording says a finding of dedup in words.
type wording struct {
	text   string
	weight Weight
}

var wordings = map[string]wording{
	"guid equal":                  {"The guid is the same", For},
	"guid equal but for spelling": {"The guid is the same address, spelled differently", For},
	"guid differs":                {"The guid is another one", Against},
	"guid absent":                 {"There is no guid", Neutral},
	"guid unknown":                {"Nothing in this feed had this guid before", Against},
	"guid recycled":               {"The guid belonged to another article before", Against},
	"guid shared":                 {"The guid stands on several articles of this feed, and none of them has this link or title as well", Against},
	"guid ignored":                {"Guids do not tell articles apart in this feed, so this one was not looked up", Neutral},

	"link equal":                     {"The link is the same, and links tell articles apart in this feed", For},
	"link equal, but weak":           {"The link is the same, which says little: several articles have it, or it leads to a front page or another site", Neutral},
	"link same path on another host": {"The link has the same path on another host", For},
	"link differs":                   {"The link is another one", Against},
	"link unknown":                   {"Nothing in this feed had this link before", Against},

	"title equal":                {"The title is the same", For},
	"title a typing error apart": {"The titles are a typing error apart", For},
	"title differs":              {"The title is another one", Against},
	"title unknown":              {"Nothing in this feed had this title before", Against},

	"text equal":   {"The text is the same", For},
	"text an edit": {"The text is an edit of the other", For},
	"text differs": {"The texts are not edits of each other", Against},
	"text absent":  {"There is no text to compare", Neutral},

	"published equal to the second": {"The date is the same to the second", For},
	"published the same day":        {"The date is the same day", For},
	"published absent":              {"There is no date to compare", Neutral},

	"enclosure equal":   {"The audio, video or file is the same", For},
	"enclosure differs": {"The audio, video or file is another one", Against},

	"structure the whole list was sent anew":                {"The publisher sent the whole list anew", For},
	"structure the old item left the feed as this one came": {"The old item left the feed just as this one came", For},
	"structure it stands where the old item stood":          {"It stands in the list just where the old item stood", For},
	"structure both stand in the document at once":          {"Both stand in the feed at the same time", Against},
}

// findingOf puts one comparison into words. What a later version of the program compares is said as it is.
func findingOf(f dedup.Fact) Finding {
	out := Finding{Came: f.Have, Had: f.Want}
	w, ok := wordings[f.Name+" "+f.Is]
	switch {
	case ok:
		out.Text, out.Weight = w.text, w.weight
	case f.Name == "published" && strings.HasPrefix(f.Is, "differs by "):
		out.Text, out.Weight = "The dates are "+strings.TrimPrefix(f.Is, "differs by ")+" apart", Against
	case strings.HasPrefix(f.Is, "on ") && strings.HasSuffix(f.Is, " other articles"):
		n := strings.TrimSuffix(strings.TrimPrefix(f.Is, "on "), " other articles")
		out.Text, out.Weight = "The "+f.Name+" stands on "+n+" other articles of this feed", Neutral
		if n == "1" {
			out.Text = "The " + f.Name + " stands on another article of this feed"
		}
	default:
		out.Text = strings.ToUpper(f.Name[:min(1, len(f.Name))]) + f.Name[min(1, len(f.Name)):] + ": " + f.Is
	}
	switch {
	case f.Name == "text":
		out.Needed, out.Had = f.Want, ""
		if f.Is == "differs" && f.Want != "" {
			out.Needed = "an edit keeps " + f.Want + " of them in order, with hardly a word replaced and no number changed"
		} else if f.Want != "" {
			out.Needed = "an edit keeps " + f.Want
		}
	case f.Name == "link" && strings.HasPrefix(f.Is, "equal"):
		out.Had = "" // the text says it
	}
	if out.Came == "" || out.Came == out.Had {
		out.Came, out.Had = out.Had, ""
	}
	return out
}

// Findings says what was compared.
func (d *Decision) Findings() []Finding {
	out := make([]Finding, len(d.Evidence.Facts))
	for i, f := range d.Evidence.Facts {
		out[i] = findingOf(f)
	}
	return out
}

// is returns what was found of a field: "equal", "differs", or "" where it was not compared.
func (d *Decision) is(name string) string {
	for _, f := range d.Evidence.Facts {
		if f.Name == name {
			return f.Is
		}
	}
	return ""
}

// Compared reports whether a field was compared, so that its value is among the findings.
func (d *Decision) Compared(name string) bool { return d.is(name) != "" }
