package dedup

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Policy is what a person wants for one feed. The zero value is the default.
type Policy struct {
	// Identity says what makes an item of this feed the same item; "" is IdentityAuto.
	Identity Identity `json:"identity,omitempty"`
	// MissingGUID says what to do with an item that has no guid; "" is MissingSynthesise.
	MissingGUID MissingGUID `json:"missingGuid,omitempty"`
	// Near says what to do with items whose texts are similar, not equal; "" is NearOn.
	Near Near `json:"near,omitempty"`
	// SuspectOnly are rules that fold nothing in this feed: what they find is New, with the entry named as possibly
	// the same. Rules that a person reversed twice are put here.
	SuspectOnly []RuleID `json:"suspectOnly,omitempty"`
	// Permanent says that the publisher promises permanent guids: another guid is never the same item, but the
	// spelling of one may still differ.
	Permanent bool `json:"permanent,omitempty"`
	// Stories says whether articles of this feed may join stories with articles of other feeds; "" is StoriesOn.
	Stories Stories `json:"stories,omitempty"`
	// Group names feeds that belong together; Apart names groups this feed never shares a story with. Feeds with the
	// same Group are of one publisher as far as stories go.
	Group string   `json:"group,omitempty"`
	Apart []string `json:"apart,omitempty"`
}

// Check returns an error that says what is wrong with a policy and what would be right, or nil.
func (p Policy) Check() error {
	for _, c := range []struct {
		name, value string
		allowed     []string
	}{
		{"identity", string(p.Identity), []string{"", "auto", "guid", "link", "title+date"}},
		{"missingGuid", string(p.MissingGUID), []string{"", "synthesise", "quarantine", "reject"}},
		{"near", string(p.Near), []string{"", "on", "suspect", "off"}},
		{"stories", string(p.Stories), []string{"", "on", "off"}},
	} {
		if !slices.Contains(c.allowed, c.value) {
			return fmt.Errorf("%s is %q: it must be one of %s", c.name, c.value, strings.Join(c.allowed[1:], ", "))
		}
	}
	for _, id := range p.SuspectOnly {
		if RuleByID(id).Name == "" {
			return fmt.Errorf("suspectOnly names %q, which is no rule", id)
		}
	}
	return nil
}

// Sentences says in plain words what a policy does, one sentence for each setting. They are shown to people as they are.
func (p Policy) Sentences() []string {
	var out []string
	add := func(key string, m map[string]string) { out = append(out, m[key]) }
	add(string(p.Identity), map[string]string{
		"":           "An item is the same item when what has proved reliable in this feed says so: its guid, else its link, else title and date.",
		"auto":       "An item is the same item when what has proved reliable in this feed says so: its guid, else its link, else title and date.",
		"guid":       "An item is the same item only when its guid is the same.",
		"link":       "An item is the same item when its link is the same, whatever its guid says; a link that does not lead to one article alone (a front page, another site, one that several items have) counts only where title, date or text agree.",
		"title+date": "An item is the same item when title and date are the same, whatever its guid says; under another link the text must be alike, too.",
	})
	add(string(p.MissingGUID), map[string]string{
		"":           "An item without a guid is identified by link, title, date and text.",
		"synthesise": "An item without a guid is identified by link, title, date and text.",
		"quarantine": "An item without a guid is held until a person accepts it.",
		"reject":     "An item without a guid is refused.",
	})
	add(string(p.Near), map[string]string{
		"":        "An item whose text is an edit of an article that left the feed is taken for a new version of it.",
		"on":      "An item whose text is an edit of an article that left the feed is taken for a new version of it.",
		"suspect": "An item whose text is an edit of another article is shown as new and marked as possibly the same.",
		"off":     "Similar texts are not compared.",
	})
	add(string(p.Stories), map[string]string{
		"":    "An article that stands in other feeds, too, is told once.",
		"on":  "An article that stands in other feeds, too, is told once.",
		"off": "Articles of this feed are told even if they stand in other feeds, too.",
	})
	if p.Permanent {
		out = append(out, "The publisher promises permanent guids: another guid is another item.")
	}
	if len(p.SuspectOnly) > 0 {
		out = append(out, fmt.Sprintf("These rules only raise suspicion here: %v.", p.SuspectOnly))
	}
	if p.Stories == StoriesOff {
		return out // groups are about stories
	}
	if p.Group != "" {
		out = append(out, fmt.Sprintf("It is of one publisher with the other feeds of group %q: articles of theirs that lead to the same page are one story.", p.Group))
	}
	if len(p.Apart) > 0 {
		names := make([]string, len(p.Apart))
		for i, name := range p.Apart {
			names[i] = strconv.Quote(name)
		}
		of := "group " + names[0]
		if n := len(names) - 1; n > 0 {
			of = "the groups " + strings.Join(names[:n], ", ") + " and " + names[n]
		}
		out = append(out, "It shares no story with the feeds of "+of+".")
	}
	return out
}

// suspectOnly reports whether a rule may only raise suspicion.
func (p Policy) suspectOnly(r *Rule) bool {
	return r.similar && p.Near == NearSuspect || slices.Contains(p.SuspectOnly, r.ID)
}

// off reports whether a rule is not asked at all.
func (p Policy) off(r *Rule) bool {
	return r.similar && p.Near == NearOff || p.Permanent && r.ID != "R0"
}

// Identity is what makes two items of a feed the same.
type Identity string

const (
	IdentityAuto      Identity = "auto"       // what the feed's behaviour shows to be reliable (default)
	IdentityGUID      Identity = "guid"       // the guid alone: another guid is another article
	IdentityLink      Identity = "link"       // the link, whatever the guid says
	IdentityTitleDate Identity = "title+date" // title and date, whatever guid and link say
)

// Near is what to do with items whose texts are similar, not equal.
type Near string

const (
	NearOn      Near = "on"      // fold them where place or time agree, too (default)
	NearSuspect Near = "suspect" // show them as new, and name the article they may be
	NearOff     Near = "off"     // do not compare
)

// Stories says whether a feed takes part in stories.
type Stories string

const (
	StoriesOn  Stories = "on" // (default)
	StoriesOff Stories = "off"
)

// MissingGUID is what to do with an item that has no guid.
type MissingGUID string

const (
	MissingSynthesise MissingGUID = "synthesise" // identify it by link, title, date and text (default)
	MissingQuarantine MissingGUID = "quarantine" // hold it until a person accepts it
	MissingReject     MissingGUID = "reject"     // decide it is invalid
)
