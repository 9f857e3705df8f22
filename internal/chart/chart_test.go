package chart

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the drawings to testdata")

const hostile = `"><script>alert(1)</script>&'`

// drawings are one of each kind, by the name of their file.
func drawings() map[string]string {
	days := []string{"1 May", "2 May", "3 May"}
	stacked := Stacked{
		ID: "arrivals", Title: "Arrivals", Desc: "By day.", Columns: days,
		Series: []Series{{"new", "new", []int64{3, 0, 12}}, {"copies", "copy", []int64{1, 0, 900}}, {"held", "held", []int64{-1}}},
	}
	return map[string]string{
		"stacked": stacked.SVG(),
		"key":     stacked.Key(0) + "\n" + stacked.Key(1),
		"empty":   Stacked{ID: "none", Title: "Nothing"}.SVG(),
		"line": Line{ID: "rate", Title: "Rate", Desc: "By day.", Class: "copy", Columns: append(days, "4 May"), Values: []float64{.5, 0, 2, 3},
			Known: []bool{true, false, true, true}, Words: []string{"0.5 %", "", "2 %", "3 %"}}.SVG(),
		"bar":   Bar(3, 9, "copy") + "\n" + Bar(0, 9, "copy") + "\n" + Bar(1, 1e9, "copy") + "\n" + Bar(1, 0, "copy"),
		"marks": Marks("polls-1", "Two polls", []Mark{{Height: 1, Class: "new"}, {Height: 2, Class: "error", Below: true}}, 4),
		"hostile": Stacked{ID: hostile, Title: hostile, Desc: hostile, Columns: []string{hostile}, Series: []Series{{hostile, hostile, []int64{1}}, {hostile, hostile, []int64{1}}}}.SVG() +
			Line{ID: hostile, Title: hostile, Desc: hostile, Class: hostile, Columns: []string{hostile}, Values: []float64{1}, Words: []string{hostile}}.SVG() +
			Bar(1, 1, hostile) + Marks(hostile, hostile, []Mark{{1, false, hostile}, {1, true, hostile}}, 1),
	}
}

func TestDrawings(t *testing.T) {
	for name, got := range drawings() {
		got = strings.ReplaceAll(got, "><", ">\n<") + "\n" // for who reads a difference
		path := filepath.Join("testdata", name+".svg")
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got), -update writes it:\n%s", path, diff)
		}
	}
}

// Every drawing is well formed, has no style and no script, and is either an image with a name or hidden.
func TestMarkup(t *testing.T) {
	allowed := map[string]bool{"all": true, "svg": true, "title": true, "desc": true, "defs": true, "pattern": true, "g": true, "rect": true, "path": true}
	for name, drawn := range drawings() {
		dec := xml.NewDecoder(strings.NewReader("<all>" + drawn + "</all>"))
		ids := map[string]bool{}
		for {
			token, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v in\n%s", name, err, drawn)
			}
			el, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			if !allowed[el.Name.Local] {
				t.Errorf("%s has an element %s", name, el.Name.Local)
			}
			attributes := map[string]string{}
			for _, a := range el.Attr {
				attributes[a.Name.Local] = a.Value
				if a.Name.Local == "style" || strings.HasPrefix(a.Name.Local, "on") {
					t.Errorf("%s has an attribute %s", name, a.Name.Local)
				}
			}
			if id := attributes["id"]; id != "" {
				if ids[id] && name != "hostile" {
					t.Errorf("%s has two elements %q", name, id)
				}
				ids[id] = true
			}
			if el.Name.Local == "svg" && attributes["aria-hidden"] != "true" && (attributes["role"] != "img" || attributes["aria-labelledby"] == "") {
				t.Errorf("%s: an image without a name: %v", name, attributes)
			}
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		max   float64
		whole bool
		want  string
	}{
		{0, true, "[0 1 2]"}, {1, true, "[0 1 2]"}, {3, true, "[0 1 2 3]"}, {7, true, "[0 2 4 6 8]"}, {10, true, "[0 5 10]"}, {912, true, "[0 250 500 750 1000]"}, {20_001, true, "[0 10000 20000 30000]"},
		{0, false, "[0 0.25 0.5 0.75 1]"}, {.5, false, "[0 0.2 0.4 0.6]"}, {3, false, "[0 1 2 3]"}, {100, false, "[0 25 50 75 100]"}, {math.Inf(1), false, "[0 0.25 0.5 0.75 1]"}, {math.NaN(), true, "[0 1 2]"},
	} {
		if got := fmt.Sprint(Ticks(c.max, c.whole)); got != c.want {
			t.Errorf("Ticks(%v, %v) = %s, want %s", c.max, c.whole, got, c.want)
		}
	}
	for i := range 5000 {
		for _, whole := range []bool{true, false} {
			top := float64(i) * 1.37
			ticks := Ticks(top, whole)
			if n := len(ticks); n < 3 || n > 5 || ticks[0] != 0 || ticks[n-1] < top {
				t.Fatalf("Ticks(%v, %v) = %v", top, whole, ticks)
			}
		}
	}
}
