package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClean(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "A title", "A title"},
		{"lines and tabs", " one\n two\tthree\r\n", "one two three"},
		{"escape sequence", "red \x1b[31mtitle\x1b]0;x\x07", "red �[31mtitle�]0;x�"},
		{"C1 control", "a\u009b31mb", "a�31mb"},
		{"direction", "abc\u202ecba\u2066x\u200f", "abccbax"},
		{"invalid UTF-8", "a\xffb", "a�b"},
		{"other scripts", "日本語 العربية", "日本語 العربية"},
	} {
		if got := clean(tt.in); got != tt.want {
			t.Errorf("%s: clean(%q) = %q, want %q", tt.name, tt.in, got, tt.want)
		}
	}
}

func TestTable(t *testing.T) {
	tab := table{header: []string{"ID", "TITLE", "STATE"}, wide: 1}
	tab.add("1", "A title that is too long for the terminal it is shown on", "ok")
	tab.add("20", "日本語の長い題名がここにありますよね", "error")
	tab.add("300", "short\x1b[31m", "ok")

	var plain bytes.Buffer
	if err := tab.print(&plain); err != nil {
		t.Fatal(err)
	}
	want := "ID\tTITLE\tSTATE\n" +
		"1\tA title that is too long for the terminal it is shown on\tok\n" +
		"20\t日本語の長い題名がここにありますよね\terror\n" +
		"300\tshort�[31m\tok\n"
	if diff := cmp.Diff(want, plain.String()); diff != "" {
		t.Errorf("plain table (-want +got):\n%s", diff)
	}

	var aligned strings.Builder
	tab.aligned(&aligned, 40)
	want = "ID   TITLE                         STATE\n" +
		"1    A title that is too long fo…  ok\n" +
		"20   日本語の長い題名がここにあ…   error\n" +
		"300  short�[31m                    ok\n"
	got := aligned.String()
	for _, line := range strings.Split(strings.TrimSuffix(got, "\n"), "\n") {
		if n := cells(line); n > 40 {
			t.Errorf("a line has %d columns, more than the terminal's 40: %q", n, line)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("aligned table (-want +got):\n%s", diff)
	}
}

func TestWrap(t *testing.T) {
	got := wrap("one two three four", "  ", 10)
	if want := "  one two\n  three\n  four"; got != want {
		t.Errorf("wrap: %q, want %q", got, want)
	}
}

func TestParagraphs(t *testing.T) {
	got := paragraphs("<p>One <b>two</b>.</p><P class=x>Three<br/>four</P><ul><li>five</li><li>six</li></ul>seven")
	if diff := cmp.Diff([]string{"One two.", "Three", "four", "five", "six", "seven"}, got); diff != "" {
		t.Errorf("paragraphs (-want +got):\n%s", diff)
	}
}
