package dedup

import (
	"strings"
	"unicode/utf8"
)

// A hunk is a place where two word sequences differ.
type hunk struct{ del, ins []string }

// maxEdits bounds the work of a diff: D of Myers 1986, "An O(ND) Difference Algorithm and Its Variations". Beyond it
// two texts are not edits of each other.
const maxEdits = 300

// diff aligns a and b: it returns the places where they differ and the number of words they share in order. ok is
// false where more than limit edits lie between them; then the rest is one hunk.
func diff(a, b []string, limit int) (hunks []hunk, common int, ok bool) {
	p := 0
	for p < len(a) && p < len(b) && a[p] == b[p] {
		p++
	}
	s := 0
	for s < len(a)-p && s < len(b)-p && a[len(a)-1-s] == b[len(b)-1-s] {
		s++
	}
	common = p + s
	a, b = a[p:len(a)-s], b[p:len(b)-s]
	if len(a) == 0 && len(b) == 0 {
		return nil, common, true
	}
	if len(a) == 0 || len(b) == 0 {
		return []hunk{{a, b}}, common, true
	}
	trace, found := myers(a, b, min(limit, maxEdits, len(a)+len(b)))
	if !found {
		return []hunk{{a, b}}, common, false
	}
	// Walk back from the end, gathering runs of edits.
	x, y := len(a), len(b)
	dx, dy := x, y // end of the hunk being gathered
	open := false
	flush := func() {
		if open {
			hunks = append(hunks, hunk{a[x:dx], b[y:dy]})
			open = false
		}
	}
	for d := len(trace) - 1; d > 0; d-- {
		pv := trace[d-1]
		at := func(k int) int { return pv[k+d-1] } // trace[d-1] holds k = -(d-1) … d-1
		k := x - y
		var pk int
		if k == -d || k != d && at(k-1) < at(k+1) {
			pk = k + 1
		} else {
			pk = k - 1
		}
		px := at(pk)
		py := px - pk
		for x > px && y > py && x > 0 && y > 0 && a[x-1] == b[y-1] {
			flush()
			x--
			y--
			common++
		}
		if !open {
			open, dx, dy = true, x, y
		}
		x, y = px, py
	}
	for x > 0 && y > 0 {
		flush()
		x--
		y--
		common++
	}
	flush()
	return hunks, common, true
}

// myers returns for each number of edits d the furthest x on each diagonal -d … d, until the end is reached.
func myers(a, b []string, limit int) (trace [][]int, found bool) {
	n, m := len(a), len(b)
	v := make([]int, 2*limit+3)
	off := limit + 1
	for d := 0; d <= limit; d++ {
		for k := -d; k <= d; k += 2 {
			var x int
			if k == -d || k != d && v[off+k-1] < v[off+k+1] {
				x = v[off+k+1]
			} else {
				x = v[off+k-1] + 1
			}
			y := x - k
			for x < n && y < m && a[x] == b[y] {
				x++
				y++
			}
			v[off+k] = x
			if x >= n && y >= m {
				row := make([]int, 2*d+1)
				copy(row, v[off-d:off+d+1])
				return append(trace, row), true
			}
		}
		row := make([]int, 2*d+1)
		copy(row, v[off-d:off+d+1])
		trace = append(trace, row)
	}
	return nil, false
}

// maxPairs bounds the comparison of replaced words with what replaced them.
const maxPairs = 1000

// A shape is what kind of edit lies between two texts (DEDUP 3.3).
type shape struct {
	similarity  float64 // shared words in order: 2c/(|a|+|b|)
	containment float64 // c/min(|a|,|b|)
	replaced    int     // words replaced by others that are no typing errors of them
	numbers     int     // of those, words with digits
	bounded     bool    // too far apart to be compared
}

func shapeOf(a, b []string) shape {
	least := min(len(a), len(b))
	if least == 0 {
		return shape{}
	}
	// More edits than the difference in length and a tenth of the shorter text on both sides cannot pass.
	limit := max(len(a), len(b)) - least + least/4 + 4
	hunks, common, ok := diff(a, b, limit)
	s := shape{bounded: !ok}
	s.similarity = 2 * float64(common) / float64(len(a)+len(b))
	s.containment = float64(common) / float64(least)
	if s.bounded {
		return s
	}
	for _, h := range hunks {
		if len(h.del) == 0 || len(h.ins) == 0 {
			continue // words added or cut are free
		}
		if len(h.del)*len(h.ins) > maxPairs { // no edit: do not pair each with each
			s.replaced += max(len(h.del), len(h.ins))
			continue
		}
		used := make([]bool, len(h.ins))
	deleted:
		for _, d := range h.del {
			for k, i := range h.ins {
				if !used[k] && typo(d, i) {
					used[k] = true
					continue deleted
				}
			}
			s.replaced++
			if hasDigit(d) {
				s.numbers++
			}
		}
		for k, i := range h.ins {
			if !used[k] {
				s.replaced++
				if hasDigit(i) {
					s.numbers++
				}
			}
		}
	}
	return s
}

// typo reports whether a and b may be one word typed differently: at most one edit in 4 or 5 letters, two in 6 and
// more; never where digits are involved.
func typo(a, b string) bool {
	if a == b {
		return true
	}
	if hasDigit(a) || hasDigit(b) {
		return false
	}
	if strings.IndexByte(a, '\'') >= 0 || strings.IndexByte(b, '\'') >= 0 {
		if strings.ReplaceAll(a, "'", "") == strings.ReplaceAll(b, "'", "") {
			return true
		}
	}
	n := min(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
	switch {
	case n > 64:
		return false
	case n >= 6:
		return within(a, b, 2)
	case n >= 4:
		return within(a, b, 1)
	}
	return false
}

// within reports whether the optimal string alignment distance of a and b, words of at most 64 letters or a few more, is
// at most limit.
func within(a, b string, limit int) bool {
	var bufA, bufB [80]rune
	x, y := bufA[:0], bufB[:0]
	for _, r := range a {
		x = append(x, r)
	}
	for _, r := range b {
		y = append(y, r)
	}
	if d := len(x) - len(y); d > limit || -d > limit || len(y) > 70 {
		return false
	}
	var rows [3][72]int
	older, prev, cur := &rows[0], &rows[1], &rows[2]
	for j := range y {
		prev[j+1] = j + 1
	}
	for i := 1; i <= len(x); i++ {
		cur[0] = i
		least := cur[0]
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				cur[j] = min(cur[j], older[j-2]+1)
			}
			least = min(least, cur[j])
		}
		if least > limit {
			return false
		}
		older, prev, cur = prev, cur, older
	}
	return prev[len(y)] <= limit
}
