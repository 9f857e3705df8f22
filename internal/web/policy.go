package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/amend"
	"feedonce/internal/explain"
	"feedonce/internal/store"
)

// How a feed is judged: its settings with a plain sentence for each, and what would differ under others, which is shown
// before anything can be saved. The settings that are tried are in the address, so that a trial changes nothing.

type policyPage struct {
	page
	Feed     feedonce.Feed
	Now      []string // what the present policy means
	Choices  []policyChoice
	Perm     bool
	Suspect  []choice
	Suspects int
	Group    string
	Apart    string
	Tried    bool
	Same     bool     // what is tried is what holds
	Changes  []string // what the other policy means, where it differs
	Trial    *trial
	Fields   []hidden // the settings that are tried
}

// A policyChoice is a setting of which one value is chosen.
type policyChoice struct {
	Name, Label string
	Values      []choice
}

// A trial is what would differ.
type trial struct {
	*amend.Simulation
	From, To moment
	Rows     []diffRow
	More     int64
	Counts   []string
}

type diffRow struct {
	amend.Difference
	Came moment
	Says string
	Rule dedup.Rule
}

// maxDiffs is how many differences are listed.
const maxDiffs = 200

// maxNames bounds the names of groups that a person makes up, in bytes.
const maxNames = 1000

var policyNames = []struct {
	name, label string
	values      []string
	with        func(*dedup.Policy, string)
	at          int // of the setting in Policy.Sentences
}{
	{"identity", "What makes an item the same item", []string{"", "guid", "link", "title+date"}, func(p *dedup.Policy, v string) { p.Identity = dedup.Identity(v) }, 0},
	{"missing-guid", "Items without a guid", []string{"", "quarantine", "reject"}, func(p *dedup.Policy, v string) { p.MissingGUID = dedup.MissingGUID(v) }, 1},
	{"near", "Similar texts", []string{"", "suspect", "off"}, func(p *dedup.Policy, v string) { p.Near = dedup.Near(v) }, 2},
	{"stories", "The same article in several feeds", []string{"", "off"}, func(p *dedup.Policy, v string) { p.Stories = dedup.Stories(v) }, 3},
}

// readPolicy reads the settings of a form.
func readPolicy(q url.Values) (dedup.Policy, error) {
	var p dedup.Policy
	for _, n := range policyNames {
		n.with(&p, q.Get(n.name))
	}
	p.Permanent = q.Get("permanent") != ""
	for _, id := range q["suspect"] {
		if !slices.Contains(p.SuspectOnly, dedup.RuleID(id)) {
			p.SuspectOnly = append(p.SuspectOnly, dedup.RuleID(id))
		}
	}
	p.Group = strings.TrimSpace(q.Get("group"))
	for name := range strings.SplitSeq(q.Get("apart"), ",") {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(p.Apart, name) {
			p.Apart = append(p.Apart, name)
		}
	}
	if len(p.Group) > maxNames || len(q.Get("apart")) > maxNames {
		return p, &feedonce.InvalidError{Field: "the names of groups", Reason: fmt.Sprintf("must be at most %d bytes", maxNames)}
	}
	if err := p.Check(); err != nil {
		return p, &feedonce.InvalidError{Field: "the policy", Reason: "is wrong: " + err.Error()}
	}
	return p, nil
}

// policyFields are the settings of a policy as a form has them: readPolicy reads them back.
func policyFields(p dedup.Policy) []hidden {
	var out []hidden
	add := func(name, value string) {
		if value != "" {
			out = append(out, hidden{name, value})
		}
	}
	add("identity", string(p.Identity))
	add("missing-guid", string(p.MissingGUID))
	add("near", string(p.Near))
	add("stories", string(p.Stories))
	if p.Permanent {
		add("permanent", "yes")
	}
	for _, id := range p.SuspectOnly {
		add("suspect", string(id))
	}
	add("group", p.Group)
	add("apart", strings.Join(p.Apart, ","))
	return out
}

func (s *server) policy(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	p := policyPage{page: s.page(r, "How it is judged", "feeds")}
	err = s.Store.View(r.Context(), func(tx *store.Tx) (err error) {
		p.Feed, err = tx.Feed(feedonce.FeedID(id))
		return err
	})
	if err != nil {
		return err
	}
	now, err := amend.ParsePolicy(p.Feed.Policy)
	if err != nil {
		return err
	}
	now = normal(now)
	p.Now = now.Sentences()
	other := now
	if p.Tried = r.FormValue("try") != ""; p.Tried {
		if other, err = readPolicy(r.URL.Query()); err != nil {
			return err
		}
		if p.Same = same(now, other); !p.Same {
			p.Changes = changedSentences(now, other)
			if p.Trial, err = s.trial(r, p.Feed.ID, other); err != nil {
				return err
			}
		}
		p.Fields = policyFields(other)
	}
	p.fill(other)
	return s.render(w, "policy", p)
}

// fill sets the form.
func (p *policyPage) fill(is dedup.Policy) {
	for _, n := range policyNames {
		c := policyChoice{Name: n.name, Label: n.label}
		for _, v := range n.values {
			with, has := dedup.Policy{}, ""
			n.with(&with, v)
			for _, f := range policyFields(is) {
				if f.Name == n.name {
					has = f.Value
				}
			}
			c.Values = append(c.Values, choice{v, with.Sentences()[n.at], v == has})
		}
		p.Choices = append(p.Choices, c)
	}
	p.Perm, p.Group, p.Apart = is.Permanent, is.Group, strings.Join(is.Apart, ", ")
	for _, rule := range dedup.Rules() {
		if rule.Folds() {
			chosen := slices.Contains(is.SuspectOnly, rule.ID)
			if chosen {
				p.Suspects++
			}
			p.Suspect = append(p.Suspect, choice{string(rule.ID), rule.Name, chosen})
		}
	}
}

// normal writes the defaults of a policy as the form does.
func normal(p dedup.Policy) dedup.Policy {
	if p.Identity == dedup.IdentityAuto {
		p.Identity = ""
	}
	if p.MissingGUID == dedup.MissingSynthesise {
		p.MissingGUID = ""
	}
	if p.Near == dedup.NearOn {
		p.Near = ""
	}
	if p.Stories == dedup.StoriesOn {
		p.Stories = ""
	}
	return p
}

// same reports whether two policies are equal; the order of rules says nothing.
func same(a, b dedup.Policy) bool {
	key := func(p dedup.Policy) string {
		p.SuspectOnly = slices.Sorted(slices.Values(p.SuspectOnly))
		return fmt.Sprintf("%q", policyFields(p))
	}
	return key(a) == key(b)
}

// changedSentences says what another policy means, where it differs.
func changedSentences(now, other dedup.Policy) []string {
	had := now.Sentences()
	out := slices.DeleteFunc(other.Sentences(), func(s string) bool { return slices.Contains(had, s) })
	if now.Permanent && !other.Permanent {
		out = append(out, "Nothing is promised about guids any more: what speaks for it may show that another guid is the same item.")
	}
	if len(now.SuspectOnly) > 0 && len(other.SuspectOnly) == 0 {
		out = append(out, "Every rule may fold again.")
	}
	if now.Group != "" && other.Group == "" {
		out = append(out, "It belongs to no group of feeds any more.")
	}
	if len(now.Apart) > 0 && len(other.Apart) == 0 {
		out = append(out, "It may share stories with the feeds of every group.")
	}
	return out
}

// trial replays the feed's history under another policy.
func (s *server) trial(r *http.Request, id feedonce.FeedID, other dedup.Policy) (*trial, error) {
	sim, err := amend.Simulate(r.Context(), s.Store, id, other, time.Time{})
	if err != nil {
		return nil, err
	}
	t := &trial{Simulation: sim, From: s.at(sim.From), To: s.at(sim.To)}
	n := map[amend.DifferenceKind]int64{}
	for _, d := range sim.Difference {
		n[d.Kind]++
		if len(t.Rows) == maxDiffs {
			t.More++
			continue
		}
		outcome := dedup.Outcome("")
		if d.Kind == amend.DiffRefused {
			outcome = dedup.Invalid
		}
		t.Rows = append(t.Rows, diffRow{d, s.at(d.At), differs(d), explain.RuleOf(d.Rule, outcome)})
	}
	for _, c := range []struct {
		kind      amend.DifferenceKind
		one, many string
	}{
		{amend.DiffFolded, "article would be folded into another", "articles would be folded into others"},
		{amend.DiffArticle, "copy or version would be an article of its own", "copies or versions would be articles of their own"},
		{amend.DiffHeld, "item would be held", "items would be held"},
		{amend.DiffRefused, "item would be refused", "items would be refused"},
		{amend.DiffReleased, "item would not be held or refused any more", "items would not be held or refused any more"},
	} {
		if n[c.kind] > 0 {
			t.Counts = append(t.Counts, plural(n[c.kind], c.one, c.many))
		}
	}
	return t, nil
}

func differs(d amend.Difference) string {
	switch d.Kind {
	case amend.DiffFolded:
		if d.Into == 0 {
			return "would be folded into one that is held now"
		}
		return fmt.Sprintf("would be folded into article %d", d.Into)
	case amend.DiffArticle:
		return "would be an article of its own"
	case amend.DiffHeld:
		return "would be held until a person decides"
	case amend.DiffRefused:
		return "would be refused"
	}
	return "would be let through"
}

func (s *server) savePolicy(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	if err := r.ParseForm(); err != nil {
		return &feedonce.InvalidError{Field: "the form", Reason: "did not arrive whole; try again"}
	}
	p, err := readPolicy(r.PostForm)
	if err != nil {
		return err
	}
	done, err := amend.SetPolicy(r.Context(), s.Store, feedonce.FeedID(id), p, s.by(r))
	if err != nil {
		return err
	}
	http.Redirect(w, r, fmt.Sprintf("%s/policy?done=policy&new=%d", feedPath(feedonce.FeedID(id)), done.Keys), http.StatusSeeOther)
	return nil
}
