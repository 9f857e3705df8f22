package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"feedonce"
	"feedonce/internal/store"
)

const routeHelp = `What it is told of, and when:
  --feed FEED, --folder FOLDER   only these (may be repeated; both together: either)
  --include, --exclude FILTER    only articles that match one, and none that match one of these. FILTER is text, or /RE2/, and
                                 may begin with where to look: title:, author:, url:, category: (else title, summary and content)
  --scope story|feed             an article that stands in several feeds: once (default), or once for each feed
  --updates                      also significant updates, as messages of their own
  --notices                      also what the operator should know: floods, destinations that are gone
  --backlog none|N|DATE          of what is there already: nothing (default), the newest N of each feed, or all since DATE
  --digest WHEN                  gathered into one message: "hour", "day 08:00", "monday 09:30 Europe/Berlin"; "off"
  --quiet FROM-TO                wait until quiet hours are over: "22:00-07:00 Europe/Berlin" (may be repeated); "off"
  --rate N[/BURST]               messages a minute, and how many at once before that counts
  --unknown hold|resend|skip     where nobody knows whether a message arrived and the endpoint cannot drop a copy: a person
                                 decides (default), it is sent again, or it is not`

// routeFlags are the flags that say what a destination is told.
type routeFlags struct {
	feeds, folders, include, exclude, quiet []string
	scope, backlog, digest, rate, unknown   string
	updates, notices                        bool
}

func (r *routeFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&r.feeds, "feed", nil, "only this feed: its number, URL, or a part of its title or URL; \"\" is all")
	f.StringArrayVar(&r.folders, "folder", nil, "only feeds in this folder; \"\" is all")
	f.StringArrayVar(&r.include, "include", nil, "only articles that match")
	f.StringArrayVar(&r.exclude, "exclude", nil, "no articles that match")
	f.StringArrayVar(&r.quiet, "quiet", nil, "quiet hours")
	f.StringVar(&r.scope, "scope", "story", "story or feed")
	f.StringVar(&r.backlog, "backlog", "none", "none, a number, or a date")
	f.StringVar(&r.digest, "digest", "off", "when digests are sent")
	f.StringVar(&r.rate, "rate", "", "messages a minute")
	f.StringVar(&r.unknown, "unknown", "hold", "hold, resend or skip")
	f.BoolVar(&r.updates, "updates", false, "also significant updates")
	f.BoolVar(&r.notices, "notices", false, "also what the operator should know")
}

// apply changes a route by the flags that were given. What makes no sense is left to the check of the route, but for what a
// route cannot say.
func (r *routeFlags) apply(cmd *cobra.Command, tx *store.Tx, to *feedonce.Route) error {
	given := cmd.Flags().Changed
	if given("feed") {
		to.Feeds = nil
		for _, name := range r.feeds {
			if name == "" {
				continue
			}
			f, _, err := findFeed(tx, name)
			if err != nil {
				return err
			}
			to.Feeds = append(to.Feeds, f.ID)
		}
	}
	if given("folder") {
		to.Folders = nil
		for _, name := range r.folders {
			if name != "" {
				to.Folders = append(to.Folders, name)
			}
		}
	}
	if given("include") {
		to.Include = filters(r.include)
	}
	if given("exclude") {
		to.Exclude = filters(r.exclude)
	}
	if given("updates") {
		to.Updates = r.updates
	}
	if given("notices") {
		to.Notices = r.notices
	}
	if given("scope") {
		to.Scope = feedonce.Scope(r.scope)
		if r.scope == "story" {
			to.Scope = feedonce.ScopeStory
		}
	}
	if given("unknown") {
		to.Unknown = feedonce.Unknown(r.unknown)
		if r.unknown == "hold" {
			to.Unknown = feedonce.UnknownHold
		}
	}
	for _, part := range []struct {
		name string
		set  func() error
	}{
		{"backlog", func() (err error) { to.Backlog, err = parseBacklog(r.backlog); return err }},
		{"digest", func() (err error) { to.Digest, err = parseDigest(r.digest); return err }},
		{"quiet", func() (err error) { to.Quiet, err = parseQuiet(r.quiet); return err }},
		{"rate", func() (err error) { to.Rate, err = parseRate(r.rate); return err }},
	} {
		if given(part.name) {
			if err := part.set(); err != nil {
				return err
			}
		}
	}
	return nil
}

// filters reads filters: "text", "/re/", "title:text", "author:/re/".
func filters(given []string) (all []feedonce.Filter) {
	for _, g := range given {
		if g == "" {
			continue
		}
		var f feedonce.Filter
		for _, in := range []string{"title", "content", "author", "url", "category"} {
			if rest, ok := strings.CutPrefix(g, in+":"); ok {
				f.In, g = in, rest
				break
			}
		}
		if len(g) > 2 && strings.HasPrefix(g, "/") && strings.HasSuffix(g, "/") {
			f.RE = g[1 : len(g)-1]
		} else {
			f.Text = g
		}
		all = append(all, f)
	}
	return all
}

func parseBacklog(s string) (b feedonce.Backlog, err error) {
	if s == "none" || s == "" {
		return b, nil
	}
	if n, err := strconv.Atoi(s); err == nil && n > 0 {
		return feedonce.Backlog{Latest: n}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return feedonce.Backlog{Since: t.UTC()}, nil
		}
	}
	return b, usagef("--backlog is %q: it must be none, a number of articles, or a date such as 2026-01-31", s)
}

func parseDigest(s string) (*feedonce.Digest, error) {
	words := strings.Fields(s)
	if len(words) == 0 || s == "off" {
		return nil, nil
	}
	d := &feedonce.Digest{Every: strings.ToLower(words[0])}
	for _, w := range words[1:] {
		switch {
		case strings.Contains(w, ":") && d.At == "":
			d.At = w
		case d.Zone == "":
			d.Zone = w
		default:
			return nil, usagef("--digest is %q: write hour, day or a weekday, a time and a time zone, such as \"monday 09:30 Europe/Berlin\"", s)
		}
	}
	return d, nil
}

func parseQuiet(given []string) (all []feedonce.Hours, err error) {
	for _, s := range given {
		if s == "" || s == "off" {
			continue
		}
		words := strings.Fields(s)
		from, to, ok := strings.Cut(words[0], "-")
		if !ok || len(words) > 2 {
			return nil, usagef("--quiet is %q: write FROM-TO and a time zone, such as \"22:00-07:00 Europe/Berlin\"", s)
		}
		h := feedonce.Hours{From: from, To: to}
		if len(words) == 2 {
			h.Zone = words[1]
		}
		all = append(all, h)
	}
	return all, nil
}

func parseRate(s string) (r feedonce.Rate, err error) {
	if s == "" {
		return r, nil
	}
	per, burst, ok := strings.Cut(s, "/")
	r.PerMinute, err = strconv.ParseFloat(per, 64)
	if err == nil && ok {
		r.Burst, err = strconv.Atoi(burst)
	}
	if err != nil || !(r.PerMinute > 0) || r.Burst < 0 {
		return r, usagef("--rate is %q: write messages a minute, and perhaps how many at once, such as 20 or 20/5", s)
	}
	return r, nil
}

// routeWords says in words what a destination is told.
func routeWords(r feedonce.Route) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	switch {
	case len(r.Feeds) == 0 && len(r.Folders) == 0:
		say("of all feeds")
	default:
		var parts []string
		for _, id := range r.Feeds {
			parts = append(parts, fmt.Sprintf("feed %d", id))
		}
		for _, f := range r.Folders {
			parts = append(parts, "folder "+clean(f))
		}
		say("of %s", strings.Join(parts, ", "))
	}
	for _, f := range r.Include {
		say("only what has %s", filterWords(f))
	}
	for _, f := range r.Exclude {
		say("nothing that has %s", filterWords(f))
	}
	if r.Scope == feedonce.ScopeFeed {
		say("an article of several feeds once for each of them")
	} else {
		say("an article of several feeds once")
	}
	if r.Updates {
		say("significant updates, too")
	}
	if r.Notices {
		say("what the operator should know, too")
	}
	if d := r.Digest; d != nil {
		say("gathered every %s", strings.TrimSpace(d.Every+" "+d.At+" "+d.Zone))
	}
	for _, h := range r.Quiet {
		say("not from %s to %s", h.From, strings.TrimSpace(h.To+" "+h.Zone))
	}
	if r.Rate.PerMinute > 0 {
		say("at most %g messages a minute", r.Rate.PerMinute)
	}
	switch r.Unknown {
	case feedonce.UnknownResend:
		say("what may have been lost is sent again")
	case feedonce.UnknownSkip:
		say("what may have been lost is not sent again")
	}
	return out
}

func filterWords(f feedonce.Filter) string {
	what := fmt.Sprintf("%q", f.Text)
	if f.RE != "" {
		what = "/" + f.RE + "/"
	}
	if f.In != "" {
		what += " in its " + f.In
	}
	return what
}
