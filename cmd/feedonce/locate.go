package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"feedonce/internal/fetch"
	"feedonce/internal/format"
)

// A located feed is what was found at an address a person gave.
type located struct {
	URL    string // where the feed is to be polled
	Got    *fetch.Response
	Doc    *format.Document
	Others []fetch.Candidate // more feeds that the page named
}

// locate finds the feed at an address: the feed itself, or the first feed that the web page there names, or one at a
// usual place.
func locate(ctx context.Context, c *fetch.Client, address string) (located, error) {
	got, doc, err := read(ctx, c, address)
	var no *format.NotFeedError
	switch {
	case err == nil:
		at := address
		if got.MovedTo != "" {
			at = got.MovedTo
		}
		return located{URL: at, Got: got, Doc: doc}, nil
	case got == nil || !errors.As(err, &no) || !no.HTML:
		return located{}, err
	}
	candidates := fetch.Discover(got.Body, got.URL)
	var firstErr error
	for i, cand := range candidates {
		found, doc, ferr := read(ctx, c, cand.URL)
		if ferr != nil {
			if !cand.Guess && firstErr == nil {
				firstErr = ferr
			}
			if ctx.Err() != nil {
				return located{}, ctx.Err()
			}
			continue
		}
		l := located{URL: cand.URL, Got: found, Doc: doc}
		for _, other := range candidates[i+1:] {
			if !other.Guess {
				l.Others = append(l.Others, other)
			}
		}
		return l, nil
	}
	if firstErr != nil {
		return located{}, fmt.Errorf("%s names a feed that cannot be read: %w", address, firstErr)
	}
	return located{}, fmt.Errorf("no feed at %s: found %s, which names none, and there is none at the usual places; give the address of the feed itself",
		address, no.Found)
}

// read fetches and parses one document. got is not nil where something was fetched.
func read(ctx context.Context, c *fetch.Client, address string) (got *fetch.Response, doc *format.Document, err error) {
	got, err = c.Get(ctx, fetch.Request{URL: address})
	if err != nil {
		return nil, nil, err
	}
	doc, err = format.Parse(got.Body, format.Options{ContentType: got.ContentType, URL: got.URL})
	if err != nil {
		return got, nil, fmt.Errorf("%s: %w", address, err)
	}
	return got, doc, nil
}

// webAddress completes an address as people write it: "example.org", "feed://example.org/rss".
func webAddress(s string) (string, error) {
	s = strings.TrimSpace(s)
	if rest, ok := strings.CutPrefix(s, "feed:"); ok {
		s = strings.TrimPrefix(rest, "//")
	}
	if s == "" || strings.ContainsAny(s, " \t\n<>\"") {
		return "", usagef("%q is no address of a feed or site", s)
	}
	if !strings.Contains(s, "://") {
		s = "https://" + s
	}
	if !strings.HasPrefix(s, "http://") && !strings.HasPrefix(s, "https://") {
		return "", usagef("%q is no address that can be polled: it must start with http:// or https://", s)
	}
	return s, nil
}
