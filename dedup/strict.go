package dedup

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"strings"
)

// strictHash is the hash that decides between updated and unchanged: the seven tracked fields, each tagged and
// length-prefixed so that no two different items have one preimage. Case, punctuation, markup and attributes count;
// white space between tags, counting pixels and the queries of enclosures do not; absent and empty are the same.
func strictHash(it *Item, link string) Hash {
	b := borrow()
	defer b.release()
	p := append(b.text[:0], "feedonce strict 1"...)
	for _, f := range [...]struct {
		tag   byte
		value string
	}{{'t', it.Title}, {'c', it.Content}, {'s', it.Summary}, {'a', it.Author}} {
		v := strings.TrimSpace(f.value)
		if i := untidy(v, 0); i < len(v) {
			b.lower = appendSqueezed(b.lower[:0], v, i)
			tidy := bytes.TrimSpace(b.lower)
			p = append(appendTag(p, f.tag, len(tidy)), tidy...)
		} else {
			p = appendField(p, f.tag, v)
		}
	}
	for _, e := range it.Enclosures {
		p = appendField(p, 'e', enclosureStrict(e))
		p = appendField(p, 'y', strings.ToLower(strings.TrimSpace(e.Type)))
	}
	p = appendField(p, 'u', link)
	b.text = p
	sum := sha256.Sum256(p)
	return Hash(sum[:len(Hash{})])
}

func enclosureStrict(e Enclosure) string {
	u := unwrapped(strings.TrimSpace(e.URL))
	if q := strings.IndexAny(u, "?#"); q >= 0 {
		u = u[:q]
	}
	return u
}

// appendTag appends what stands before a field of length n, which is nothing where it is empty.
func appendTag(dst []byte, tag byte, n int) []byte {
	if n == 0 {
		return dst
	}
	return binary.AppendUvarint(append(dst, tag), uint64(n))
}

// appendField appends a field as it is hashed.
func appendField(dst []byte, tag byte, v string) []byte {
	return append(appendTag(dst, tag, len(v)), v...)
}

// squeeze drops what no reader sees: white space at the ends and between tags, runs of white space, counting pixels.
func squeeze(s string) string {
	s = strings.TrimSpace(s)
	i := untidy(s, 0)
	if i == len(s) {
		return s
	}
	return strings.TrimSpace(string(appendSqueezed(make([]byte, 0, len(s)), s, i)))
}

// appendSqueezed appends s without what no reader sees but white space at the ends. i is the first untidy place in s; dst
// is empty.
func appendSqueezed(dst []byte, s string, i int) []byte {
	dst = append(dst, s[:i]...)
	for i < len(s) {
		switch c := s[i]; c {
		case '<':
			if end := tagEnd(s, i); end > 0 && isPixel(s[i:end]) {
				i = end
				continue
			}
			dst = append(dst, c)
			i++
		case ' ', '\t', '\r', '\n':
			j := i
			for j < len(s) && (s[j] == ' ' || s[j] == '\t' || s[j] == '\r' || s[j] == '\n') {
				j++
			}
			between := len(dst) > 0 && dst[len(dst)-1] == '>' && j < len(s) && s[j] == '<'
			if !between && len(dst) > 0 && dst[len(dst)-1] != ' ' {
				dst = append(dst, ' ')
			}
			i = j
		}
		j := untidy(s, i)
		dst = append(dst, s[i:j]...)
		i = j
	}
	return dst
}

// untidy returns the index of the next place from i on where squeeze may have to do something, or len(s).
func untidy(s string, i int) int {
	for i < len(s) {
		// Eight bytes at a time where nothing but single spaces could matter, which is nearly everywhere.
		for i+8 <= len(s) {
			x := eight(s, i)
			spaces := equalBytes(x, ' ')
			if anyBelow(x, ' ')|anyEqual(x, '<')|spaces&(spaces>>8) != 0 {
				break
			}
			i += 8 - int(spaces>>63) // a space at the end is looked at again, with what follows it
		}
		for end := min(i+8, len(s)); i < end; i++ {
			switch s[i] {
			case '\t', '\r', '\n':
				return i
			case ' ':
				if i+1 < len(s) && (s[i+1] == ' ' || s[i+1] == '<' && i > 0 && s[i-1] == '>' || s[i+1] == '\t' || s[i+1] == '\r' || s[i+1] == '\n') {
					return i
				}
			case '<':
				if i+3 < len(s) && s[i+1]|0x20 == 'i' && s[i+2]|0x20 == 'm' && s[i+3]|0x20 == 'g' {
					return i
				}
			}
		}
	}
	return i
}

// Eight bytes of a string in one word (Warren, "Hacker's Delight", 6-1): ones has each byte 1, highs the high bit of each.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// eight returns s[i:i+8], the first byte lowest.
func eight(s string, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// equalBytes has the high bit of each byte that is c.
func equalBytes(x uint64, c byte) uint64 {
	x ^= ones * uint64(c)
	return ^((x&^highs + ^uint64(highs)) | x) & highs
}

// anyEqual is not zero where a byte is c.
func anyEqual(x uint64, c byte) uint64 { return anyBelow(x^ones*uint64(c), 1) }

// anyBelow is not zero where a byte is less than c, which is at most 128.
func anyBelow(x uint64, c byte) uint64 { return (x - ones*uint64(c)) &^ x & highs }
