package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/fetch"
	"feedonce/internal/format"
	"feedonce/internal/ingest"
)

func (a *app) tryCommand() *cobra.Command {
	var snapshots, separate, verbose bool
	cmd := &cobra.Command{
		Use:   "try URL|FILE|FOLDER...",
		Short: "See what feedonce would make of feeds; needs no database and changes nothing",
		Long: `Read feeds and print, for each: documents, items, articles, what is repeated and by which rule, what was updated, what is
invalid, and what is odd about it.

Several documents of one feed, in the order in which they were fetched, show what a subscriber would have met. Files of one
folder whose names differ only in digits are such snapshots of one feed, in the order of these numbers: feed-1.xml,
feed-2.xml, feed-10.xml. A FOLDER stands for the feeds in it and in its folders, which are files named .xml, .rss, .rdf, .atom,
.json or .feed. --separate takes every file for a feed of its own, --snapshots all arguments for one feed, in the order given.

A snapshot's time is that of the file where these times follow the order of the snapshots; else one hour after the snapshot
before it.

Exit codes: 3 if something is repeated, 1 if something could not be read; that does not keep the rest from being tried.

With --json, lines with "type":"source": source, documents, items, articles, new, updated, unchanged, duplicate, quarantined,
invalid, repeated (arrivals that are an article under another identity, edited or not, or twice in one document), rules (repeats by rule), title,
format, warnings, errors; before each of them its lines with "type":"decision": source, document (from 1), item (from 1), outcome,
rule, name, entry (article number within the source), guid, url, title, evidence. Unchanged items have a line with --verbose.`,
		Example: "  feedonce try https://go.dev/blog/feed.atom\n  feedonce try --verbose snapshots/",
		Args:    args(1, -1, "a URL, file or folder"),
		RunE: func(cmd *cobra.Command, names []string) error {
			if snapshots && separate {
				return usagef("--snapshots and --separate exclude each other")
			}
			sources, err := findSources(names, snapshots, separate)
			if err != nil {
				return err
			}
			return a.try(cmd.Context(), sources, verbose)
		},
	}
	cmd.Flags().BoolVar(&snapshots, "snapshots", false, "all arguments are snapshots of one feed, in order")
	cmd.Flags().BoolVar(&separate, "separate", false, "every file is a feed of its own")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "print every decision")
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "fetch")
	return cmd
}

func (a *app) try(ctx context.Context, sources []trySource, verbose bool) error {
	c := a.client()
	defer c.Close()
	total := 0
	for _, s := range sources {
		total += len(s.parts)
	}
	bar := newProgress(a.err, "reading", total)
	defer bar.end()
	var failed, repeated int
	for i, s := range sources {
		v, err := a.trySource(ctx, c, s, verbose, bar)
		if err != nil {
			return err
		}
		if len(v.Errors) > 0 {
			failed++
		}
		if v.Repeated > 0 {
			repeated++
		}
		bar.pause()
		if a.json {
			err = newJSONLines(a.out).write(v)
		} else {
			err = v.print(a.out, i > 0)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case failed > 0:
		return fmt.Errorf("%s of %d could not be read whole", count(failed, "source"), len(sources))
	case repeated > 0:
		return errFound
	}
	return nil
}

// trySource reads all documents of a source and decides them in order. Its error is that of the output, or of the
// context; what is wrong with a document is in the verdict.
func (a *app) trySource(ctx context.Context, c *fetch.Client, s trySource, verbose bool, bar *progress) (*verdict, error) {
	v := &verdict{Type: "source", Source: s.name, Rules: map[string]int{}, changed: map[string]int{}, invalid: map[string]int{}}
	mem := dedup.NewMemory(dedup.Policy{})
	var last time.Time
	for i, part := range s.parts {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		doc, err := part.read(ctx, c)
		bar.step(part.name)
		if err != nil {
			v.Errors = append(v.Errors, err.Error())
			continue
		}
		at := doc.at
		if !last.IsZero() && !at.After(last) {
			at = last.Add(time.Hour)
		}
		last = at
		v.Documents++
		v.Title, v.Format = doc.Title, doc.Format
		for _, w := range doc.Warnings {
			v.warn(w)
		}
		if doc.Partial != "" {
			v.warn("cut off: " + doc.Partial)
		}
		if doc.Dropped > 0 {
			v.warn(fmt.Sprintf("%d items beyond the limit were not read", doc.Dropped))
		}
		items := ingest.Items(doc.Document, doc.url, at)
		res := mem.Process(items)
		if len(res.Decisions) != len(items.Items) {
			v.Errors = append(v.Errors, fmt.Sprintf("%s: %d items got %d decisions; this is a fault in feedonce, please report it",
				part.name, len(items.Items), len(res.Decisions)))
		}
		for _, n := range res.Notes {
			v.warn(n)
		}
		v.count(items, res)
		if err := a.printDecisions(s.name, i+1, items, res, verbose, bar); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// tryDecision is a decision of try for programs.
type tryDecision struct {
	Type     string         `json:"type"`
	Source   string         `json:"source"`
	Document int            `json:"document"`
	Item     int            `json:"item"`
	Outcome  dedup.Outcome  `json:"outcome"`
	Rule     dedup.RuleID   `json:"rule"`
	Name     string         `json:"name"`
	Entry    dedup.EntryID  `json:"entry,omitempty"`
	GUID     string         `json:"guid"`
	URL      string         `json:"url"`
	Title    string         `json:"title"`
	Evidence dedup.Evidence `json:"evidence"`
}

func (a *app) printDecisions(source string, document int, doc *dedup.Document, res *dedup.Result, verbose bool, bar *progress) error {
	if !a.json && !verbose {
		return nil
	}
	bar.pause()
	lines := newJSONLines(a.out)
	for _, d := range res.Decisions {
		item := &doc.Items[d.Item]
		if a.json {
			if d.Outcome == dedup.Unchanged && !verbose {
				continue
			}
			err := lines.write(tryDecision{
				"decision", source, document, d.Item + 1, d.Outcome, d.Rule, dedup.RuleByID(d.Rule).Name,
				d.Entry, item.GUID, item.URL, item.Title, d.Evidence,
			})
			if err != nil {
				return err
			}
			continue
		}
		name := headline(feedonce.Entry{Title: item.Title, URL: item.URL, GUID: item.GUID})
		note := d.Evidence.Note
		if note != "" {
			note = " (" + note + ")"
		}
		_, err := fmt.Fprintf(a.out, "%4d.%-4d %-11s %-3s article %-5d %s%s\n", document, d.Item+1, d.Outcome, d.Rule, d.Entry, cut(clean(name), 90), note)
		if err != nil {
			return err
		}
	}
	return nil
}

// A tryDocument is one parsed document with what else is known of it.
type tryDocument struct {
	*format.Document
	url string
	at  time.Time
}

// read gets one document from the web or from a file.
func (p tryPart) read(ctx context.Context, c *fetch.Client) (tryDocument, error) {
	if p.web {
		address, err := webAddress(p.name)
		if err != nil {
			return tryDocument{}, err
		}
		l, err := locate(ctx, c, address)
		if err != nil {
			return tryDocument{}, err
		}
		return tryDocument{l.Doc, l.Got.URL, l.Got.Received}, nil
	}
	body, err := readFile(p.name)
	if err != nil {
		return tryDocument{}, err
	}
	doc, err := format.Parse(body, format.Options{})
	if err != nil {
		var no *format.NotFeedError
		if errors.As(err, &no) && no.HTML {
			err = fmt.Errorf("%w; try the address of the page, and its feed is looked for", err)
		}
		return tryDocument{}, fmt.Errorf("%s: %w", p.name, err)
	}
	return tryDocument{doc, "", p.at}, nil
}
