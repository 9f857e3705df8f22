package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"feedonce"
	"feedonce/internal/sanitize"
	"feedonce/internal/shape"
	"feedonce/internal/store"
)

func (a *app) showCommand() *cobra.Command {
	var html bool
	cmd := &cobra.Command{
		Use:   "show ENTRY",
		Short: "Show an article",
		Long: `Show an article as text, or with --html its content as the feed has it, made safe.

ENTRY is an article's number, as list prints it.

With --json, one object as in list, with summary and content (untrusted HTML, as published).`,
		Args: args(1, 1, "the number of an article"),
		RunE: func(cmd *cobra.Command, names []string) error {
			ctx := cmd.Context()
			id, err := strconv.ParseInt(names[0], 10, 64)
			if err != nil || id < 1 {
				return usagef("%q is no number of an article; `feedonce list` has them, and `feedonce explain` finds articles by URL, guid or words", names[0])
			}
			return a.withStore(ctx, func(s *store.Store) error {
				e, f, err := entry(ctx, s, feedonce.EntryID(id))
				if err != nil {
					return err
				}
				switch {
				case a.json:
					return newJSONLines(a.out).write(shape.EntryOf(e))
				case html:
					_, err := fmt.Fprintln(a.out, sanitize.HTML(body(e), e.URL))
					return err
				}
				return showText(a.out, e, f)
			})
		},
	}
	cmd.Flags().BoolVar(&html, "html", false, "print the content as HTML")
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store")
	return cmd
}

// entry returns an article and its feed.
func entry(ctx context.Context, s *store.Store, id feedonce.EntryID) (e feedonce.Entry, f feedonce.Feed, err error) {
	err = s.View(ctx, func(tx *store.Tx) error {
		if e, err = tx.Entry(id); err != nil {
			return err
		}
		f, err = tx.Feed(e.Feed)
		return err
	})
	if errors.Is(err, feedonce.ErrNotFound) {
		err = fmt.Errorf("there is no article %d; `feedonce list` lists them", id)
	}
	return e, f, err
}

func body(e feedonce.Entry) string {
	if e.Content != "" {
		return e.Content
	}
	return e.Summary
}

func showText(w io.Writer, e feedonce.Entry, f feedonce.Feed) error {
	columns, ok := terminal(w)
	if !ok || columns > 100 {
		columns = 100
	}
	var b strings.Builder
	b.WriteString(wrap(clean(headline(e)), "", columns) + "\n\n")
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-10s %s\n", name, clean(value))
		}
	}
	line("feed", fmt.Sprintf("%s (%d)", f.Name(), f.ID))
	line("author", e.Author)
	line("published", stamp(e.Published))
	line("first seen", stamp(e.FirstSeen))
	if e.Revision > 1 {
		line("changed", fmt.Sprintf("%s, revision %d", stamp(e.Changed), e.Revision))
	}
	line("link", e.URL)
	line("guid", e.GUID)
	line("categories", strings.Join(e.Categories, ", "))
	for _, c := range e.Enclosures {
		line("enclosure", strings.TrimSpace(c.URL+" "+c.Type))
	}
	if text := paragraphs(body(e)); len(text) > 0 {
		for _, p := range text {
			b.WriteString("\n" + wrap(p, "", columns) + "\n")
		}
	}
	fmt.Fprintf(&b, "\nWhy it is here: feedonce explain %d\n", e.ID)
	_, err := io.WriteString(w, b.String())
	return err
}

// paragraphEnd matches the tags at which a paragraph ends.
var paragraphEnd = regexp.MustCompile(`(?i)</?(?:p|br|li|h[1-6]|blockquote|pre|div|tr)(?:\s[^>]*)?/?>`)

// paragraphs returns the text of HTML, split where its paragraphs end.
func paragraphs(html string) []string {
	const most = 200_000 // runes of a paragraph
	var out []string
	for _, part := range paragraphEnd.Split(html, -1) {
		if text := clean(sanitize.Text(part, most)); text != "" {
			out = append(out, text)
		}
	}
	return out
}
