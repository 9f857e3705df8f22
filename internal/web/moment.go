package web

import "time"

// A moment is a time beside the time at which a page is made.
type moment struct {
	t, now time.Time
}

// at returns how to show a time.
func (s *server) at(t time.Time) moment {
	return moment{t: t.In(s.Location), now: s.Now().In(s.Location)}
}

// Known is false for the zero time.
func (m moment) Known() bool { return !m.t.IsZero() }

// ISO is for programs.
func (m moment) ISO() string { return m.t.UTC().Format(time.RFC3339) }

// Full is for who wants to know exactly.
func (m moment) Full() string { return m.t.Format("Monday, 2 January 2006, 15:04:05 MST") }

// Words is the distance in words, or the date where it is far.
func (m moment) Words() string {
	d := m.now.Sub(m.t)
	future := d < 0
	if future {
		d = -d
	}
	var words string
	switch {
	case d < 45*time.Second && future:
		return "now"
	case d < 45*time.Second:
		return "just now"
	case d < 90*time.Minute:
		words = plural(int64(max(1, d.Round(time.Minute)/time.Minute)), "minute", "minutes")
	case d < 22*time.Hour:
		words = plural(int64(d.Round(time.Hour)/time.Hour), "hour", "hours")
	case d < 7*24*time.Hour:
		words = plural(int64(max(1, d.Round(24*time.Hour)/(24*time.Hour))), "day", "days")
	case m.t.Year() == m.now.Year():
		return m.t.Format("2 January")
	default:
		return m.t.Format("2 January 2006")
	}
	if future {
		return "in " + words
	}
	return words + " ago"
}

// Day names the day, or the month where it is long ago, for the headings of a list.
func (m moment) Day() string {
	y, mo, d := m.t.Date()
	ny, nmo, nd := m.now.Date()
	days := int(time.Date(ny, nmo, nd, 0, 0, 0, 0, time.UTC).Sub(time.Date(y, mo, d, 0, 0, 0, 0, time.UTC)) / (24 * time.Hour))
	switch {
	case days == 0:
		return "Today"
	case days == 1:
		return "Yesterday"
	case days > 1 && days < 7:
		return m.t.Format("Monday")
	}
	return m.t.Format("January 2006")
}

// span writes a duration as a person would say it: "5 minutes", "3 hours", "1 day".
func span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return plural(int64(d.Round(time.Second)/time.Second), "second", "seconds")
	case d < 90*time.Minute:
		return plural(int64(d.Round(time.Minute)/time.Minute), "minute", "minutes")
	case d < 36*time.Hour:
		return plural(int64(d.Round(time.Hour)/time.Hour), "hour", "hours")
	}
	return plural(int64(d.Round(24*time.Hour)/(24*time.Hour)), "day", "days")
}
