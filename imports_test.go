package feedonce_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// allowed is the drawing of who may import whom: for each package the packages of this module it may import, besides
// the standard library and other people's. What is not listed may be imported by cmd only. Change it together with
// doc.go, and say why in docs/decisions.
var allowed = map[string][]string{
	"":                  {},
	"dedup":             {"internal/urls"},
	"internal/urls":     {},
	"internal/scan":     {},
	"internal/format":   {"internal/scan"},
	"internal/fetch":    {},
	"internal/sanitize": {},
	"internal/opml":     {},
	"internal/query":    {},
	"internal/sqldb":    {""},
	"internal/jobs":     {"", "internal/sqldb"},
	"internal/secret":   {""},
	"internal/dest":     {""},
	"internal/store":    {"", "dedup", "internal/jobs", "internal/query", "internal/sanitize", "internal/sqldb", "internal/urls"},
	"internal/account":  {"", "internal/store"},
	"internal/outbox":   {"", "dedup", "internal/sanitize", "internal/store"},
	"internal/ingest":   {"", "dedup", "internal/format", "internal/outbox", "internal/scan", "internal/store", "internal/urls"},
	"internal/amend":    {"", "dedup", "internal/ingest", "internal/outbox", "internal/store"},
	"internal/deliver":  {"", "dedup", "internal/dest", "internal/jobs", "internal/outbox", "internal/sanitize", "internal/secret", "internal/store"},
	"internal/outfeed":  {"", "dedup", "internal/guard", "internal/sanitize", "internal/secret", "internal/store"},
	"internal/poll":     {"", "dedup", "internal/fetch", "internal/format", "internal/scan", "internal/ingest", "internal/store"},
	"internal/guard":    {},
	"internal/chart":    {},
	"internal/explain":  {"", "dedup", "internal/sanitize", "internal/store"},
	"internal/shape":    {"", "dedup", "internal/explain", "internal/store"},
	"internal/api":      {"", "dedup", "internal/account", "internal/amend", "internal/deliver", "internal/dest", "internal/ingest", "internal/outbox", "internal/outfeed", "internal/secret", "internal/explain", "internal/fetch", "internal/format", "internal/guard", "internal/poll", "internal/shape", "internal/store"},
	"internal/web":      {"", "dedup", "internal/account", "internal/amend", "internal/chart", "internal/deliver", "internal/dest", "internal/explain", "internal/fetch", "internal/format", "internal/guard", "internal/ingest", "internal/opml", "internal/outbox", "internal/outfeed", "internal/poll", "internal/query", "internal/sanitize", "internal/secret", "internal/shape", "internal/store"},
}

// only are packages of other people that one package may import, and nobody else: SQL drivers behind sqldb, and so on.
var only = map[string][]string{
	"modernc.org/sqlite":                 {"internal/sqldb"},
	"github.com/jackc/pgx/v5":            {"internal/sqldb", "internal/store"},
	"github.com/pressly/goose/v3":        {"internal/sqldb", "internal/store"},
	"code.dny.dev/ssrf":                  {"internal/fetch"},
	"github.com/microcosm-cc/bluemonday": {"internal/sanitize"},
	"github.com/danielgtaylor/huma/v2":   {"internal/api"},
	"github.com/riverqueue/river":        {"internal/jobs"},
}

// noNet are packages that compute and nothing else: no files, no network, no clock.
var pure = []string{"", "dedup", "internal/urls", "internal/scan", "internal/format", "internal/sanitize", "internal/query", "internal/chart"}

var impure = []string{"os", "net", "net/http", "database/sql", "os/exec", "io/ioutil"}

func TestImports(t *testing.T) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	const module = "feedonce"
	seen := map[string]bool{}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		seen[name] = true
		may, listed := allowed[name]
		for _, imp := range p.Imports {
			if imp == module || strings.HasPrefix(imp, module+"/") {
				rel := strings.TrimPrefix(strings.TrimPrefix(imp, module), "/")
				if listed && !slices.Contains(may, rel) && !strings.HasPrefix(rel, name+"/") {
					t.Errorf("%q imports %q: not in the drawing", name, rel)
				}
			}
			if slices.Contains(pure, name) && slices.Contains(impure, imp) {
				t.Errorf("%q is pure and must not import %q", name, imp)
			}
			for lib, who := range only {
				if (imp == lib || strings.HasPrefix(imp, lib+"/")) && !slices.Contains(who, name) {
					t.Errorf("%q imports %q: only %v may", name, imp, who)
				}
			}
		}
	}
	for name := range allowed {
		if !seen[name] {
			t.Errorf("the drawing lists %q, which does not exist", name)
		}
	}
}
