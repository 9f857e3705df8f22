package format

import (
	"errors"
	"testing"

	"feedonce/internal/scan"
)

// FuzzParse checks that no input makes the parser panic, that what comes out is clean UTF-8, that every item of a
// document is accounted for, and that errors are of the kinds promised.
func FuzzParse(f *testing.F) {
	for _, c := range cases(f) {
		f.Add(c.doc, c.opts.ContentType, c.opts.URL)
	}
	f.Fuzz(func(t *testing.T, body []byte, contentType, url string) {
		d, err := Parse(body, Options{ContentType: contentType, URL: url, MaxItems: 50})
		if err != nil {
			var notFeed *NotFeedError
			var limit *scan.LimitError
			if !errors.As(err, &notFeed) && !errors.As(err, &limit) {
				t.Fatalf("an error of another kind: %v", err)
			}
			return
		}
		for _, fault := range invalid(d) {
			t.Error(fault)
		}
		if len(d.Items) > 50 || d.Dropped > 0 && len(d.Items) != 50 {
			t.Errorf("%d items, %d dropped", len(d.Items), d.Dropped)
		}
		text := 0
		for _, it := range d.Items {
			text += len(it.Title) + len(it.Summary) + len(it.Content)
			if it.Invalid == "" && it.GUID == "" && it.Link == "" && it.Title == "" && it.Summary == "" && it.Content == "" && len(it.Enclosures) == 0 {
				t.Errorf("an item with nothing in it is not invalid: %+v", it)
			}
			if it.Permalink && !web(it.GUID) {
				t.Errorf("%q is no page", it.GUID)
			}
			if y := it.Published.Time.Year(); !it.Published.Time.IsZero() && (y < 1000 || y > 3000) {
				t.Errorf("a date of the year %d", y)
			}
		}
		// Escaping makes at most six bytes of one, and declared entities expand to at most 1 MiB.
		if text > 20*len(body)+8<<20 {
			t.Errorf("%d bytes of text from %d", text, len(body))
		}
	})
}
