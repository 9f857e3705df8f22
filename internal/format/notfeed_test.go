package format

import (
	"errors"
	"testing"
)

// TestNotFeedBinary has what no case file can hold.
func TestNotFeedBinary(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{"", "an empty body"},
		{"\x00\x01\x02\x03binary\x00\x00\x00", "binary data"},
		{"\x1F\x8B\x08\x00", "gzip-compressed data"},
		{"\x89PNG\r\n\x1A\n", "a PNG picture"},
		{"\uFEFF \u200B\n", "an empty body"},
		{"\xFF\xFEh\x00i\x00", "plain text: “hi”"},
		{"caf\xe9 closed", "plain text: “café closed”"},
	} {
		_, err := Parse([]byte(tt.body), Options{})
		var notFeed *NotFeedError
		if !errors.As(err, &notFeed) || notFeed.Found != tt.want {
			t.Errorf("%q: %v, want %q", tt.body, err, tt.want)
		}
	}
}
