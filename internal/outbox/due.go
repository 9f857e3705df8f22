package outbox

import (
	"strings"
	"time"
	_ "time/tzdata" // zones are the same on every machine, also where it has no database of them

	"feedonce"
)

// DigestAt is when digests of a day are sent where nothing else is said.
const DigestAt = "08:00"

// Due returns when a message that came up at a time is to be sent first: at once, with the next digest, and in no case
// within quiet hours. Settings that Validate refuses do not hold it up.
func Due(r feedonce.Route, at time.Time) time.Time {
	if r.Digest != nil {
		at = NextDigest(*r.Digest, at)
	}
	return QuietUntil(r.Quiet, at)
}

// QuietUntil returns the end of the quiet hours that a time is in, and of those that follow without a break; the time
// itself where it is in none.
//
// Hours are those of the wall clock. Where it is put back, what it shows twice is quiet from the first time to the last;
// where it is put forward, what it never shows is the moment of the change.
func QuietUntil(hours []feedonce.Hours, at time.Time) time.Time {
	until := at
	for moved := true; moved && until.Sub(at) < quietLongest; {
		moved = false
		for _, h := range hours {
			if end := quietEnd(h, until); end.After(until) {
				until, moved = end, true
			}
		}
	}
	return until.UTC()
}

// quietLongest is how long quiet hours can hold up a message: hours that cover the whole day hold up none for ever.
const quietLongest = 48 * time.Hour

// quietEnd returns the end of one stretch, or the zero time where it has not begun.
func quietEnd(h feedonce.Hours, at time.Time) time.Time {
	from, to, ok := stretch(h)
	if !ok {
		return time.Time{}
	}
	loc, err := zone(h.Zone)
	if err != nil {
		return time.Time{}
	}
	y, m, d := at.In(loc).Date()
	for day := d - 1; day <= d+1; day++ {
		begin, _ := from.on(y, m, day, loc)
		last := day
		if to.minutes() <= from.minutes() {
			last++
		}
		_, end := to.on(y, m, last, loc)
		if !at.Before(begin) && at.Before(end) {
			return end
		}
	}
	return time.Time{}
}

func stretch(h feedonce.Hours) (from, to clock, ok bool) {
	from, ok1 := parseClock(h.From)
	to, ok2 := parseClock(h.To)
	return from, to, ok1 && ok2 && from != to
}

// NextDigest returns when the next digest after a time is made. A time that the wall clock shows twice is the first of
// the two; one that it does not show is the moment at which it is put forward.
func NextDigest(d feedonce.Digest, after time.Time) time.Time {
	loc, err := zone(d.Zone)
	if err != nil {
		loc = time.UTC
	}
	weekday, ok := digestDays[strings.ToLower(d.Every)]
	if !ok {
		return nextHour(after, loc)
	}
	at, ok := parseClock(d.At)
	if !ok {
		at, _ = parseClock(DigestAt)
	}
	y, m, day := after.In(loc).Date()
	for i := -1; ; i++ { // at the latest in a week; a day that its zone left out begins later than it is called
		first, _ := at.on(y, m, day+i, loc)
		if weekday != everyDay && time.Date(y, m, day+i, 12, 0, 0, 0, time.UTC).Weekday() != weekday {
			continue
		}
		if first.After(after) {
			return first.UTC()
		}
	}
}

// everyDay stands for all days of the week.
const everyDay = time.Weekday(-1)

// digestHour is Digest.Every for one each hour.
const digestHour = "hour"

// digestDays are the days on which a digest is sent, by Digest.Every.
var digestDays = map[string]time.Weekday{
	"day": everyDay, "monday": time.Monday, "tuesday": time.Tuesday, "wednesday": time.Wednesday, "thursday": time.Thursday,
	"friday": time.Friday, "saturday": time.Saturday, "sunday": time.Sunday,
}

// nextHour returns the next full hour of a wall clock, also where its zone is half an hour off, or becomes so.
func nextHour(after time.Time, loc *time.Location) time.Time {
	t := fullHour(after, loc)
	if _, end := t.In(loc).ZoneBounds(); t.In(loc).Minute() == 0 || end.IsZero() {
		return t.UTC()
	}
	start, _ := t.In(loc).ZoneBounds() // the clock was changed by less than an hour in between
	if start.In(loc).Minute() == 0 {
		return start.UTC()
	}
	return fullHour(start, loc).UTC()
}

func fullHour(after time.Time, loc *time.Location) time.Time {
	l := after.In(loc)
	past := time.Duration(l.Minute())*time.Minute + time.Duration(l.Second())*time.Second + time.Duration(l.Nanosecond())
	return after.Add(time.Hour - past)
}

// zone returns a time zone by its IANA name; "" is UTC.
func zone(name string) (*time.Location, error) {
	if name == "Local" { // the machine's, whatever that is
		name = "?"
	}
	return time.LoadLocation(name)
}

// A clock is a time of day.
type clock struct{ hour, minute int }

// parseClock reads "HH:MM".
func parseClock(s string) (clock, bool) {
	t, err := time.Parse("15:04", s)
	return clock{t.Hour(), t.Minute()}, err == nil && len(s) == len("HH:MM")
}

func (c clock) minutes() int { return 60*c.hour + c.minute }

// on returns the moments at which a wall clock shows c on a day: twice the same where it does so once; the first and the
// last where it is put back; and where it is put forward over c, twice the moment at which that happens. time.Date picks
// one of them, and does not say which.
func (c clock) on(y int, m time.Month, d int, loc *time.Location) (first, last time.Time) {
	t := time.Date(y, m, d, c.hour, c.minute, 0, 0, loc)
	wall := time.Date(y, m, d, c.hour, c.minute, 0, 0, time.UTC) // what it shall show
	start, end := t.ZoneBounds()
	_, offset := t.Zone()
	switch shows := t.Add(time.Duration(offset) * time.Second); {
	case shows.After(wall):
		return start, start
	case shows.Before(wall):
		return end, end
	}
	first, last = t, t
	if !start.IsZero() {
		_, before := start.Add(-1).Zone()
		if other := wall.Add(-time.Duration(before) * time.Second); other.Before(start) {
			first = other
		}
	}
	if !end.IsZero() {
		_, after := end.Zone()
		if other := wall.Add(-time.Duration(after) * time.Second); !other.Before(end) {
			last = other
		}
	}
	return first, last
}
