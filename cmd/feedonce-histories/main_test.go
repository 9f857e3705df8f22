package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// corpus makes a folder with one history: an article gets another guid, and then another one comes.
func corpus(t *testing.T) {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "histories", "someone+blog")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	rss := func(items string) string {
		return `<rss version="2.0"><channel><title>Blog</title><link>https://blog.example.org/</link>` + items + `</channel></rss>`
	}
	item := func(guid, slug, title string) string {
		return `<item><guid isPermaLink="false">` + guid + `</guid><link>https://blog.example.org/2026/` + slug + `</link><title>` + title + `</title></item>`
	}
	for name, text := range map[string]string{
		"0001.xml":     rss(item("1", "one-two-three", "One two three")),
		"0002.xml":     rss(item("1b", "one-two-three", "One two three")),
		"0003.xml":     rss(item("2", "two-three-four", "Two three four") + item("1b", "one-two-three", "One two three")),
		"manifest.tsv": "n\tfile\tcommitted\n1\t0001.xml\t1767225600\n2\t0002.xml\t1767312000\n3\t0003.xml\t1767398400\n",
		"articles.tsv": "article\tkey\tguid\tlink\ttitle\tdate\n1\t1\t1\t\tOne two three\t\n1\t1b\t1b\t\tOne two three\t\n2\t2\t2\t\tTwo three four\t\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("FEEDONCE_CORPUS", root)
}

func TestTables(t *testing.T) {
	corpus(t)
	var out bytes.Buffer
	passed, err := (&options{out: &out, mode: "every"}).run()
	if err != nil {
		t.Fatal(err)
	}
	// versions, items, true, shown, duplicates, told, lost, wrong, updates; guid only: duplicates/told/lost
	want := "someone+blog 3 4 2 2 0 0 0 0 0 1/1/0"
	if got := strings.Join(strings.Fields(out.String()), " "); !passed || !strings.Contains(got, want) || !strings.Contains(got, "All gates are passed.") {
		t.Errorf("passed %v; %q is not in\n%s", passed, want, out.String())
	}
}

func TestLook(t *testing.T) {
	corpus(t)
	var out bytes.Buffer
	if _, err := (&options{out: &out, mode: "every", look: true}).run(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "someone+blog, every version once: {Versions:3 ") || strings.Contains(out.String(), "duplicate:") {
		t.Errorf("not a look at a history without a fault:\n%s", out.String())
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	corpus(t)
	for want, o := range map[string]options{
		`no history in`:          {only: "nonesuch"},
		`there is no mode "odd"`: {mode: "odd"},
	} {
		o.out = &bytes.Buffer{}
		if _, err := o.run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v; want %q", o, err, want)
		}
	}
	t.Setenv("FEEDONCE_CORPUS", t.TempDir())
	if _, err := (&options{out: &bytes.Buffer{}}).run(); err == nil || !strings.Contains(err.Error(), "set FEEDONCE_CORPUS") {
		t.Errorf("without histories: error %v; it must say where they are looked for", err)
	}
}
