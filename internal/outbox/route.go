package outbox

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"feedonce"
)

// MaxBacklog is how many articles a destination can be told of that were there before it.
const MaxBacklog = 500

// A Choice is what a route selects, ready for use. It is safe for concurrent use.
type Choice struct {
	route            feedonce.Route
	include, exclude []*matcher
}

// Choose prepares a route, or returns the *feedonce.InvalidError of its first filter that cannot be used.
func Choose(r feedonce.Route) (*Choice, error) {
	c, err := choose(r)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// choose prepares a route without the filters that cannot be used, and returns what is wrong with the first of them:
// rather too much is told than an article lost to a setting that was stored by another version.
func choose(r feedonce.Route) (c *Choice, wrong error) {
	c = &Choice{route: r}
	for _, list := range []struct {
		name string
		from []feedonce.Filter
		to   *[]*matcher
	}{{"include", r.Include, &c.include}, {"exclude", r.Exclude, &c.exclude}} {
		for i, f := range list.from {
			m, err := compile(f, fmt.Sprintf("%s[%d]", list.name, i))
			if err == nil {
				*list.to = append(*list.to, m)
			} else if wrong == nil {
				wrong = err
			}
		}
	}
	return c, wrong
}

// Feed reports whether the route selects a feed: by itself, or by its folder or one above it ("News" is above
// "News/Local"). A route that names neither feeds nor folders selects all.
func (c *Choice) Feed(f feedonce.Feed) bool {
	if len(c.route.Feeds) == 0 && len(c.route.Folders) == 0 || slices.Contains(c.route.Feeds, f.ID) {
		return true
	}
	return slices.ContainsFunc(c.route.Folders, func(folder string) bool {
		return f.Folder == folder || strings.HasPrefix(f.Folder, folder+"/")
	})
}

// Entry reports whether the route's filters let an article through. Its texts must be there. The case of letters does not
// matter; HTML is matched as the text that a reader sees, in one line, and up to its first 100,000 characters.
func (c *Choice) Entry(e *feedonce.Entry) bool { return c.article(&article{entry: e}) }

func (c *Choice) article(a *article) bool {
	matches := func(m *matcher) bool { return m.match(a) }
	return (len(c.include) == 0 || slices.ContainsFunc(c.include, matches)) && !slices.ContainsFunc(c.exclude, matches)
}

// Validate returns nil, or a *feedonce.InvalidError that says which setting of a route is wrong and what would be right.
// Its fields are called as in JSON: "include[0].re".
func Validate(r feedonce.Route) error {
	for i, id := range r.Feeds {
		if id <= 0 {
			return invalid(fmt.Sprintf("feeds[%d]", i), "must be the number of a feed, not %d", id)
		}
	}
	for i, folder := range r.Folders {
		if strings.TrimSpace(folder) == "" {
			return invalid(fmt.Sprintf("folders[%d]", i), "must be the name of a folder, and is empty")
		}
	}
	if n := len(r.Include); n > maxFilters {
		return invalid("include", "must have at most %d filters, not %d", maxFilters, n)
	}
	if n := len(r.Exclude); n > maxFilters {
		return invalid("exclude", "must have at most %d filters, not %d", maxFilters, n)
	}
	if _, err := Choose(r); err != nil {
		return err
	}
	if r.Scope != feedonce.ScopeStory && r.Scope != feedonce.ScopeFeed && r.Scope != "story" {
		return invalid("scope", `must be "story" (once for an article in several feeds, which is also meant where it is empty) or "feed", not %q`, r.Scope)
	}
	if n := r.Backlog.Latest; n < 0 || n > MaxBacklog {
		return invalid("backlog.latest", "must be between 0 and %d articles, not %d", MaxBacklog, n)
	}
	if r.Digest != nil {
		if err := validateDigest(*r.Digest); err != nil {
			return err
		}
	}
	if err := validateQuiet(r.Quiet); err != nil {
		return err
	}
	if n := r.Rate.PerMinute; n < 0 || n > 1e6 || math.IsNaN(n) {
		return invalid("rate.per_minute", "must be between 0 (which is what suits the destination) and 1000000 messages, not %v", n)
	}
	if n := r.Rate.Burst; n < 0 || n > 1e6 {
		return invalid("rate.burst", "must be between 0 (which is what suits the destination) and 1000000 messages, not %d", n)
	}
	switch r.Unknown {
	case feedonce.UnknownHold, feedonce.UnknownResend, feedonce.UnknownSkip, "hold":
		return nil
	}
	return invalid("unknown", `must be "hold" (which is also meant where it is empty), "resend" or "skip", not %q`, r.Unknown)
}

func validateDigest(d feedonce.Digest) error {
	every := strings.ToLower(d.Every)
	if _, day := digestDays[every]; !day && every != digestHour {
		return invalid("digest.every", `must be "hour", "day" or a weekday such as "monday", not %q`, d.Every)
	}
	if every == digestHour && d.At != "" {
		return invalid("digest.at", "must be empty for a digest every hour, not %q", d.At)
	}
	if err := validateClock("digest.at", d.At); err != nil && d.At != "" {
		return err
	}
	if err := validateZone("digest.zone", d.Zone); err != nil {
		return err
	}
	if len(d.Title) > 200 {
		return invalid("digest.title", "must be at most 200 bytes long, not %d", len(d.Title))
	}
	if strings.ContainsFunc(d.Title, unicode.IsControl) {
		return invalid("digest.title", "must be one line of text, without control characters")
	}
	return nil
}

func validateQuiet(quiet []feedonce.Hours) error {
	for i, h := range quiet {
		name := fmt.Sprintf("quiet[%d]", i)
		if err := validateClock(name+".from", h.From); err != nil {
			return err
		}
		if err := validateClock(name+".to", h.To); err != nil {
			return err
		}
		if h.From == h.To {
			return invalid(name+".to", "must not be the same as from: to stop a destination, pause it")
		}
		if err := validateZone(name+".zone", h.Zone); err != nil {
			return err
		}
	}
	// Together they must leave something of the day, in summer as in winter.
	for _, month := range []time.Month{time.January, time.July} {
		at := time.Date(2026, month, 15, 0, 0, 0, 0, time.UTC)
		if QuietUntil(quiet, at).Sub(at) >= quietLongest {
			return invalid("quiet", "must not cover the whole day, or nothing would ever be sent: to stop a destination, pause it")
		}
	}
	return nil
}

func validateClock(field, s string) error {
	if _, ok := parseClock(s); !ok {
		return invalid(field, "must be a time of day from 00:00 to 23:59, not %q", s)
	}
	return nil
}

func validateZone(field, name string) error {
	if _, err := zone(name); err != nil {
		return invalid(field, `must be the IANA name of a time zone, such as "Europe/Berlin", or empty for UTC, not %q`, name)
	}
	return nil
}
