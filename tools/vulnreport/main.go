// Command vulnreport reads the JSON of govulncheck and says what of it matters.
//
// A vulnerability in a function that the program can reach is an error (exit status 1), unless it is one of Go's
// standard library that a newer patch release mends: that is for whoever builds to install, and a warning.
// Vulnerabilities in code that is imported and not called are counted only.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// A message is one value of the stream that govulncheck -format json prints (golang.org/x/vuln/internal/govulncheck).
type message struct {
	OSV *struct {
		ID      string `json:"id"`
		Summary string `json:"summary"`
	} `json:"osv"`
	Finding *finding `json:"finding"`
}

type finding struct {
	OSV   string  `json:"osv"`
	Fixed string  `json:"fixed_version"`
	Trace []frame `json:"trace"` // from the vulnerable symbol to the program's own code
}

type frame struct {
	Module   string `json:"module"`
	Version  string `json:"version"`
	Package  string `json:"package"`
	Function string `json:"function"`
	Receiver string `json:"receiver"`
}

func (f frame) String() string {
	name := f.Function
	if f.Receiver != "" {
		name = f.Receiver + "." + name
	}
	return f.Package + "." + name
}

func main() {
	fail, err := report(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "vulnreport: reading the output of govulncheck:", err)
		os.Exit(2)
	}
	if fail {
		os.Exit(1)
	}
}

func report(in io.Reader, out io.Writer) (fail bool, err error) {
	summaries := map[string]string{}
	called := map[string]finding{} // by OSV ID, the first trace of each
	present := map[string]bool{}
	for dec := json.NewDecoder(in); ; {
		var m message
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return false, err
		}
		switch {
		case m.OSV != nil:
			summaries[m.OSV.ID] = m.OSV.Summary
		case m.Finding != nil && len(m.Finding.Trace) > 0:
			f := *m.Finding
			present[f.OSV] = true
			if _, ok := called[f.OSV]; !ok && f.Trace[0].Function != "" {
				called[f.OSV] = f
			}
		}
	}
	ids := make([]string, 0, len(called))
	for id := range called {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		f := called[id]
		where, user := f.Trace[0], f.Trace[len(f.Trace)-1]
		if where.Module == "stdlib" && f.Fixed != "" {
			fmt.Fprintf(out, "warning: %s: %s; build with %s or newer to be rid of it (installed: %s)\n",
				id, summaries[id], strings.Replace(f.Fixed, "v", "go", 1), strings.Replace(where.Version, "v", "go", 1))
			continue
		}
		fail = true
		remedy := "no version mends it yet"
		if f.Fixed != "" {
			remedy = "go get " + where.Module + "@" + f.Fixed
		}
		fmt.Fprintf(out, "error: %s: %s: %s of %s %s is called from %s; %s\n",
			id, summaries[id], where, where.Module, where.Version, user, remedy)
	}
	fmt.Fprintf(out, "govulncheck: %d vulnerabilities can be reached, %d more are in code that is not called\n",
		len(called), len(present)-len(called))
	return fail, nil
}
