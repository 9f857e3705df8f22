package dedup

import (
	"slices"
	"strings"
)

// A RuleID names the rule that decided, such as "G2" or "R1". IDs are stored and shown: never give one another meaning.
type RuleID string

// A Rule is one way to decide.
type Rule struct {
	ID       RuleID
	Name     string // a few words: "same link, title and text"
	Sentence string // for a person who never read the design

	// when says whether the rule takes an arrival for the entry it is compared with; nil for rules that are not about
	// a pair.
	when func(p *pair) bool
	// together lets the rule fold an arrival into an entry that another item of the same document is.
	together bool
	// similar says that the rule rests on texts being similar: Policy.Near rules it.
	similar bool
	// despite lists vetoes that do not stop this rule.
	despite []RuleID
}

// A pair is an arrival whose identity is unknown, beside an entry it may be.
type pair struct {
	*relation
	entry *candidate

	together    bool        // another item of this document is the entry
	vanished    bool        // the entry left the document from above its end just now, or not long ago
	inPlace     bool        // the arrival stands in the list where the entry stood last time
	between     bool        // that, and the neighbours above and below both say so
	reissue     bool        // the publisher sent the whole list anew under other identities
	datesKept   bool        // and with their dates
	uniqueTitle bool        // one entry only has the title (untitled: the text), and one arrival only
	uniqueText  bool        // one entry only has the text, and one arrival only
	uniqueLead  bool        // one entry only begins with these words, and one arrival only
	uniqueTime  bool        // one arrival only has this date
	uniqueBoth  bool        // one entry only has title and date, and one arrival only
	shifted     bool        // other items of the document differ from what they were by the same time zone
	templated   func() bool // another item of the document has nearly all words of the arrival's text
	enclStrong  bool        // equal, and enclosures tell items apart in this feed
	linkAlone   bool        // no two entries of this feed share a link
	linkShared  bool        // several articles have this link
	guidWeak    bool        // the arrival has no guid, or guids are no evidence in this feed
	pathUnique  bool        // one entry and one arrival only have the path
	uniqueIdent bool        // one entry and one arrival only have the identifier
	languages   bool        // the document declares more than one language
}

// longText is how many words are more than the templated texts have that differ in a name or number (DEDUP 3.1).
const longText = 100

// Seconds in a day and a week.
const (
	day  = 24 * 60 * 60
	week = 7 * day
)

// cascade has the rules that compare an arrival of unknown identity with an entry of the same feed, best evidence
// first (DEDUP 2.6 with the corrections of 2.10). Every rule wants two independent kinds of evidence out of: identity,
// place (link, path, enclosure), text, time, and structure (the old item left just as the new one came). The first
// rule that holds for the best pair wins; ties go to the nearer date, then to the older entry.
var cascade = []Rule{
	{ID: "R0", Name: "same guid, spelled differently", despite: []RuleID{"V5"},
		Sentence: "The guid is the same address spelled differently (http or https, www, a slash), and title, link or date agree.",
		when: func(p *pair) bool {
			return p.guidURLEq && !p.guidWeak && (p.titleNear || p.linkStrong || p.dated && p.gap == 0 || p.titleEq && p.texts().near)
		}},
	{ID: "R1", Name: "same link, title and text", together: true,
		Sentence: "Link, title and text are the same under another guid.",
		when: func(p *pair) bool {
			if !p.linkStrong || !p.titleEq || !p.texts().equal {
				return false
			}
			if p.together {
				return p.dated && p.gap <= 60 || p.guidBaseEq || p.a.pub == 0 && p.e.pub == 0 && !p.texts().absent
			}
			return true
		}},
	{ID: "R0a", Name: "equal in everything", despite: all,
		Sentence: "Title, text, link, enclosure and date are all the same; only the guid differs.",
		when: func(p *pair) bool {
			return p.titleEq && p.a.link == p.e.link && p.a.encl == p.e.encl && p.a.pub == p.e.pub &&
				(p.guidWeak || p.sameTime) && p.wordsEqual()
		}},
	{ID: "R0l", Name: "equal but for a line under every item",
		Sentence: "Title, link, enclosure and date (where dates tell anything) are the same, and so is the text but for a line that stands under every item of the list today, or stood under them before; there is no guid that could be trusted.",
		when: func(p *pair) bool {
			return p.guidWeak && p.titleEq && p.a.link == p.e.link && p.a.encl == p.e.encl && (p.a.pub == p.e.pub || p.undated) &&
				p.texts().lineless && p.texts().equal
		}},
	{ID: "R3", Name: "same enclosure",
		Sentence: "It carries the same audio, video or document, and the title or the text agrees.",
		when: func(p *pair) bool {
			return p.enclEq && p.enclStrong && (p.titleNear || p.texts().near || p.texts().contained)
		}},
	{ID: "R2", Name: "same link and title", despite: []RuleID{"V5"},
		Sentence: "Link and title are the same under another guid; the text was edited.",
		when: func(p *pair) bool {
			if p.a.words().titleK == "" && p.e.words().titleK == "" {
				return p.linkStrong && p.texts().near
			}
			return p.linkStrong && p.titleNear
		}},
	{ID: "R2p", Name: "same path on another host",
		Sentence: "The path of the link is the same on another host, and the old item left the feed or title and text agree: the site moved.",
		when: func(p *pair) bool {
			if !p.pathEq || p.linkEq || !p.pathUnique {
				return false
			}
			if p.vanished && (p.titleNear || p.sameDay || p.texts().near || p.texts().contained) {
				return true
			}
			if p.vanished && specific(p.a.link) && min(len(p.a.words().words), len(p.e.words().words)) >= minNear && !p.different() {
				return true
			}
			return p.titleNear && (p.sameDay || p.texts().equal && !p.texts().absent)
		}},
	{ID: "R2i", Name: "same identifier in the link",
		Sentence: "Both links carry the same long identifier, no other article has it, and title, text or date agree: only the words beside it were rewritten.",
		when: func(p *pair) bool {
			return p.identEq && p.uniqueIdent && (p.titleNear || p.texts().near || p.sameTime)
		}},
	{ID: "R2s", Name: "same slug in another place",
		Sentence: "The last part of the link and the title are the same, and the old item left the feed as this one came: the article moved to another folder or date.",
		when: func(p *pair) bool {
			return p.slugEq && p.titleNear && p.uniqueTitle && (p.sameDay || p.vanished && (p.gap <= week || p.texts().equal))
		}},
	{ID: "R5", Name: "same title at the same second",
		Sentence: "Title and date are the same to the second (but for the time zone, where the texts are equal), no other item has them, and the text does not speak against it: the address changed.",
		when: func(p *pair) bool {
			if p.a.words().titleK == "" || !p.titleEq || !p.uniqueBoth {
				return false
			}
			t := p.texts()
			if p.sameTime && (p.uniqueTime || p.uniqueTitle) {
				return t.equal || t.contained || t.absent || t.overlap >= 0.5
			}
			return p.oddClock && p.uniqueTitle && t.equal && !t.absent && (len(p.a.words().words) >= minContained || p.shifted)
		}},
	{ID: "R4", Name: "same title and text, and date or place",
		Sentence: "Title (but for a word before or behind it) and text are the same and nothing else in the feed has them; the date is the same but for the time zone, or the old item left the feed as this one came.",
		when: func(p *pair) bool {
			if len(p.a.words().words) < minNear || !p.titleEq && !p.titleGrown || !p.texts().equal {
				return false
			}
			if p.titleGrown {
				return p.uniqueText && p.sameTime
			}
			if p.formAgain() {
				return false
			}
			return p.uniqueTitle && (p.sameClock || p.vanished) || p.sameDay && p.vanished
		}},
	{ID: "R7", Name: "the whole list was sent anew", despite: []RuleID{"V3", "V4"},
		Sentence: "The publisher sent the whole list again under new identities; this is the old item with the same title, text or date.",
		when: func(p *pair) bool {
			if !p.reissue || !p.vanished {
				return false
			}
			if p.datesKept && p.dated && !p.sameClock {
				// The others kept their dates: only a long text that nothing else has can have been re-dated.
				return p.titleEq && p.uniqueTitle && p.uniqueText && max(len(p.a.words().words), len(p.e.words().words)) >= longText && !p.different()
			}
			if p.titleEq && p.a.words().titleK != "" {
				return p.sameTime || p.sameDay && p.uniqueTitle || (p.sameDay || p.uniqueTitle) && !p.different() || p.texts().equal && !p.texts().absent
			}
			if p.titleEq && p.sameTime && p.uniqueTime && p.wordsEqual() {
				return true
			}
			if p.enclDiffer {
				return false
			}
			if p.uniqueLead && p.titleEq && (p.texts().near || p.texts().contained) {
				return true
			}
			return len(p.a.words().words) >= minContained && p.wordsEqual()
		}},
	{ID: "R6", similar: true, Name: "edited and re-published",
		Sentence: "Title and text are edits of each other, nothing else has that title, and the old item left the feed as this one came.",
		when: func(p *pair) bool {
			if !p.titleNear || !p.uniqueTitle || !p.dated || len(p.a.words().words) < minNear || p.texts().equal && p.formAgain() {
				return false
			}
			return (p.sameClock || p.vanished && p.gap <= week) && p.texts().near
		}},
	{ID: "R2b", Name: "same link, and text or time", despite: []RuleID{"V5"},
		Sentence: "The link is the same, and the text is an edit of it or the date is the same to the second: the headline was rewritten.",
		when: func(p *pair) bool {
			return p.linkStrong && (p.sameTime || p.texts().near)
		}},
	{ID: "R2c", Name: "same link, replaced in place", despite: []RuleID{"V5"},
		Sentence: "The link is the same in a feed where every article has its own, and the old item left the feed as this one came, within a day.",
		when: func(p *pair) bool {
			return p.linkStrong && p.linkAlone && p.vanished && p.dated && p.gap <= day
		}},
	{ID: "R6t", similar: true, Name: "retitled and replaced",
		Sentence: "The text is an edit of it, the date is the same to the second, and the old item left the feed as this one came: headline and address were rewritten.",
		when: func(p *pair) bool {
			return p.sameTime && p.uniqueTime && p.vanished && p.texts().near
		}},
	{ID: "R1w", Name: "same outside link, title, text and time",
		Sentence: "Link, title and text are the same and the dates agree; the link points elsewhere, so it counts less.",
		when: func(p *pair) bool {
			if !p.linkEq || p.linkStrong || p.linkShared || !p.titleEq || p.a.words().titleK == "" {
				return false
			}
			if p.uniqueTitle && p.dated && p.gap == 0 && !p.different() {
				return true
			}
			return len(p.a.words().words) >= minNear && p.dated && (p.gap == 0 || p.vanished && p.gap <= day) &&
				p.texts().equal
		}},
	{ID: "R8", similar: true, Name: "same place, title and text",
		Sentence: "Title and link are the same, the text is an edit, and the old item left the feed as this one came.",
		when: func(p *pair) bool {
			return p.vanished && p.titleEq && p.a.link == p.e.link && len(p.a.words().words) >= minContained &&
				(p.texts().near || p.texts().contained)
		}},
	{ID: "R6p", similar: true, Name: "edited in place",
		Sentence: "It stands in the list where the old item stood, between the same neighbours, or at the top above the same one; the old item is gone, and title and text are edits of it.",
		when:     (*pair).editedInPlace},
}

// A veto forbids to fold an arrival into an entry, whatever speaks for it.
type veto struct {
	ID   RuleID
	Why  string
	hold func(p *pair) bool
}

var all = []RuleID{"V3", "V4", "V5"}

// vetoes in the order in which they are named when several hold.
var vetoes = []veto{
	{"V2", "both stand in the document at once", func(p *pair) bool { return p.together }},
	{"V3", "they are declared to be in different languages", func(p *pair) bool {
		a, e := p.a.item.Lang, p.e.item.Lang
		return a != "" && e != "" && !equalFold(a, e) && (p.languages || !equalFold(baseLang(a), baseLang(e)))
	}},
	{"V4", "they carry different audio, video or documents", func(p *pair) bool {
		return p.enclDiffer && !(p.linkStrong && p.titleEq && p.sameTime)
	}},
	{"V5", "the numbers in their titles differ", func(p *pair) bool {
		return p.a.words().numbers != p.e.words().numbers && !p.linkStrong
	}},
}

// baseLang is the language of a language tag: "en" of "en-GB".
func baseLang(tag string) string {
	tag, _, _ = strings.Cut(strings.TrimSpace(tag), "-")
	tag, _, _ = strings.Cut(tag, "_")
	return tag
}

// match returns the first rule that takes the arrival for the entry, with its rank; nil where none does. suspect is the
// first rule that would, if the policy did not confine it to raising suspicion.
func (p *pair) match(policy *Policy) (rule *Rule, rank int, suspect *Rule) {
	for i := range cascade {
		r := &cascade[i]
		if p.together && !r.together || policy.off(r) || p.vetoed(r) != nil || !r.when(p) {
			continue
		}
		if !policy.suspectOnly(r) {
			return r, i, suspect
		}
		if suspect == nil {
			suspect = r
		}
	}
	return nil, 0, suspect
}

// vetoed returns the veto that stops the rule, or nil.
func (p *pair) vetoed(r *Rule) *veto {
veto:
	for i := range vetoes {
		v := &vetoes[i]
		if v.ID == "V2" {
			continue // Rule.together says it
		}
		for _, id := range r.despite {
			if id == v.ID {
				continue veto
			}
		}
		if v.hold(p) {
			return v
		}
	}
	return nil
}

// formAgain reports whether the arrival may be a form filled in the same way twice: all that identifies it is new and so is
// its date, other items have nearly all its words, and the title has no number (as a release has) that says which it is. Then an old item
// that left proves nothing.
func (p *pair) formAgain() bool {
	return p.dated && !p.sameClock && !p.guidWeak && p.a.words().numbers == "" && len(p.a.words().words) < longText && p.templated()
}

// wordsEqual reports whether the texts have the same words and the same links and pictures, without aligning them.
func (p *pair) wordsEqual() bool {
	a, e := p.a.words(), p.e.words()
	return a.textH == e.textH && (a.refs == e.refs || len(a.words) >= minNear)
}

// The rules that are not about a pair.
var others = []Rule{
	{ID: "G0", Name: "repeated in the document", Sentence: "The same item stands in this document more than once."},
	{ID: "G2", Name: "known identity", Sentence: "The feed's own identifier says which article this is."},
	{ID: "K", Name: "known identity without guid", Sentence: "The item has no guid that can be trusted; link, title, date or text, as far as they tell items apart in this feed, say which article this is."},
	{ID: "N", Name: "new", Sentence: "Nothing that was ever in this feed is the same article."},
	{ID: "NR", Name: "new under a recycled guid", Sentence: "The guid belonged to another article: link, title, text and date are all different, so this is a new article."},
	{ID: "Q0", Name: "nothing to identify it by", Sentence: "The item has no guid, link, title, text or enclosure: nothing says what it is."},
	{ID: "Q1", Name: "unreadable item", Sentence: "The item could not be read."},
	{ID: "Q2", Name: "held for want of a guid", Sentence: "The feed's policy lets no item without a guid through: it holds it until a person accepts it, or refuses it."},
	{ID: "U1", Name: "split off by a person", Sentence: "A person said that this is an article of its own."},
	{ID: "U2", Name: "merged by a person", Sentence: "A person said that these are the same article."},
	{ID: "U3", Name: "accepted by a person", Sentence: "The feed's policy held the item, and a person accepted it."},
}

// Rules returns every rule that can decide: those that are not about a pair, the cascade in its order, and those of
// stories.
func Rules() []Rule { return slices.Concat(others, cascade, storyRules) }

// RuleByID returns the rule with this ID; a rule that is not known has only its ID.
func RuleByID(id RuleID) Rule { return *ruleByID(id) }

func ruleByID(id RuleID) *Rule {
	for _, list := range [...][]Rule{others, cascade, storyRules} {
		for i := range list {
			if list[i].ID == id {
				return &list[i]
			}
		}
	}
	return &Rule{ID: id}
}
