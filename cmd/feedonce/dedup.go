package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"feedonce/dedup"
	"feedonce/internal/explain"
)

func (a *app) dedupCommand() *cobra.Command {
	f := filter{}
	var policy []string
	cmd := &cobra.Command{
		Use:   "dedup",
		Short: "A filter: items or documents in, decisions out; needs no database",
		Long: `Read items of feeds from standard input, one JSON object a line, and write what each of them is: new, updated, unchanged,
duplicate, quarantined or invalid. What was seen is forgotten at the end, or kept in the file that --state names, so that
the next run goes on from there.

A line is an item, judged by itself, or a document: one fetched version of a feed with all its items, judged as a whole.
Documents are judged better: what stands in them together, and what left them when something else came, is evidence.

  item      {"guid":"...", "url":"...", "title":"...", "content":"...", "summary":"...", "author":"...", "lang":"en",
             "published":"2026-03-02T08:00:00Z", "updated":"...", "permalink":true, "origUrl":"...",
             "enclosures":[{"url":"...","type":"audio/mpeg","length":5}], "invalid":"why it cannot be read"}
  document  {"items":[ITEM, ...], "generator":"...", "partial":true}

Every field may be absent. Texts are as published, HTML included; times are RFC 3339. permalink says that the guid may be
the item's page, origUrl is the page before a proxy, partial that the document was cut off. Both kinds of line may have:

  site      the feed's own site, to tell its own links from links to elsewhere, which count less
  feed      the name of the feed, any text: each feed is judged for itself. Lines without it are of one feed
  fetched   when it was received; now, where it is absent. It must not go back within a feed, nor be in the future
  ref       anything: it comes back with the decision

For each item there is one line on standard output, in the order of the items:

  line      the number of its line in the input, from 1
  item      its number in that line, from 1
  feed, ref as given
  outcome   new, updated, unchanged, duplicate, quarantined or invalid
  rule, name, sentence: the rule that decided
  entry     the article, a number within the feed: a new one, or the one the item is a version or copy of
  guid, url, title: as given
  tell, quiet: of a new item, whether it is worth a message, and if not, why: an item of a feed's first document is not
  evidence  why: facts (name, is, have, want), changed, material, others (entry, why), note

A line that cannot be read is reported on standard error with its number, and costs no other; the exit code is then 3.

The state is JSON: {"version":1,"feeds":{NAME:MEMORY}}, in which MEMORY is what package feedonce/dedup calls Memory. It is
replaced as a whole, at the end and now and then before.

Settings of --policy, for all feeds:

` + policyHelp(),
		Example: `  feedonce dedup <items.ndjson >decisions.ndjson
  crawl | feedonce dedup --state seen.json --new | notify`,
		Args: args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := changePolicy(dedup.Policy{}, policy)
			if err != nil {
				return err
			}
			f.policy, f.repolicy = p, len(policy) > 0
			return a.dedup(cmd.Context(), &f)
		},
	}
	cmd.Flags().StringVar(&f.file, "state", "", "file in which to keep what was seen; it is made where it is missing")
	cmd.Flags().StringArrayVar(&policy, "policy", nil, "KEY=VALUE, a setting of the policy (may be repeated)")
	cmd.Flags().BoolVar(&f.onlyNew, "new", false, "write the new items as they came, instead of decisions")
	return cmd
}

// A filter is one run of the command dedup.
type filter struct {
	file     string // of the state; "" keeps none
	policy   dedup.Policy
	repolicy bool // the policy was given: it takes the place of that in the state
	onlyNew  bool

	state   filterState
	out     *bufio.Writer
	refused int       // lines that could not be read
	saved   time.Time // when the state was written last
	dirty   bool      // something was decided since then
}

const (
	maxLine   = maxFile          // bytes of a line
	saveEvery = 30 * time.Second // while input comes
)

// A filterLine is a line of the input: an item or a document.
type filterLine struct {
	dedup.Document
	dedup.Item

	Feed string          `json:"feed"`
	Ref  json.RawMessage `json:"ref"`
}

// A filterDecision is a line of the output.
type filterDecision struct {
	Line     int             `json:"line"`
	Item     int             `json:"item"`
	Feed     string          `json:"feed,omitempty"`
	Ref      json.RawMessage `json:"ref,omitempty"`
	Outcome  dedup.Outcome   `json:"outcome"`
	Rule     dedup.RuleID    `json:"rule"`
	Name     string          `json:"name"`
	Sentence string          `json:"sentence"`
	Entry    dedup.EntryID   `json:"entry,omitempty"`
	GUID     string          `json:"guid,omitempty"`
	URL      string          `json:"url,omitempty"`
	Title    string          `json:"title,omitempty"`
	Tell     bool            `json:"tell,omitempty"`
	Quiet    string          `json:"quiet,omitempty"`
	Evidence dedup.Evidence  `json:"evidence"`
}

func (a *app) dedup(ctx context.Context, f *filter) error {
	if err := f.load(); err != nil {
		return err
	}
	f.out, f.saved = bufio.NewWriter(a.out), time.Now()
	err := f.run(ctx, a.in, func(line int, err error) {
		f.refused++
		fmt.Fprintf(a.err, "feedonce: line %d: %v\n", line, err)
	})
	// What was not written out is decided again by the next run: an item twice is better than one lost.
	if ferr := f.out.Flush(); ferr != nil {
		return fmt.Errorf("the decisions cannot be written: %w", ferr)
	}
	if serr := f.save(); serr != nil {
		return serr
	}
	switch {
	case err != nil:
		return err
	case f.refused > 0:
		return &foundError{fmt.Sprintf("%s could not be read", count(f.refused, "line"))}
	}
	return nil
}

// run decides line after line until the input or ctx ends.
func (f *filter) run(ctx context.Context, in io.Reader, refuse func(line int, err error)) error {
	lines := make(chan numbered)
	go readLines(ctx, in, lines)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case l, ok := <-lines:
			switch {
			case !ok:
				return nil
			case l.fatal:
				return fmt.Errorf("the input cannot be read after line %d: %w", l.number-1, l.err)
			case l.err == nil:
				l.err = f.line(l.number, l.text)
			}
			var output *outputError
			if errors.As(l.err, &output) {
				return l.err
			}
			if l.err != nil {
				refuse(l.number, l.err)
			}
			if now := time.Now(); now.Sub(f.saved) > saveEvery {
				if err := f.out.Flush(); err != nil {
					return &outputError{err}
				}
				if err := f.save(); err != nil {
					return err
				}
				f.saved = now
			}
		}
	}
}

// A numbered line of the input, or what was wrong with it; fatal is the end of it all.
type numbered struct {
	number int
	text   []byte
	err    error
	fatal  bool
}

// readLines sends the lines of the input, without empty ones, and closes the channel at its end.
func readLines(ctx context.Context, in io.Reader, out chan<- numbered) {
	defer close(out)
	send := func(l numbered) bool {
		select {
		case out <- l:
			return true
		case <-ctx.Done():
			return false
		}
	}
	r := bufio.NewReaderSize(in, 64<<10)
	for n := 1; ; n++ {
		text, err := readLine(r)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, errLongLine) {
			send(numbered{number: n, err: err, fatal: true})
			return
		}
		l := numbered{number: n, text: bytes.TrimSpace(text)}
		if errors.Is(err, errLongLine) {
			l.err = err
		}
		if (len(l.text) > 0 || l.err != nil) && !send(l) || errors.Is(err, io.EOF) {
			return
		}
	}
}

var errLongLine = fmt.Errorf("is longer than %d MiB; it is passed over", maxLine>>20)

// readLine reads a line. One that is too long is read to its end, and dropped.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long && (err == nil || errors.Is(err, io.EOF)):
			return nil, errLongLine
		default:
			return line, err
		}
	}
}

// line decides one line.
func (f *filter) line(number int, text []byte) error {
	l, whole, err := parseLine(text)
	if err != nil {
		return err
	}
	doc := &l.Document
	if !whole {
		// Nothing is said about what else the feed has: as a document that was cut off.
		doc = &dedup.Document{Fetched: l.Fetched, Site: l.Site, Items: []dedup.Item{l.Item}, Partial: true}
	}
	mem := f.memory(l.Feed)
	now := time.Now()
	if doc.Fetched.IsZero() {
		doc.Fetched = now
	}
	if doc.Fetched.After(now.Add(24 * time.Hour)) {
		return fmt.Errorf("fetched is %s, which is still to come", doc.Fetched.UTC().Format(time.RFC3339))
	}
	doc.Fetched = doc.Fetched.UTC()
	if last := mem.State(); last != nil && doc.Fetched.Unix() < last.LastSeen {
		return fmt.Errorf("fetched is %s, which is before what was read of this feed up to %s; sort the lines by it",
			doc.Fetched.Format(time.RFC3339), time.Unix(last.LastSeen, 0).UTC().Format(time.RFC3339))
	}
	res, err := process(mem, doc)
	if err != nil {
		return err
	}
	f.dirty = true
	lines := newJSONLines(f.out)
	for _, d := range res.Decisions {
		item := &doc.Items[d.Item]
		var err error
		switch {
		case f.onlyNew && d.Outcome != dedup.New:
		case f.onlyNew && !whole:
			_, err = f.out.Write(append(text, '\n'))
		case f.onlyNew:
			err = lines.write(item)
		default:
			rule := explain.RuleOf(d.Rule, d.Outcome)
			err = lines.write(filterDecision{
				Line: number, Item: d.Item + 1, Feed: l.Feed, Ref: l.Ref,
				Outcome: d.Outcome, Rule: d.Rule, Name: rule.Name, Sentence: rule.Sentence, Entry: d.Entry,
				GUID: item.GUID, URL: item.URL, Title: item.Title, Tell: d.Tell, Quiet: d.Quiet, Evidence: d.Evidence,
			})
		}
		if err != nil {
			return &outputError{err}
		}
	}
	// A reader at the other end of a pipe waits for the answer to this line.
	if err := f.out.Flush(); err != nil {
		return &outputError{err}
	}
	return nil
}

// process decides a document. What no text of a stranger should be able to do, ends this line and not the run.
func process(mem *dedup.Memory, doc *dedup.Document) (res *dedup.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("it could not be decided: %v; this is a fault in feedonce, please report it with the line", v)
		}
	}()
	return mem.Process(doc), nil
}

// An outputError ends the run: nobody takes the decisions.
type outputError struct{ err error }

func (e *outputError) Error() string { return "the decisions cannot be written: " + e.err.Error() }
func (e *outputError) Unwrap() error { return e.err }

// parseLine reads a line, and says whether it is a whole document. A name that no field has is an error: it would be lost
// without a word.
func parseLine(text []byte) (l filterLine, whole bool, err error) {
	var fields map[string]json.RawMessage
	if err := decodeStrict(text, &fields); err != nil {
		return l, false, err
	}
	if fields == nil {
		return l, false, errors.New("is null; a line is an object: an item, or a document with \"items\"")
	}
	_, whole = fields["items"]
	if whole {
		var d struct {
			*dedup.Document
			Feed *string          `json:"feed"`
			Ref  *json.RawMessage `json:"ref"`
		}
		d.Document, d.Feed, d.Ref = &l.Document, &l.Feed, &l.Ref
		return l, whole, decodeStrict(text, &d)
	}
	var i struct {
		*dedup.Item
		Feed    *string          `json:"feed"`
		Ref     *json.RawMessage `json:"ref"`
		Fetched *time.Time       `json:"fetched"`
		Site    *string          `json:"site"`
	}
	i.Item, i.Feed, i.Ref, i.Fetched, i.Site = &l.Item, &l.Feed, &l.Ref, &l.Fetched, &l.Site
	return l, whole, decodeStrict(text, &i)
}

// decodeStrict decodes one JSON value and nothing after it, and says what is wrong for a person.
func decodeStrict(text []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	err := dec.Decode(v)
	if err == nil && dec.More() {
		err = errors.New("has more than one JSON value")
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var date *time.ParseError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		return fmt.Errorf("is not valid JSON at byte %d: %s", syntax.Offset, syntax.Error())
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("is not valid JSON: it ends too early")
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("is a JSON %s; a line is an object: an item, or a document with \"items\"", kind.Value)
	case errors.As(err, &kind):
		field := strings.TrimPrefix(strings.TrimPrefix(kind.Field, "Item."), "Document.")
		return fmt.Errorf("%s is a JSON %s, and must be a %s", field, kind.Value, jsonKind(kind.Type))
	case errors.As(err, &date):
		return fmt.Errorf("%s is no time as RFC 3339 writes it, such as 2026-03-02T08:00:00Z", date.Value)
	}
	reason := strings.TrimPrefix(err.Error(), "json: ")
	if name, ok := strings.CutPrefix(reason, "unknown field "); ok {
		return fmt.Errorf("has the field %s, which means nothing here; `feedonce dedup --help` lists the fields, and \"ref\" takes what is to come back", name)
	}
	return errors.New(reason)
}

// jsonKind is what JSON calls a Go type.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Slice, reflect.Array:
		return "list"
	case reflect.Int, reflect.Int64:
		return "whole number"
	}
	return "object"
}
