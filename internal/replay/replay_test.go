package replay

import (
	"os"
	"strings"
	"testing"
)

// TestLook prints the faults of one history: HISTORY=name go test -run Look -v
func TestLook(t *testing.T) {
	name := os.Getenv("HISTORY")
	dir := Corpus("../..")
	if name == "" || dir == "" {
		t.Skip("set HISTORY to a history's name to look at its faults")
	}
	names, _ := Names(dir)
	for _, n := range names {
		if !strings.Contains(n, name) {
			continue
		}
		h, err := Load(dir, n)
		if err != nil {
			t.Fatal(err)
		}
		r := h.Run(Engine(), Option{})
		t.Logf("%+v missing %d", r.History, h.Truth.Missing)
		for _, f := range r.Faults {
			t.Log(f)
		}
	}
}

func TestTable(t *testing.T) {
	dir := Corpus("../..")
	if dir == "" {
		t.Skip("no histories: set FEEDONCE_CORPUS")
	}
	names, _ := Names(dir)
	for _, n := range names {
		h, err := Load(dir, n)
		if err != nil {
			t.Fatal(err)
		}
		bad := 0
		for _, v := range h.Versions {
			if v.Err != nil {
				bad++
			}
		}
		r := h.Run(Engine(), Option{})
		b := h.Run(GUIDOnly(), Option{})
		t.Logf("%-42s vers %3d bad %d true %4d shown %4d dup %3d told %3d lost %2d merged %3d upd %4d | guid: dup %4d told %4d lost %d | missing %d", n, len(h.Versions), bad, r.True, r.Shown, r.Duplicates, r.Told, r.Lost, r.Merged, r.Updates, b.Duplicates, b.Told, b.Lost, h.Truth.Missing)
	}
}
