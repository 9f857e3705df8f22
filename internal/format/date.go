package format

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxDate is the longest text that is read as a date.
const maxDate = 80

// readDate reads a date as published. The time is zero where the text cannot be read, and where it says a year no
// feed means (1 and 9999 are the zero and the infinity of publishing software). It is never a guess: no part of a date
// is taken from today.
func readDate(text string) Date {
	text = oneLine(text)
	d := Date{Text: text}
	if t, ok := parseDate(text); ok && t.Year() >= 1000 && t.Year() < 3000 {
		d.Time = t
	}
	return d
}

// parseDate reads RFC 822 and its successors, RFC 3339 and the other profiles of ISO 8601, asctime, and what else
// feeds contain: names of months in the languages of Europe, Korean dates, numbers of seconds.
func parseDate(s string) (time.Time, bool) {
	if s == "" || len(s) > maxDate {
		return time.Time{}, false
	}
	if in, ok := strings.CutPrefix(s, "$Date:"); ok { // a keyword of CVS and Subversion
		s = strings.Trim(in, " $")
	}
	if s == "" {
		return time.Time{}, false
	}
	if t, ok := parseISO(s); ok {
		return t, ok
	}
	s = replaceEastAsian(s)
	var d dateReader
	if !d.read(s) {
		return time.Time{}, false
	}
	return d.time()
}

// A dateReader collects the parts of a date in whatever order they come.
type dateReader struct {
	numbers  [3]int // day, month, year in the order found, where no name says which is which
	digits   [3]int // how many digits each had
	n        int
	month    time.Month
	monthAt  int // how many numbers came before the name of the month
	slashes  bool
	hasTime  bool
	h, m, s  int
	nanos    int
	pm, am   bool
	hasZone  bool
	offset   int // seconds east of UTC
	words    int
	zoneName bool // the zone is a name, which may be followed by an offset: "GMT+2"
}

func (d *dateReader) read(s string) bool {
	for i := 0; i < len(s); {
		c, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case c >= '0' && c <= '9':
			j := i
			for j < len(s) && s[j] >= '0' && s[j] <= '9' {
				j++
			}
			if j < len(s) && s[j] == ':' && !d.hasTime {
				if j = d.clock(s, i); j < 0 {
					return false
				}
				d.hasTime = true
			} else if !d.number(s[i:j]) {
				return false
			}
			i = j
		case (c == '+' || c == '-' || c == '−') && d.hasTime && d.zonePlace(s, i):
			sign := 1
			if c != '+' {
				sign = -1
			}
			off, j, ok := zoneOffset(s, i+n)
			if !ok || d.hasZone && !d.zoneName {
				return false
			}
			d.offset, d.hasZone, d.zoneName = sign*off, true, false
			i = j
		case unicode.IsLetter(c):
			j := i
			for j < len(s) {
				r, k := utf8.DecodeRuneInString(s[j:])
				if !unicode.IsLetter(r) && !unicode.IsMark(r) {
					break
				}
				j += k
			}
			if !d.word(s[i:j], s[j:]) {
				return false
			}
			i = j
		case c == '(':
			end := strings.IndexByte(s[i:], ')')
			if end < 0 {
				return false
			}
			i += end + 1
		case c == '/':
			if d.n > 0 && !d.hasTime {
				d.slashes = true
			}
			i += n
		case c == ' ' || c == ',' || c == '.' || c == '-' || c == '\u00A0' || c == ';' || c == '\'':
			i += n
		default:
			return false
		}
	}
	return true
}

// zonePlace reports whether the sign at i begins a zone: a digit follows, and the time is complete.
func (d *dateReader) zonePlace(s string, i int) bool {
	_, n := utf8.DecodeRuneInString(s[i:])
	return i+n < len(s)
}

func (d *dateReader) number(digits string) bool {
	v := 0
	for _, c := range digits {
		if v = v*10 + int(c-'0'); v > 99999999 {
			return false
		}
	}
	if len(digits) == 8 && d.n == 0 { // 20040101
		d.numbers, d.digits, d.n = [3]int{v / 10000, v / 100 % 100, v % 100}, [3]int{4, 2, 2}, 3
		return true
	}
	if d.n == 3 || len(digits) > 4 || d.month != 0 && d.n == 2 {
		return false
	}
	d.numbers[d.n], d.digits[d.n] = v, len(digits)
	d.n++
	return true
}

// clock reads h:mm, h:mm:ss and h:mm:ss.fff at i and returns where it ends, or -1.
func (d *dateReader) clock(s string, i int) int {
	var v [3]int
	k := 0
	for ; k < 3; k++ {
		j := i
		for j < len(s) && s[j] >= '0' && s[j] <= '9' && j-i < 3 {
			v[k] = v[k]*10 + int(s[j]-'0')
			j++
		}
		if j == i || j-i > 2 {
			return -1
		}
		i = j
		if i+1 < len(s) && s[i] == ':' && k < 2 && s[i+1] >= '0' && s[i+1] <= '9' {
			i++
			continue
		}
		break
	}
	d.h, d.m, d.s = v[0], v[1], v[2]
	if k == 2 && i+1 < len(s) && (s[i] == '.' || s[i] == ',') && s[i+1] >= '0' && s[i+1] <= '9' {
		i++
		scale := 100_000_000
		for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
			d.nanos += int(s[i]-'0') * scale
			scale /= 10
		}
	}
	if i < len(s) && s[i] == ':' {
		return -1
	}
	return i
}

// zoneOffset reads 2, 02, 0200 and 02:00 at i.
func zoneOffset(s string, i int) (seconds, end int, ok bool) {
	j := i
	for j < len(s) && s[j] >= '0' && s[j] <= '9' {
		j++
	}
	v := 0
	for _, c := range s[i:min(j, i+5)] {
		v = v*10 + int(c-'0')
	}
	h, m := v, 0
	switch j - i {
	case 1, 2:
		if j+2 < len(s) && s[j] == ':' && s[j+1] >= '0' && s[j+1] <= '9' && s[j+2] >= '0' && s[j+2] <= '9' {
			m = int(s[j+1]-'0')*10 + int(s[j+2]-'0')
			j += 3
		} else if j < len(s) && s[j] == ':' {
			return 0, 0, false
		}
	case 3, 4:
		h, m = v/100, v%100
	default:
		return 0, 0, false
	}
	if h > 15 || m > 59 {
		return 0, 0, false
	}
	return h*3600 + m*60, j, true
}

// word reads a name: of a weekday (ignored), month or zone.
func (d *dateReader) word(w, rest string) bool {
	d.words++
	w = strings.ToLower(w)
	if !d.hasTime {
		if m := monthByName(w); m != 0 {
			d.month, d.monthAt = m, d.n
			return true
		}
	}
	if d.n > 0 || d.hasTime {
		switch w {
		case "am", "a":
			if d.hasTime && (w == "am" || strings.HasPrefix(rest, ".m")) {
				d.am = true
				return true
			}
		case "pm", "p":
			if d.hasTime && (w == "pm" || strings.HasPrefix(rest, ".m")) {
				d.pm = true
				return true
			}
		case "m":
			if d.am || d.pm {
				return true
			}
		case "t", "de", "del", "of", "um", "at", "à", "kl", "st", "nd", "rd", "th", "г", "в":
			if !d.hasTime {
				return true
			}
		}
	}
	if d.hasTime {
		if off, ok := zones[w]; ok {
			if !d.hasZone {
				d.offset, d.hasZone, d.zoneName = off, true, true
			}
			return true
		}
		if strings.HasPrefix(rest, "/") || d.month != 0 && d.n < 2 {
			return true // "Etc/GMT", or a year that is still to come: "… EST 2004"
		}
		if len(w) == 1 && w[0] >= 'a' && w[0] <= 'z' && w != "j" {
			// Military zones were defined with the wrong sign, so they say nothing (RFC 5322 section 4.3).
			d.hasZone = true
			return true
		}
		return d.n+bool2int(d.month != 0) == 3 && len(w) >= 3 && len(w) <= 5 && !d.hasZone // a zone nobody knows: UTC
	}
	return d.n == 0 && d.month == 0 || weekdays[w] // a weekday in some language
}

func bool2int(b bool) int {
	if b {
		return 1
	}
	return 0
}

// time puts the parts together.
func (d *dateReader) time() (time.Time, bool) {
	var year, day, yearDigits int
	month := d.month
	switch {
	case month != 0 && d.n == 2:
		day, year, yearDigits = d.numbers[0], d.numbers[1], d.digits[1]
		if d.digits[0] == 4 || d.digits[0] == 3 { // 2004-july-13
			day, year, yearDigits = d.numbers[1], d.numbers[0], d.digits[0]
		}
	case month != 0 && d.n == 1 && d.digits[0] == 4: // January 2004
		day, year, yearDigits = 1, d.numbers[0], 4
	case month == 0 && d.n == 3 && d.digits[0] == 4:
		year, month, day, yearDigits = d.numbers[0], time.Month(d.numbers[1]), d.numbers[2], 4
	case month == 0 && d.n == 3 && d.digits[2] == 4:
		day, month, year, yearDigits = d.numbers[0], time.Month(d.numbers[1]), d.numbers[2], 4
		if d.slashes && d.numbers[1] > 12 || d.slashes && d.numbers[0] <= 12 { // 12/31/2004 is American
			day, month = d.numbers[1], time.Month(d.numbers[0])
		}
	default:
		return time.Time{}, false
	}
	if yearDigits == 2 { // RFC 5322 section 4.3
		if year < 50 {
			year += 2000
		} else {
			year += 1900
		}
	} else if yearDigits == 3 {
		year += 1900
	}
	h := d.h
	switch {
	case (d.am || d.pm) && h > 12:
	case d.pm && h < 12:
		h += 12
	case d.am && h == 12:
		h = 0
	}
	return makeTime(year, month, day, h, d.m, d.s, d.nanos, d.offset)
}

// makeTime returns the time, if there is such a day and such a time of day.
func makeTime(year int, month time.Month, day, h, m, s, nanos, offset int) (time.Time, bool) {
	if month < 1 || month > 12 || day < 1 || day > 31 || h > 24 || m > 59 || s > 60 || h == 24 && (m > 0 || s > 0) {
		return time.Time{}, false
	}
	if s == 60 {
		s, nanos = 59, 0 // a leap second
	}
	if time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Day() != day {
		return time.Time{}, false
	}
	return time.Date(year, month, day, h, m, s, nanos, time.UTC).Add(-time.Duration(offset) * time.Second), true
}
