package format

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"feedonce/internal/scan"
)

const (
	maxJSONDepth  = 64        // nesting; JSON Feed needs six
	maxJSONValues = 1_000_000 // commas outside strings: at least that many values are in a document
)

// text is a JSON value that should be a string: numbers and booleans are taken as they are written, all else is
// nothing. So no wrong type fails an item.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '"':
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*t = text(s)
	case '{', '[', 'n':
	default:
		*t = text(b)
	}
	return nil
}

func (t text) trimmed() string { return strings.TrimFunc(string(t), blank) }
func (t text) url() string     { return cleanURL(string(t)) }

// list is a JSON value that should be an array: one value alone is an array of it, what has another type is left out.
type list[T any] []T

func (l *list[T]) UnmarshalJSON(b []byte) error {
	if b[0] == '[' {
		var raw []json.RawMessage
		if err := json.Unmarshal(b, &raw); err != nil {
			return err
		}
		for _, r := range raw[:min(len(raw), maxValues)] {
			var v T
			if json.Unmarshal(r, &v) == nil {
				*l = append(*l, v)
			}
		}
		return nil
	}
	var v T
	if json.Unmarshal(b, &v) == nil {
		*l = append(*l, v)
	}
	return nil
}

type jsonAuthor struct {
	Name text `json:"name"`
	URL  text `json:"url"`
}

type jsonItem struct {
	ID          text              `json:"id"`
	URL         text              `json:"url"`
	ExternalURL text              `json:"external_url"`
	Title       text              `json:"title"`
	ContentHTML text              `json:"content_html"`
	ContentText text              `json:"content_text"`
	Summary     text              `json:"summary"`
	Published   text              `json:"date_published"`
	Modified    text              `json:"date_modified"`
	Author      list[jsonAuthor]  `json:"author"`
	Authors     list[jsonAuthor]  `json:"authors"`
	Tags        list[text]        `json:"tags"`
	Language    text              `json:"language"`
	Attachments list[jsonAttache] `json:"attachments"`
}

type jsonAttache struct {
	URL  text `json:"url"`
	Type text `json:"mime_type"`
	Size text `json:"size_in_bytes"`
}

// parseJSON reads a JSON Feed, item by item, so that memory follows the items kept and a document that is cut off
// gives those before the cut.
func parseJSON(in []byte, opts Options) (*Document, error) {
	if err := boundJSON(in); err != nil {
		return nil, err
	}
	d := &Document{}
	head := map[string]json.RawMessage{}
	items := false
	dec := json.NewDecoder(bytes.NewReader(in))
	tok, err := dec.Token()
	if tok != json.Delim('{') {
		return nil, &NotFeedError{Found: "JSON that is no object"}
	}
	for err == nil && dec.More() {
		var key json.Token
		if key, err = dec.Token(); err != nil {
			break
		}
		name, _ := key.(string)
		if name == "items" && !items {
			items, err = d.readItems(dec, opts.MaxItems)
			continue
		}
		var value json.RawMessage
		if err = dec.Decode(&value); err == nil && len(head) < 100 {
			if _, ok := head[name]; !ok {
				head[name] = value
			}
		}
	}
	if err == nil {
		_, err = dec.Token()
	}
	at := int(dec.InputOffset())
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		at = len(in)
	}
	line := 1 + bytes.Count(in[:min(at, len(in))], []byte{'\n'})
	str := func(name string) text {
		var t text
		if v, ok := head[name]; ok && t.UnmarshalJSON(v) != nil {
			return ""
		}
		return t
	}
	version := str("version").trimmed()
	feedLike := strings.Contains(version, "jsonfeed.org/version/") || items && (len(d.Items) > 0 || str("title") != "" || str("feed_url") != "")
	if !feedLike {
		if err != nil {
			return nil, &NotFeedError{Found: "JSON that stops in line " + itoa(line) + ": " + jsonFault(err)}
		}
		return nil, &NotFeedError{Found: "a JSON object without version or items"}
	}
	if err != nil {
		d.Partial = "the document stops in line " + itoa(line) + ": " + jsonFault(err)
	}
	d.Format = "json feed 1.0"
	if strings.HasSuffix(version, "1.1") {
		d.Format = "json feed 1.1"
	} else if !strings.Contains(version, "jsonfeed.org/version/") {
		d.Format = "json feed 1.1"
		d.warn("the document does not say which version of JSON Feed it is")
	}
	d.Title = oneLine(string(str("title")))
	d.Description = plainToHTML(str("description").trimmed())
	d.SiteURL, d.SelfURL = str("home_page_url").url(), str("feed_url").url()
	d.Lang = str("language").trimmed()
	var hubs list[struct {
		URL text `json:"url"`
	}]
	if v, ok := head["hubs"]; ok && hubs.UnmarshalJSON(v) == nil && len(hubs) > 0 {
		d.HubURL = hubs[0].URL.url()
	}
	if d.Dropped > 0 {
		d.warn("more than %d items: %d were left out", opts.MaxItems, d.Dropped)
	}
	d.finish(opts, false)
	return d, nil
}

// readItems reads the value of "items". It reports whether that is an array.
func (d *Document) readItems(dec *json.Decoder, maxItems int) (bool, error) {
	tok, err := dec.Token()
	if err != nil {
		return false, err
	}
	switch tok {
	case json.Delim('['):
	case json.Delim('{'): // an object: read over it
		for dec.More() {
			var skip json.RawMessage
			if _, err := dec.Token(); err != nil {
				return false, err
			}
			if err := dec.Decode(&skip); err != nil {
				return false, err
			}
		}
		_, err := dec.Token()
		return false, err
	default:
		return false, nil
	}
	for dec.More() {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return true, err
		}
		if len(d.Items) >= maxItems {
			d.Dropped++
			continue
		}
		d.Items = append(d.Items, buildJSONItem(raw))
	}
	_, err = dec.Token()
	return true, err
}

func buildJSONItem(raw []byte) Item {
	var j jsonItem
	if err := json.Unmarshal(raw, &j); err != nil {
		return Item{Invalid: "it is no JSON object"}
	}
	it := Item{
		GUID:    j.ID.trimmed(),
		Title:   oneLine(string(j.Title)),
		Summary: plainToHTML(j.Summary.trimmed()),
		Content: j.ContentHTML.trimmed(),
		Lang:    j.Language.trimmed(),
	}
	it.Permalink = web(it.GUID)
	if it.Content == "" {
		it.Content = plainToHTML(j.ContentText.trimmed())
	}
	if u := j.URL.url(); u != "" {
		it.Links = append(it.Links, Link{Rel: "alternate", Href: u})
	}
	if u := j.ExternalURL.url(); u != "" {
		it.Links = append(it.Links, Link{Rel: "related", Href: u})
	}
	if s := string(j.Published); s != "" {
		it.Published = readDate(s)
	}
	if s := string(j.Modified); s != "" {
		it.Updated = readDate(s)
	}
	var names []string
	for _, a := range append(j.Authors, j.Author...) {
		name := oneLine(string(a.Name))
		if name == "" {
			name = a.URL.url()
		}
		names = addName(names, name)
	}
	it.Author = strings.Join(names, ", ")
	for _, tag := range j.Tags {
		it.Categories = addName(it.Categories, oneLine(string(tag)))
	}
	var b itemBuilder
	for _, a := range j.Attachments {
		b.enclosure(&it.Enclosures, a.URL.url(), a.Type.trimmed(), string(a.Size))
	}
	return it
}

// boundJSON refuses what is nested too deep or has too many values, before any other reader sees it.
func boundJSON(in []byte) error {
	depth, values := 0, 0
	for i := 0; i < len(in); i++ {
		switch in[i] {
		case '"':
			for i++; i < len(in) && in[i] != '"'; i++ {
				if in[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			if depth++; depth > maxJSONDepth {
				return &scan.LimitError{What: "nesting depth", Limit: maxJSONDepth, Line: 1 + bytes.Count(in[:i], []byte{'\n'})}
			}
		case '}', ']':
			depth--
		case ',':
			if values++; values > maxJSONValues {
				return &scan.LimitError{What: "values", Limit: maxJSONValues, Line: 1 + bytes.Count(in[:i], []byte{'\n'})}
			}
		}
	}
	return nil
}

func jsonFault(err error) string {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return "unexpected end of input"
	}
	return err.Error()
}
