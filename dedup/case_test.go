package dedup_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"feedonce/dedup"
)

// A case is a file in testdata: documents of one feed in sequence, and for each item what is to be decided.
//
// The comment says what it shows. A section named "policy" has lines "identity: guid" and the like; a section "text NAME"
// is a text that items quote as @NAME. Every other section is a document, named by anything; its name may hold
// "+3h" (time since the document before; default +1h), "at 2026-03-01T12:00:00Z", "partial" and "site=URL". Items are
// separated by blank lines:
//
//	guid: https://example.org/?p=1
//	link: https://example.org/hello
//	title: Hello
//	text: @long1
//	date: 2026-01-01 09:00
//	want: new = A told
//
// "like: A" starts from the latest arrival of article A; "no: guid date" empties fields. "each: 1 20" repeats the item
// with $n counted, "each: 20 1" counts down; "more: TEXT" appends to the text, "shift: 7h" moves the date. Other fields: opaque (yes: isPermaLink="false"), orig, summary, author, lang, updated, enclosure (URL and type;
// may repeat), invalid. In want, after the outcome, anything may be left out: the rule, "= NAME" of the article,
// "told" or "quiet", "material" or "immaterial", "perhaps NAME" (an article it was compared with and not taken for),
// "note: words of it". The outcome may be one of several: "duplicate|updated".
//
// A section "purge: A B" removes the texts of these articles, as retention does; "forget: A B" their keys and marks, too.
type caseItem struct {
	dedup.Item
	want string
}

func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no case files in testdata: %v", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) { runCase(t, f) })
	}
}

func runCase(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ar := txtar.Parse(data)
	texts := builtinTexts()
	var policy dedup.Policy
	for _, f := range ar.Files {
		if name, ok := strings.CutPrefix(f.Name, "text "); ok {
			texts[name] = strings.TrimSpace(string(f.Data))
		}
		if f.Name == "policy" {
			policy = parsePolicy(t, string(f.Data))
		}
	}
	m := dedup.NewMemory(policy)
	latest := map[string]dedup.Item{}
	names := map[string]dedup.EntryID{}
	now := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	for _, f := range ar.Files {
		if f.Name == "policy" || strings.HasPrefix(f.Name, "text ") {
			continue
		}
		doc := &dedup.Document{Site: "https://example.org/"}
		step := time.Hour
		for _, w := range strings.Fields(f.Name) {
			switch {
			case strings.HasPrefix(w, "+"):
				step = duration(t, w[1:])
			case w == "partial":
				doc.Partial = true
			case strings.HasPrefix(w, "at="):
				at := date(t, w[3:])
				step = at.Sub(now)
			case strings.HasPrefix(w, "site="):
				doc.Site = w[5:]
			case strings.ContainsAny(w, "+="):
				t.Fatalf("section %q: unknown word %q", f.Name, w)
			}
		}
		if verb, rest, ok := strings.Cut(f.Name, ": "); ok && (verb == "purge" || verb == "forget") {
			for _, n := range strings.Fields(rest) {
				id, ok := names[n]
				if !ok {
					t.Fatalf("%s: no article %q", f.Name, n)
				}
				if verb == "purge" {
					m.Purge(id)
				} else {
					m.Forget(id)
				}
			}
			continue
		}
		now = now.Add(step)
		doc.Fetched = now
		items := parseItems(t, string(f.Data), texts, latest)
		for _, it := range items {
			doc.Items = append(doc.Items, it.Item)
		}
		res := m.Process(doc)
		if len(res.Decisions) != len(items) {
			t.Fatalf("%s: %d decisions for %d items", f.Name, len(res.Decisions), len(items))
		}
		for i, d := range res.Decisions {
			it := items[i]
			if bad := checkWant(it.want, d, names); bad != "" {
				t.Errorf("document %q, item %d (%s):\n\twant %s\n\tgot  %s\n\t%s", f.Name, i+1, firstOf(it.Title, it.GUID, it.URL), it.want, describe(d, names), bad)
			}
			if name := wantName(it.want); name != "" {
				latest[name] = it.Item
			}
		}
	}
}

func firstOf(s ...string) string {
	for _, x := range s {
		if x != "" {
			return x
		}
	}
	return "no name"
}

func wantName(want string) string {
	w := strings.Fields(strings.Split(want, "note:")[0])
	for i := range w {
		if w[i] == "=" && i+1 < len(w) {
			return w[i+1]
		}
	}
	return ""
}

func checkWant(want string, d dedup.Decision, names map[string]dedup.EntryID) string {
	want, note, _ := strings.Cut(want, "note:")
	w := strings.Fields(want)
	if len(w) == 0 {
		return "the item has no want"
	}
	if !slices.Contains(strings.Split(w[0], "|"), string(d.Outcome)) {
		return "outcome"
	}
	for i := 1; i < len(w); i++ {
		switch w[i] {
		case "=":
			i++
			id, ok := names[w[i]]
			if !ok && d.Outcome == dedup.New {
				for n, other := range names {
					if other == d.Entry {
						return "it is a new article but has the entry of " + n
					}
				}
				names[w[i]] = d.Entry
			} else if id != d.Entry {
				return "another article"
			}
		case "perhaps":
			i++
			found := false
			for _, o := range d.Evidence.Others {
				found = found || o.Entry == names[w[i]]
			}
			if !found {
				return "does not name " + w[i] + " as possibly the same"
			}
		case "material":
			if !d.Evidence.Material {
				return "not material"
			}
		case "immaterial":
			if d.Evidence.Material {
				return "material"
			}
		case "told":
			if !d.Tell {
				return "not told: " + d.Quiet
			}
		case "quiet":
			if d.Tell {
				return "told"
			}
		default:
			if w[i] != string(d.Rule) {
				return "rule"
			}
		}
	}
	if n := strings.TrimSpace(note); n != "" && !strings.Contains(d.Evidence.Note, n) {
		return "note"
	}
	return ""
}

func describe(d dedup.Decision, names map[string]dedup.EntryID) string {
	name := ""
	for n, id := range names {
		if id == d.Entry && d.Entry != 0 && (name == "" || n < name) {
			name = n
		}
	}
	s := fmt.Sprintf("%s %s = %s (entry %d)", d.Outcome, d.Rule, name, d.Entry)
	if d.Evidence.Note != "" {
		s += " note: " + d.Evidence.Note
	}
	if d.Quiet != "" {
		s += " quiet: " + d.Quiet
	}
	for _, f := range d.Evidence.Facts {
		s += fmt.Sprintf("\n\t     %s %s", f.Name, f.Is)
	}
	for _, o := range d.Evidence.Others {
		s += fmt.Sprintf("\n\t     not entry %d: %s", o.Entry, o.Why)
	}
	return s
}

func parsePolicy(t *testing.T, s string) (p dedup.Policy) {
	for _, line := range strings.Split(s, "\n") {
		k, v, _ := strings.Cut(line, ":")
		v = strings.TrimSpace(v)
		switch strings.TrimSpace(k) {
		case "":
		case "identity":
			p.Identity = dedup.Identity(v)
		case "near":
			p.Near = dedup.Near(v)
		case "permanent":
			p.Permanent = v == "yes"
		case "suspect only":
			for _, r := range strings.Fields(v) {
				p.SuspectOnly = append(p.SuspectOnly, dedup.RuleID(r))
			}
		case "missing guid":
			p.MissingGUID = dedup.MissingGUID(v)
		default:
			t.Fatalf("policy: unknown line %q", line)
		}
	}
	return p
}

func parseItems(t *testing.T, s string, texts map[string]string, latest map[string]dedup.Item) (out []caseItem) {
	for _, block := range strings.Split(strings.TrimSpace(s), "\n\n") {
		block = strings.TrimSpace(block)
		if block == "" {
			continue
		}
		from, to := 1, 1
		lines := strings.Split(block, "\n")
		if v, ok := strings.CutPrefix(lines[0], "each:"); ok {
			if _, err := fmt.Sscan(v, &from, &to); err != nil {
				t.Fatalf("each: %v", err)
			}
			lines = lines[1:]
		}
		step := 1
		if to < from {
			step = -1
		}
		for n := from; ; n += step {
			out = append(out, parseItem(t, lines, strconv.Itoa(n), texts, latest))
			if n == to {
				break
			}
		}
	}
	return out
}

func parseItem(t *testing.T, lines []string, n string, texts map[string]string, latest map[string]dedup.Item) (it caseItem) {
	opaque, guidSet := false, false
	for _, line := range lines {
		if strings.HasPrefix(line, "#") {
			continue
		}
		k, v, ok := strings.Cut(line, ":")
		if !ok {
			t.Fatalf("item line %q has no colon", line)
		}
		v = strings.TrimSpace(strings.ReplaceAll(v, "$n", n))
		switch k {
		case "like":
			was, ok := latest[v]
			if !ok {
				t.Fatalf("like: no article %q yet", v)
			}
			it.Item = was
			it.Enclosures = append([]dedup.Enclosure(nil), was.Enclosures...)
		case "no":
			for _, f := range strings.Fields(v) {
				switch f {
				case "guid":
					it.GUID, it.Permalink = "", false
				case "link":
					it.URL = ""
				case "title":
					it.Title = ""
				case "text":
					it.Content = ""
				case "summary":
					it.Summary = ""
				case "date":
					it.Published = time.Time{}
				case "enclosure":
					it.Enclosures = nil
				case "author":
					it.Author = ""
				case "lang":
					it.Lang = ""
				default:
					t.Fatalf("no: unknown field %q", f)
				}
			}
		case "guid":
			it.GUID, guidSet = unquote(v), true
		case "opaque":
			opaque = v == "yes"
		case "link":
			it.URL = v
		case "orig":
			it.OrigURL = v
		case "title":
			it.Title = expand(t, v, n, texts)
		case "text":
			it.Content = expand(t, v, n, texts)
		case "summary":
			it.Summary = expand(t, v, n, texts)
		case "author":
			it.Author = v
		case "lang":
			it.Lang = v
		case "date":
			it.Published = date(t, v)
		case "updated":
			it.Updated = date(t, v)
		case "more":
			it.Content += " " + expand(t, v, n, texts)
		case "shift":
			it.Published = it.Published.Add(duration(t, v))
		case "enclosure":
			u, typ, _ := strings.Cut(v, " ")
			it.Enclosures = append(it.Enclosures, dedup.Enclosure{URL: u, Type: typ})
		case "invalid":
			it.Invalid = v
		case "want":
			it.want = v
		default:
			t.Fatalf("unknown item field %q", k)
		}
	}
	if guidSet {
		it.Permalink = !opaque && strings.HasPrefix(strings.TrimSpace(it.GUID), "http")
	}
	if it.want == "" {
		t.Fatalf("item without want: %v", lines)
	}
	return it
}

// unquote lets a guid have white space around it: "  x\n".
func unquote(v string) string {
	if strings.HasPrefix(v, `"`) {
		if s, err := strconv.Unquote(v); err == nil {
			return s
		}
	}
	return v
}

// expand replaces @name by the text of that name; @words(7,30) is 30 words that no other number gives.
func expand(t *testing.T, v, n string, texts map[string]string) string {
	for {
		i := strings.IndexByte(v, '@')
		if i < 0 {
			return v
		}
		e := i + 1
		for e < len(v) && (v[e] >= 'a' && v[e] <= 'z' || v[e] >= '0' && v[e] <= '9') {
			e++
		}
		name := v[i+1 : e]
		if name == "words" && e < len(v) && v[e] == '(' {
			end := strings.IndexByte(v[e:], ')')
			var seed, count int
			if _, err := fmt.Sscanf(v[e:e+end+1], "(%d,%d)", &seed, &count); err != nil {
				t.Fatalf("text %q: %v", v, err)
			}
			v = v[:i] + someWords(seed, count) + v[e+end+1:]
			continue
		}
		text, ok := texts[name]
		if !ok {
			t.Fatalf("no text %q", name)
		}
		v = v[:i] + text + v[e:]
	}
}

// someWords returns count words of invented prose, another one for every seed.
func someWords(seed, count int) string {
	syllables := []string{"ba", "ker", "lin", "mo", "ster", "vel", "tra", "nu", "pol", "gar", "fi", "den", "sho", "wick", "ran", "tel", "mar", "is", "on", "ul"}
	x := uint64(seed)*0x9e3779b97f4a7c15 + 1
	next := func() int {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		return int(x % uint64(len(syllables)))
	}
	var b strings.Builder
	for i := range count {
		if i > 0 {
			b.WriteByte(' ')
		}
		for range 2 + next()%2 {
			b.WriteString(syllables[next()])
		}
	}
	return b.String()
}

func builtinTexts() map[string]string {
	m := map[string]string{}
	for i := 1; i <= 9; i++ {
		m["long"+strconv.Itoa(i)] = someWords(1000+i, 60)
		m["short"+strconv.Itoa(i)] = someWords(2000+i, 8)
	}
	return m
}

func date(t *testing.T, v string) time.Time {
	for _, f := range []string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"} {
		if d, err := time.Parse(f, v); err == nil {
			return d.UTC()
		}
	}
	t.Fatalf("unreadable date %q", v)
	return time.Time{}
}

func duration(t *testing.T, v string) time.Duration {
	if d, ok := strings.CutSuffix(v, "d"); ok {
		n, err := strconv.Atoi(d)
		if err != nil {
			t.Fatal(err)
		}
		return time.Duration(n) * 24 * time.Hour
	}
	d, err := time.ParseDuration(v)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
