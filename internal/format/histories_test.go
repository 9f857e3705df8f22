package format

import (
	"path/filepath"
	"testing"
)

// TestHistories reads every version that real publishers had of their feeds: each is a feed, each has its items, and
// no item is invalid.
func TestHistories(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(corpusDir(t), "histories", "*", "*.xml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no histories: %v", err)
	}
	items, undated := 0, 0
	for _, path := range paths {
		body := read(t, path)
		d, faults := readable(body, Options{})
		if d == nil {
			t.Errorf("%s: taken for no feed: %v", path, faults)
			continue
		}
		for _, f := range faults {
			t.Errorf("%s: %s", path, f)
		}
		if d.Partial != "" {
			t.Errorf("%s: %s", path, d.Partial)
		}
		for _, it := range d.Items {
			items++
			if it.Invalid != "" {
				t.Errorf("%s: %+v", path, it)
			}
			if it.Published.Text+it.Updated.Text != "" && it.Published.Time.IsZero() && it.Updated.Time.IsZero() {
				undated++
			}
		}
	}
	t.Logf("%d documents, %d items, %d of them with dates that cannot be read", len(paths), items, undated)
}
