package main

import (
	"fmt"
	"slices"
	"strings"

	"feedonce/dedup"
)

// A policyKey is one setting of a feed's policy, as people write it: KEY=VALUE.
type policyKey struct {
	name   string
	values []string // that there are; the first is the default. Nil: a list of names
	list   string   // what the names of a list are
	read   func(dedup.Policy) string
	write  func(*dedup.Policy, string)
}

// policyKeys are all settings of a policy, in the order in which they are shown.
var policyKeys = []policyKey{
	{name: "identity", values: []string{"auto", "guid", "link", "title+date"},
		read:  func(p dedup.Policy) string { return string(p.Identity) },
		write: func(p *dedup.Policy, v string) { p.Identity = dedup.Identity(v) }},
	{name: "missing-guid", values: []string{"synthesise", "quarantine", "reject"},
		read:  func(p dedup.Policy) string { return string(p.MissingGUID) },
		write: func(p *dedup.Policy, v string) { p.MissingGUID = dedup.MissingGUID(v) }},
	{name: "near", values: []string{"on", "suspect", "off"},
		read:  func(p dedup.Policy) string { return string(p.Near) },
		write: func(p *dedup.Policy, v string) { p.Near = dedup.Near(v) }},
	{name: "stories", values: []string{"on", "off"},
		read:  func(p dedup.Policy) string { return string(p.Stories) },
		write: func(p *dedup.Policy, v string) { p.Stories = dedup.Stories(v) }},
	{name: "permanent", values: []string{"no", "yes"},
		read: func(p dedup.Policy) string {
			if p.Permanent {
				return "yes"
			}
			return ""
		},
		write: func(p *dedup.Policy, v string) { p.Permanent = v == "yes" }},
	{name: "suspect-only", list: "rules, such as R4,R6",
		read: func(p dedup.Policy) string {
			names := make([]string, len(p.SuspectOnly))
			for i, id := range p.SuspectOnly {
				names[i] = string(id)
			}
			return strings.Join(names, ",")
		},
		write: func(p *dedup.Policy, v string) {
			p.SuspectOnly = nil
			for _, id := range names(v) {
				p.SuspectOnly = append(p.SuspectOnly, dedup.RuleID(id))
			}
		}},
	{name: "group", list: "the name of a group",
		read:  func(p dedup.Policy) string { return p.Group },
		write: func(p *dedup.Policy, v string) { p.Group = v }},
	{name: "apart", list: "names of groups",
		read:  func(p dedup.Policy) string { return strings.Join(p.Apart, ",") },
		write: func(p *dedup.Policy, v string) { p.Apart = names(v) }},
}

// names splits a list at its commas.
func names(list string) []string {
	var out []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// policyHelp lists the settings for the help of a command.
func policyHelp() string {
	var b strings.Builder
	for _, k := range policyKeys {
		what := k.list
		if k.values != nil {
			what = strings.Join(k.values, ", ")
		}
		fmt.Fprintf(&b, "  %-13s %s\n", k.name, what)
	}
	return strings.TrimRight(b.String(), "\n")
}

// changePolicy returns a policy with settings changed, each given as KEY=VALUE. An empty value is the default.
func changePolicy(p dedup.Policy, changes []string) (dedup.Policy, error) {
	seen := map[string]bool{}
	for _, change := range changes {
		key, value, ok := strings.Cut(change, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		i := slices.IndexFunc(policyKeys, func(k policyKey) bool { return strings.EqualFold(k.name, strings.ReplaceAll(key, "_", "-")) })
		switch {
		case !ok:
			return p, usagef("%q is no change of a policy: write KEY=VALUE, such as identity=link", change)
		case i < 0:
			return p, usagef("%q is no setting of a policy; there are %s", key, strings.Join(policyKeyNames(), ", "))
		case seen[policyKeys[i].name]:
			return p, usagef("%s is given twice", policyKeys[i].name)
		}
		k := policyKeys[i]
		seen[k.name] = true
		if k.values != nil {
			value = strings.ToLower(value)
			switch {
			case value == k.values[0] || value == "":
				value = "" // the default is not written down, so that it may improve
			case !slices.Contains(k.values, value):
				return p, usagef("%s is %q: it must be one of %s", k.name, value, strings.Join(k.values, ", "))
			}
		}
		if err := tooLong(k.name, value); err != nil {
			return p, err
		}
		k.write(&p, value)
	}
	for _, id := range p.SuspectOnly {
		if !slices.ContainsFunc(dedup.Rules(), func(r dedup.Rule) bool { return r.ID == id }) {
			return p, usagef("suspect-only names %q, which is no rule; `feedonce explain` shows the rule of each decision, such as R4", id)
		}
	}
	if err := p.Check(); err != nil {
		return p, usagef("%v", err)
	}
	return p, nil
}

// tooLong bounds the names that a person makes up.
func tooLong(key, value string) error {
	const most = 1000 // bytes
	if len(value) > most {
		return usagef("%s is longer than %d bytes", key, most)
	}
	if clean(value) != value {
		return usagef("%s has characters that cannot be shown; use letters, digits and punctuation", key)
	}
	return nil
}

func policyKeyNames() []string {
	out := make([]string, len(policyKeys))
	for i, k := range policyKeys {
		out[i] = k.name
	}
	return out
}

// policyValue is a setting as it is shown: its default where nothing was set.
func (k policyKey) value(p dedup.Policy) string {
	if v := k.read(p); v != "" || k.values == nil {
		return v
	}
	return k.values[0]
}

// newSentences are those of a policy that another one does not have: what a change means.
func newSentences(before, after dedup.Policy) []string {
	old := before.Sentences()
	var out []string
	for _, s := range after.Sentences() {
		if !slices.Contains(old, s) {
			out = append(out, s)
		}
	}
	if before.Permanent && !after.Permanent {
		out = append(out, "Nothing is promised about guids: what speaks for it may show that another guid is the same item.")
	}
	if len(after.SuspectOnly) == 0 && len(before.SuspectOnly) > 0 {
		out = append(out, "Every rule may fold again.")
	}
	if after.Group == "" && before.Group != "" {
		out = append(out, fmt.Sprintf("It no longer belongs to the feeds of group %q.", before.Group))
	}
	if len(after.Apart) == 0 && len(before.Apart) > 0 {
		out = append(out, "It may share stories with the feeds of every group.")
	}
	return out
}
