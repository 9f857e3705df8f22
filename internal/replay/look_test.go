package replay

import (
	"os"
	"strings"
	"sync"
	"testing"

	"feedonce/internal/evolve"
)

// TestLook prints every difference between the engine and the truth, for those who check one or the other:
//
//	HISTORY=flink MODE=fifth go test ./internal/replay -run Look -v
//
// HISTORY is a part of histories' names ("+" is in most). MODE is a mode's name; without it, all are replayed.
func TestLook(t *testing.T) {
	only := os.Getenv("HISTORY")
	if only == "" {
		t.Skip("a tool, no test: set HISTORY to a part of a history's name to look at its faults")
	}
	for _, h := range load(t, only) {
		for _, v := range h.Versions {
			if v.Err != nil {
				t.Logf("%s, version %d cannot be read: %v", h.Name, v.N, v.Err)
			}
		}
		for _, m := range Modes {
			if want := os.Getenv("MODE"); want != "" && want != m.Name {
				continue
			}
			var faults []Fault
			sc := h.Replay(evolve.NewProduct(), m, func(f Fault) { faults = append(faults, f) })
			t.Logf("%s, %s: %+v", h.Name, m.About, sc)
			for _, f := range faults {
				t.Log(f)
			}
		}
	}
}

// load returns the histories whose names contain only, which are loaded once; it skips the test where there are none.
func load(t *testing.T, only string) (out []*History) {
	t.Helper()
	hs, err := loadOnce()
	if err != nil {
		t.Skip(err)
	}
	for _, h := range hs {
		if strings.Contains(h.Name, only) {
			out = append(out, h)
		}
	}
	return out
}

var loadOnce = sync.OnceValues(func() ([]*History, error) {
	dir, err := Corpus("../..")
	if err != nil {
		return nil, err
	}
	hs, err := LoadAll(dir, "")
	if err != nil {
		panic(err) // they are there, and cannot be read
	}
	return hs, nil
})
