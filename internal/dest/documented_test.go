package dest_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"feedonce/internal/dest"
)

var update = flag.Bool("update", false, "write what endpoints get into docs/destinations.md")

// The examples in docs/destinations.md are what the endpoints get. Each stands after a comment that names its kind.
func TestDocumentedPayloads(t *testing.T) {
	const path = "../../docs/destinations.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, s := range sinks(t) {
		if res := s.open(t).Send(t.Context(), newMessage()); res.Outcome != dest.Sent {
			t.Fatalf("%s: %+v, error %v", s.kind, res, res.Err)
		}
		var got bytes.Buffer
		if err := json.Indent(&got, []byte(s.last(t).raw), "", "  "); err != nil {
			t.Fatalf("%s: %v", s.kind, err)
		}
		got.WriteByte('\n')
		begin := "<!-- what the endpoint gets: " + s.kind + " -->\n```json\n"
		before, rest, ok := strings.Cut(page, begin)
		documented, after, closed := strings.Cut(rest, "```\n")
		switch {
		case !ok || !closed:
			t.Errorf("%s has no example of kind %s after %q", path, s.kind, begin)
		case documented == got.String():
		case *update:
			page = before + begin + got.String() + "```\n" + after
		default:
			t.Errorf("%s shows for kind %s\n%s\nand the endpoint gets (go test -update writes it)\n%s", path, s.kind, documented, got.String())
		}
	}
	if page != string(text) {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Every kind and each of its settings has its place on the page.
func TestAllKindsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/destinations.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range dest.Kinds() {
		_, section, ok := strings.Cut(string(text), "\nKind `"+k.Name+"` ")
		if !ok {
			t.Errorf("docs/destinations.md has no section that begins with \"Kind `%s`\"", k.Name)
			continue
		}
		section, _, _ = strings.Cut(section, "\n## ")
		for _, f := range k.Fields {
			if !strings.Contains(section, "`"+f.Name+"`") {
				t.Errorf("docs/destinations.md does not name the setting %s of kind %s", f.Name, k.Name)
			}
		}
	}
}
