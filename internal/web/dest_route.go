package web

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"feedonce"
	"feedonce/internal/dest"
	"feedonce/internal/outbox"
	"feedonce/internal/store"
)

// A routeForm is a route as inputs of a form.
type routeForm struct {
	Some       bool // only chosen folders and feeds
	Folders    []choice
	Feeds      []choice
	FeedsMore  int64 // that are not listed
	Include    []filterRow
	Exclude    []filterRow
	PerFeed    bool
	Updates    bool
	Notices    bool
	Backlog    string // "none", "latest" or "since"
	Latest     string
	MaxLatest  int
	Since      string // YYYY-MM-DD
	Every      []choice
	At         string
	Zone       string
	Title      string // of a digest
	Quiet      []feedonce.Hours
	PerMinute  string
	Burst      string
	Usual      feedonce.Rate // the kind's
	Unknown    string
	Idempotent bool
	Zones      []string
}

// A filterRow is a filter as a line of a form: where to look, how, and for what.
type filterRow struct {
	In    []choice
	RE    bool
	Words string
}

// maxListed is how many feeds a form lists; beyond that, those that are chosen and a hint to choose folders.
const maxListed = 1000

// zones are offered; any other that the IANA database has can be typed.
var zones = []string{"UTC", "Africa/Cairo", "Africa/Lagos", "Africa/Nairobi", "America/Chicago", "America/Los_Angeles", "America/Mexico_City", "America/New_York",
	"America/Sao_Paulo", "Asia/Dubai", "Asia/Kolkata", "Asia/Shanghai", "Asia/Singapore", "Asia/Tokyo", "Australia/Sydney", "Europe/Athens", "Europe/Berlin",
	"Europe/Istanbul", "Europe/London", "Europe/Madrid", "Europe/Paris", "Europe/Rome", "Pacific/Auckland"}

var places = []choice{{Value: "", Label: "the text"}, {Value: "title", Label: "the title"}, {Value: "author", Label: "the author"},
	{Value: "url", Label: "the link"}, {Value: "category", Label: "a category"}}

func filterRows(all []feedonce.Filter, spare int) (rows []filterRow) {
	for _, f := range append(slices.Clone(all), make([]feedonce.Filter, spare)...) {
		row := filterRow{RE: f.RE != "", Words: cmp.Or(f.RE, f.Text)}
		for _, c := range places {
			c.Chosen = c.Value == f.In || c.Value == "" && f.In == "content"
			row.In = append(row.In, c)
		}
		rows = append(rows, row)
	}
	return rows
}

// routeForm makes inputs of a route.
func (s *server) routeForm(r feedonce.Route, feeds []feedonce.Feed, kind *dest.Kind) routeForm {
	f := routeForm{
		Some:    len(r.Feeds) > 0 || len(r.Folders) > 0,
		Include: filterRows(r.Include, 2), Exclude: filterRows(r.Exclude, 2), PerFeed: r.Scope == feedonce.ScopeFeed, Updates: r.Updates, Notices: r.Notices,
		Backlog: "none", MaxLatest: outbox.MaxBacklog, Quiet: append(slices.Clone(r.Quiet), feedonce.Hours{}), Usual: kind.Rate,
		Unknown: string(r.Unknown), Idempotent: kind.Idempotent, Zones: zones,
	}
	folders := slices.Clone(r.Folders)
	for _, fd := range feeds {
		// A folder is offered with all those above it.
		for path := fd.Folder; path != ""; path = path[:max(0, strings.LastIndexByte(path, '/'))] {
			folders = append(folders, path)
		}
		chosen := slices.Contains(r.Feeds, fd.ID)
		if len(f.Feeds) >= maxListed && !chosen {
			f.FeedsMore++
			continue
		}
		f.Feeds = append(f.Feeds, choice{strconv.FormatInt(int64(fd.ID), 10), fd.Name(), chosen})
	}
	slices.Sort(folders)
	for _, folder := range slices.Compact(folders) {
		f.Folders = append(f.Folders, choice{folder, folder, slices.Contains(r.Folders, folder)})
	}
	switch {
	case r.Backlog.Latest > 0:
		f.Backlog, f.Latest = "latest", strconv.Itoa(r.Backlog.Latest)
	case !r.Backlog.Since.IsZero():
		f.Backlog, f.Since = "since", r.Backlog.Since.In(s.Location).Format(time.DateOnly)
	}
	d := feedonce.Digest{}
	if r.Digest != nil {
		d = *r.Digest
	}
	f.Every = []choice{{"", "no: each article at once", d.Every == ""}, {"hour", "every hour", d.Every == "hour"}, {"day", "every day", d.Every == "day"}}
	for day := time.Monday; len(f.Every) < 10; day = (day + 1) % 7 {
		name := strings.ToLower(day.String())
		f.Every = append(f.Every, choice{name, "every " + day.String(), strings.EqualFold(d.Every, name)})
	}
	f.At, f.Zone, f.Title = d.At, d.Zone, d.Title
	if r.Rate.PerMinute > 0 {
		f.PerMinute = strconv.FormatFloat(r.Rate.PerMinute, 'f', -1, 64)
	}
	if r.Rate.Burst > 0 {
		f.Burst = strconv.Itoa(r.Rate.Burst)
	}
	return f
}

// readRoute reads a route from a form. What it can read is in the route also where it returns an error, so that the form
// comes back as it was.
func (s *server) readRoute(form url.Values, to *feedonce.Route) (first error) {
	fault := func(field, reason string, args ...any) {
		if first == nil {
			first = &feedonce.InvalidError{Field: field, Reason: fmt.Sprintf(reason, args...)}
		}
	}
	r := feedonce.Route{Updates: form.Get("updates") != "", Notices: form.Get("notices") != "", Scope: feedonce.Scope(form.Get("scope")), Unknown: feedonce.Unknown(form.Get("unknown"))}
	if form.Get("of") == "some" {
		for _, v := range form["feed"] {
			id, err := strconv.ParseInt(v, 10, 64)
			if err != nil {
				fault("the feeds", "must be chosen from the list")
				continue
			}
			r.Feeds = append(r.Feeds, feedonce.FeedID(id))
		}
		r.Folders = slices.DeleteFunc(slices.Clone(form["folder"]), func(f string) bool { return f == "" })
		if len(r.Feeds) == 0 && len(r.Folders) == 0 {
			fault("“Only chosen folders and feeds”", "needs at least one of them to be ticked")
		}
	}
	r.Include, r.Exclude = readFilters(form, "include"), readFilters(form, "exclude")
	switch form.Get("backlog") {
	case "latest":
		n, err := strconv.Atoi(strings.TrimSpace(form.Get("latest")))
		if err != nil || n < 1 {
			fault("the number of articles that are there already", "must be from 1 to %d", outbox.MaxBacklog)
		} else {
			r.Backlog.Latest = n
		}
	case "since":
		t, err := time.ParseInLocation(time.DateOnly, strings.TrimSpace(form.Get("since")), s.Location)
		if err != nil {
			fault("the date of the articles that are there already", "must be a date, such as 2026-01-31")
		} else {
			r.Backlog.Since = t.UTC()
		}
	}
	if every := form.Get("every"); every != "" {
		r.Digest = &feedonce.Digest{Every: every, At: form.Get("at"), Zone: strings.TrimSpace(form.Get("zone")), Title: strings.TrimSpace(form.Get("digest_title"))}
		if every == "hour" {
			r.Digest.At = ""
		}
	}
	from, until, zone := form["quiet_from"], form["quiet_to"], form["quiet_zone"]
	for i := range min(len(from), len(until), len(zone)) {
		if from[i] != "" || until[i] != "" {
			r.Quiet = append(r.Quiet, feedonce.Hours{From: from[i], To: until[i], Zone: strings.TrimSpace(zone[i])})
		}
	}
	if v := strings.TrimSpace(form.Get("per_minute")); v != "" {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil {
			fault("the number of messages a minute", "must be a number, or empty")
		}
		r.Rate.PerMinute = n
	}
	if v := strings.TrimSpace(form.Get("burst")); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			fault("the number of messages at once", "must be a number, or empty")
		}
		r.Rate.Burst = n
	}
	*to = r
	return first
}

func readFilters(form url.Values, list string) (all []feedonce.Filter) {
	in, how, words := form[list+"_in"], form[list+"_how"], form[list+"_words"]
	for i := range min(len(in), len(how), len(words)) {
		if words[i] == "" {
			continue
		}
		f := feedonce.Filter{In: in[i]}
		if how[i] == "re" {
			f.RE = words[i]
		} else {
			f.Text = words[i]
		}
		all = append(all, f)
	}
	return all
}

var listed = regexp.MustCompile(`^(include|exclude|quiet)\[(\d+)\](?:\.(\w+))?$`)

// routeFault names the part of a route that is wrong as the form calls it.
func routeFault(e *feedonce.InvalidError) string {
	field := e.Field
	if m := listed.FindStringSubmatch(field); m != nil {
		list := map[string]string{"include": "“Only articles with”", "exclude": "“No articles with”", "quiet": "“Quiet hours”"}[m[1]]
		n, _ := strconv.Atoi(m[2])
		part := map[string]string{"re": "the expression", "text": "the words", "in": "the place", "from": "the beginning", "to": "the end", "zone": "the time zone"}[m[3]]
		return strings.TrimSpace(fmt.Sprintf("%s, line %d: %s", list, n+1, cmp.Or(part, "it"))) + " " + e.Reason
	}
	if words := map[string]string{
		"digest.at": "the time of the digest", "digest.zone": "the time zone of the digest", "digest.title": "the title of the digest", "digest.every": "the digest",
		"backlog.latest": "the number of articles that are there already", "rate.per_minute": "the number of messages a minute", "rate.burst": "the number of messages at once",
		"quiet": "the quiet hours", "include": "“Only articles with”", "exclude": "“No articles with”",
	}[field]; words != "" {
		field = words
	}
	return field + " " + e.Reason
}

// routeSays puts a route into sentences.
func (s *server) routeSays(tx *store.Tx, r feedonce.Route) ([]string, error) {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if len(r.Feeds) == 0 && len(r.Folders) == 0 {
		say("New articles of all feeds")
	} else {
		names := namer{tx: tx}
		var parts []string
		for _, folder := range r.Folders {
			parts = append(parts, "the folder “"+clip(folder, 60)+"”")
		}
		for i, id := range r.Feeds {
			if i == 20 {
				parts = append(parts, fmt.Sprintf("%d more", len(r.Feeds)-i))
				break
			}
			f, err := names.feed(id)
			if err != nil {
				return nil, err
			}
			parts = append(parts, "“"+clip(f.Name(), 60)+"”")
		}
		say("New articles of %s", strings.Join(parts, ", "))
	}
	for _, f := range r.Include {
		say("Only those with %s", filterSays(f))
	}
	for _, f := range r.Exclude {
		say("None with %s", filterSays(f))
	}
	if r.Scope == feedonce.ScopeFeed {
		say("An article that stands in several feeds: once for each of them")
	} else {
		say("An article that stands in several feeds: once")
	}
	if r.Updates {
		say("Significant updates, too")
	}
	if r.Notices {
		say("What the operator should know, too")
	}
	switch b := r.Backlog; {
	case b.Latest == 1:
		say("When a feed is added, its newest article")
	case b.Latest > 1:
		say("When a feed is added, its newest %d articles", b.Latest)
	case !b.Since.IsZero():
		say("When a feed is added, its articles since %s", b.Since.In(s.Location).Format("2 January 2006"))
	}
	if d := r.Digest; d != nil {
		when := "every " + d.Every
		if d.Every != "hour" {
			when += " at " + cmp.Or(d.At, outbox.DigestAt) + " (" + cmp.Or(d.Zone, "UTC") + ")"
		}
		say("Gathered into one message, %s", when)
	}
	for _, h := range r.Quiet {
		say("Not from %s to %s (%s): messages wait until then", h.From, h.To, cmp.Or(h.Zone, "UTC"))
	}
	if r.Rate.PerMinute > 0 {
		say("At most %g messages a minute", r.Rate.PerMinute)
	}
	switch r.Unknown {
	case feedonce.UnknownResend:
		say("What may have been lost is sent again, perhaps twice")
	case feedonce.UnknownSkip:
		say("What may have been lost is not sent again")
	}
	return out, nil
}

func filterSays(f feedonce.Filter) string {
	what := "“" + clip(f.Text, 80) + "”"
	if f.RE != "" {
		what = "/" + clip(f.RE, 80) + "/"
	}
	for _, c := range places {
		if c.Value == f.In {
			return what + " in " + c.Label
		}
	}
	return what + " in the text"
}
