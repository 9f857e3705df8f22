package dedup_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"feedonce/dedup"
)

// TestRulesInTheManual keeps the generated parts of docs/dedup.md what the code says: they stand between the comments
// "generated: NAME" and "end".
func TestRulesInTheManual(t *testing.T) {
	const file = "../docs/dedup.md"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	for name, want := range map[string]string{"rules": rulesTable(), "policies": policiesTable(t)} {
		begin, end := "<!-- generated: "+name+" -->\n", "<!-- end -->"
		head, rest, ok := strings.Cut(text, begin)
		have, tail, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("%s has no part %q with an end", file, strings.TrimSpace(begin))
		}
		if diff := cmp.Diff(strings.Split(have, "\n"), strings.Split(want, "\n")); diff != "" && !*update {
			t.Errorf("%s, %s: not what the code says now; `go test ./dedup -run Rules -update` writes it (-manual +code):\n%s", file, name, diff)
		}
		text = head + begin + want + end + tail
	}
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func rulesTable() string {
	var b strings.Builder
	b.WriteString("| rule | name | when |\n|---|---|---|\n")
	for _, r := range dedup.Rules() {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.ID, r.Name, strings.ReplaceAll(r.Sentence, "|", "\\|"))
	}
	return b.String()
}

// policiesTable has the sentences of every value of every setting, found by setting them.
func policiesTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| setting | value | what it does |\n|---|---|---|\n")
	usual := dedup.Policy{}.Sentences()
	row := func(setting, value string, p dedup.Policy) {
		if err := p.Check(); err != nil {
			t.Fatalf("%s %s: %v", setting, value, err)
		}
		what := ""
		for i, s := range p.Sentences() {
			if i >= len(usual) || s != usual[i] {
				what = s
			}
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", setting, value, what)
	}
	def := func(setting, value string, i int) {
		fmt.Fprintf(&b, "| %s | `%s` (default) | %s |\n", setting, value, usual[i])
	}
	def("identity", "auto", 0)
	for _, v := range []dedup.Identity{dedup.IdentityGUID, dedup.IdentityLink, dedup.IdentityTitleDate} {
		row("identity", string(v), dedup.Policy{Identity: v})
	}
	def("missing guid", "synthesise", 1)
	for _, v := range []dedup.MissingGUID{dedup.MissingQuarantine, dedup.MissingReject} {
		row("missing guid", string(v), dedup.Policy{MissingGUID: v})
	}
	def("near-duplicates", "on", 2)
	for _, v := range []dedup.Near{dedup.NearSuspect, dedup.NearOff} {
		row("near-duplicates", string(v), dedup.Policy{Near: v})
	}
	def("stories", "on", 3)
	row("stories", "off", dedup.Policy{Stories: dedup.StoriesOff})
	row("permanent guids", "yes", dedup.Policy{Permanent: true})
	row("suspect only", "rules, as R6 R8", dedup.Policy{SuspectOnly: []dedup.RuleID{"R6", "R8"}})
	row("group", "a name, as press", dedup.Policy{Group: "press"})
	row("apart", "groups, as left right", dedup.Policy{Apart: []string{"left", "right"}})
	return b.String()
}
