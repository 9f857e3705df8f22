package fetch

import (
	"cmp"
	"context"
	"errors"
	"net/http"
)

// maxFindRequests is how many documents Find fetches, the first included.
const maxFindRequests = 8

// Find looks for feeds at rawURL, which may be that of a feed or of a web page. The Response is what rawURL gave.
//
// If that is a feed, it is the one candidate. Otherwise what the page names with a feed's media type is taken at its
// word. If it names none so, plain links that look like feeds are tried, and then the usual paths, with at most 8
// requests in all; it ends at the first guess that is a feed, and returns only candidates that are feeds. There may be
// none, with a nil error. The error is that of fetching rawURL, or the context's.
//
// A candidate's URL is the one to subscribe to: where it moved for good, else as named, though the document may come
// from elsewhere.
func (c *Client) Find(ctx context.Context, rawURL string) ([]Candidate, *Response, error) {
	page, err := c.Get(ctx, Request{URL: rawURL})
	if err != nil {
		return nil, nil, err
	}
	if LooksLikeFeed(page.Body) {
		return []Candidate{{URL: cmp.Or(page.MovedTo, rawURL), Type: mediaType(page.ContentType)}}, page, nil
	}
	var named, toTry []Candidate
	for _, cand := range Discover(page.Body, page.URL) {
		if !cand.Guess && cand.Type != "" {
			named = append(named, cand)
		} else {
			toTry = append(toTry, cand)
		}
	}
	if len(named) > 0 {
		return named, page, nil
	}
	var found []Candidate
	came := map[string]bool{} // where the documents of found came from
	for i, cand := range toTry {
		if i == maxFindRequests-1 || cand.Guess && len(found) > 0 {
			break
		}
		r, err := c.Get(ctx, Request{URL: cand.URL})
		if ctx.Err() != nil {
			return nil, page, ctx.Err()
		}
		if err != nil {
			if cand.Guess && askNoMore(err) {
				break
			}
			continue
		}
		if LooksLikeFeed(r.Body) && !came[r.URL] {
			came[r.URL] = true
			cand.URL, cand.Type = cmp.Or(r.MovedTo, cand.URL), mediaType(r.ContentType)
			found = append(found, cand)
		}
	}
	return found, page, nil
}

// askNoMore says whether an error makes further guesses at the same host pointless or impolite.
func askNoMore(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Kind {
	case KindTimeout, KindConnect, KindTLS, KindDNS, KindForbidden:
		return true
	}
	return e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable
}
