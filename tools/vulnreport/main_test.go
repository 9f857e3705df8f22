package main

import (
	"strings"
	"testing"
)

// stream is what govulncheck prints, as far as it is read: a module that is required, one whose package is imported,
// and symbols that are called.
func stream(module, version, fixed, function string) string {
	return `{"config":{"protocol_version":"v1.0.0"}}
{"osv":{"id":"GO-1","summary":"something is wrong"}}
{"finding":{"osv":"GO-1","fixed_version":"` + fixed + `","trace":[{"module":"` + module + `","version":"` + version + `"}]}}
{"finding":{"osv":"GO-1","fixed_version":"` + fixed + `","trace":[{"module":"` + module + `","version":"` + version + `","package":"p","function":"` + function + `"},
 {"module":"feedonce","package":"feedonce/cmd/feedonce","function":"main"}]}}
`
}

func TestReport(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		fail     bool
		want     string
	}{
		{"nothing", `{"config":{}}`, false, "0 vulnerabilities can be reached, 0 more"},
		{"library", stream("example.org/m", "v1.0.0", "v1.0.1", "F"), true, "error: GO-1: something is wrong: p.F of example.org/m v1.0.0 is called from feedonce/cmd/feedonce.main; go get example.org/m@v1.0.1"},
		{"library without remedy", stream("example.org/m", "v1.0.0", "", "F"), true, "no version mends it yet"},
		{"not called", stream("example.org/m", "v1.0.0", "v1.0.1", ""), false, "0 vulnerabilities can be reached, 1 more"},
		{"newer Go", stream("stdlib", "v1.26.0", "v1.26.9", "F"), false, "warning: GO-1: something is wrong; build with go1.26.9 or newer to be rid of it (installed: go1.26.0)"},
		{"no newer Go", stream("stdlib", "v1.26.0", "", "F"), true, "no version mends it yet"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			fail, err := report(strings.NewReader(tt.in), &out)
			if err != nil {
				t.Fatal(err)
			}
			if fail != tt.fail || !strings.Contains(out.String(), tt.want) {
				t.Errorf("fail = %v, want %v; want a line with %q in:\n%s", fail, tt.fail, tt.want, out.String())
			}
		})
	}
	if _, err := report(strings.NewReader(`{"osv":`), &strings.Builder{}); err == nil {
		t.Error("output that breaks off is no error")
	}
}
