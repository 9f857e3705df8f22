package outbox

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"feedonce"
	"feedonce/internal/sanitize"
)

// Bounds of filters: they run while an article is being stored.
const (
	maxFilters = 100    // of each kind
	maxPattern = 1000   // bytes of a text or regular expression
	maxProgram = 1000   // instructions of a compiled regular expression
	maxText    = 100000 // characters of an article that are looked at
)

// fields are what a filter can look in, by Filter.In.
var fields = map[string]func(*feedonce.Entry) []string{
	"title": func(e *feedonce.Entry) []string { return []string{e.Title} },
	"content": func(e *feedonce.Entry) []string {
		return []string{e.Title, sanitize.Text(e.Summary, maxText), sanitize.Text(e.Content, maxText)}
	},
	"author":   func(e *feedonce.Entry) []string { return []string{e.Author} },
	"url":      func(e *feedonce.Entry) []string { return []string{e.URL} },
	"category": func(e *feedonce.Entry) []string { return e.Categories },
}

// A matcher is a filter, ready for use.
type matcher struct {
	in   string
	text string // folded
	re   *regexp.Regexp
}

// compile prepares a filter. field is what to call it in the *feedonce.InvalidError.
func compile(f feedonce.Filter, field string) (*matcher, error) {
	m := &matcher{in: f.In}
	if m.in == "" {
		m.in = "content"
	}
	if fields[m.in] == nil {
		return nil, invalid(field+".in", `must be "title", "content", "author", "url" or "category", not %q`, f.In)
	}
	switch {
	case f.Text != "" && f.RE != "":
		return nil, invalid(field, "must have a text or a regular expression (re), not both")
	case f.Text == "" && f.RE == "":
		return nil, invalid(field, "must have a text or a regular expression (re)")
	case f.RE == "":
		if len(f.Text) > maxPattern {
			return nil, invalid(field+".text", "must be at most %d bytes long, not %d", maxPattern, len(f.Text))
		}
		if m.text = fold(f.Text); m.text == "" {
			return nil, invalid(field+".text", "must have something in it besides spaces")
		}
		return m, nil
	}
	if len(f.RE) > maxPattern {
		return nil, invalid(field+".re", "must be at most %d bytes long, not %d", maxPattern, len(f.RE))
	}
	pattern := norm.NFC.String(f.RE)
	parsed, err := syntax.Parse(pattern, syntax.Perl|syntax.FoldCase)
	if err != nil {
		return nil, invalid(field+".re", "must be a regular expression (RE2 syntax): %v", err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, invalid(field+".re", "must be a regular expression (RE2 syntax): %v", err)
	}
	if n := len(program.Inst); n > maxProgram {
		return nil, invalid(field+".re", "must be simpler: its repetitions make %d steps of it, and %d are allowed", n, maxProgram)
	}
	if m.re, err = regexp.Compile("(?i)" + pattern); err != nil {
		return nil, invalid(field+".re", "must be a regular expression (RE2 syntax): %v", err)
	}
	return m, nil
}

// match reports whether the filter matches an article, whose texts are remembered in seen.
func (m *matcher) match(seen *article) bool {
	for _, text := range seen.texts(m.in) {
		if m.re != nil {
			if m.re.MatchString(text.plain) {
				return true
			}
		} else if strings.Contains(text.fold(), m.text) {
			return true
		}
	}
	return false
}

// An article is an entry with the texts that filters look in, made once for all filters.
type article struct {
	entry *feedonce.Entry
	of    map[string][]*text
}

type text struct{ plain, folded string }

func (a *article) texts(in string) []*text {
	if all, ok := a.of[in]; ok {
		return all
	}
	var all []*text
	for _, s := range fields[in](a.entry) {
		if s != "" {
			all = append(all, &text{plain: norm.NFC.String(cut(s))})
		}
	}
	if a.of == nil {
		a.of = map[string][]*text{}
	}
	a.of[in] = all
	return all
}

func (t *text) fold() string {
	if t.folded == "" {
		t.folded = fold(t.plain)
	}
	return t.folded
}

// fold returns s as it is compared: without regard to case (Unicode full case folding: "STRASSE" is "straße"), to how
// accents are encoded, and to the kind and number of spaces.
func fold(s string) string {
	return strings.Join(strings.Fields(norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))), " ")
}

// cut returns the beginning of a text, as far as filters look.
func cut(s string) string {
	if len(s) <= maxText {
		return s
	}
	n := 0
	for i := range s {
		if n++; n > maxText {
			return s[:i]
		}
	}
	return s
}

// invalid is what a person can put right.
func invalid(field, format string, args ...any) error {
	reason := fmt.Sprintf(format, args...)
	if !utf8.ValidString(reason) {
		reason = strings.ToValidUTF8(reason, "\uFFFD")
	}
	return &feedonce.InvalidError{Field: field, Reason: reason}
}
