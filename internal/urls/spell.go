package urls

import (
	"bytes"
	"slices"
	"strings"
)

// literal says which bytes stand for themselves in a key: unreserved characters (1) and those reserved ones that may
// occur in a path (2). All others are percent-encoded, and so is "'", which browsers encode in queries only.
var literal = func() (t [256]uint8) {
	for c := range 256 {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~", byte(c)) >= 0:
			t[c] = 1
		case strings.IndexByte("!$&()*+,;=:@/", byte(c)) >= 0:
			t[c] = 2
		}
	}
	return t
}()

// appendEscaped appends s with unreserved characters decoded and everything that is neither unreserved nor reserved
// encoded. In a query, a space is "+" however it was written.
func appendEscaped(dst []byte, s string, query bool) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if literal[c] != 0 { // nearly all
			dst = append(dst, c)
			continue
		}
		if c == '%' && i+2 < len(s) && hex(s[i+1]) >= 0 && hex(s[i+2]) >= 0 {
			c = byte(hex(s[i+1])<<4 | hex(s[i+2]))
			i += 2
			if literal[c] == 1 {
				dst = append(dst, c)
				continue
			}
		} else if c == '?' && query {
			dst = append(dst, c)
			continue
		}
		if c == ' ' && query {
			dst = append(dst, '+')
			continue
		}
		dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
	}
	return dst
}

// plainQuery reports whether appendEscaped leaves a query's parameter as it is.
func plainQuery(s string) bool {
	for i := 0; i < len(s); i++ {
		if literal[s[i]] == 0 && s[i] != '?' {
			return false
		}
	}
	return true
}

// appendUser appends user name and password. They are part of a key: a feed may differ by who asks for it.
func appendUser(dst []byte, user string) []byte {
	name, password, _ := strings.Cut(user, ":")
	if name == "" && password == "" {
		return dst
	}
	dst = appendUserPart(dst, name)
	if password != "" {
		dst = append(dst, ':')
		dst = appendUserPart(dst, password)
	}
	return append(dst, '@')
}

func appendUserPart(dst []byte, s string) []byte {
	for _, c := range appendEscaped(nil, s, false) {
		if strings.IndexByte(":@;=/", c) >= 0 {
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}

const upperHex = "0123456789ABCDEF"

func hex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// appendPath appends a path without dot segments, session ids and the endings that mean the same page.
func appendPath(dst []byte, path string) []byte {
	start := len(dst)
	var room [512]byte
	for path != "" {
		path = path[1:] // "/" or "\"
		n := 0
		for n < len(path) && path[n] != '/' && path[n] != '\\' {
			n++
		}
		segment := path[:n]
		path = path[n:]
		s := appendEscaped(room[:0], segment, false)
		if i := indexFold(s, ";jsessionid="); i >= 0 {
			s = s[:i]
		}
		switch string(s) {
		case ".":
			if path == "" {
				dst = append(dst, '/')
			}
		case "..":
			if i := bytes.LastIndexByte(dst[start:], '/'); i >= 0 {
				dst = dst[:start+i]
			}
		default:
			dst = append(dst, '/')
			dst = append(dst, s...)
		}
	}
	for {
		p := dst[start:]
		switch {
		case bytes.HasSuffix(p, []byte("/")):
			dst = dst[:len(dst)-1]
		case bytes.HasSuffix(p, []byte("/index.html")):
			dst = dst[:len(dst)-len("/index.html")]
		case bytes.HasSuffix(p, []byte("/index.htm")):
			dst = dst[:len(dst)-len("/index.htm")]
		case len(p) > len("/amp") && bytes.HasSuffix(p, []byte("/amp")):
			// A site's "/amp" may be a page about amplifiers.
			dst = dst[:len(dst)-len("/amp")]
		default:
			return dst
		}
	}
}

func indexFold(s []byte, lower string) int {
	if bytes.IndexByte(s, lower[0]) < 0 {
		return -1
	}
	for i := 0; i+len(lower) <= len(s); i++ {
		if s[i] == lower[0] && strings.EqualFold(string(s[i:i+len(lower)]), lower) {
			return i
		}
	}
	return -1
}

// appendQuery appends the parameters that may identify a page, sorted by name; those of one name keep their order.
func appendQuery(dst []byte, query, host string, drop func(string) bool) []byte {
	if query == "" {
		return dst
	}
	var room [16]string
	params := room[:0]
	for more := true; more; {
		var param string
		param, query, more = strings.Cut(query, "&")
		if !plainQuery(param) {
			param = string(appendEscaped(nil, param, true))
		}
		for strings.HasPrefix(param, "amp;") {
			param = param[len("amp;"):]
		}
		name, value, _ := strings.Cut(param, "=")
		if param == "" || tracks(name, value, host) || drop != nil && drop(decoded(name)) {
			continue
		}
		params = append(params, param)
	}
	if len(params) > 1 {
		slices.SortStableFunc(params, func(a, b string) int {
			a, _, _ = strings.Cut(a, "=")
			b, _, _ = strings.Cut(b, "=")
			return strings.Compare(a, b)
		})
	}
	for i, param := range params {
		dst = append(dst, "?&"[min(i, 1)])
		dst = append(dst, param...)
	}
	return dst
}

func decoded(name string) string {
	if !strings.ContainsAny(name, "%+") {
		return name
	}
	var b []byte
	for i := 0; i < len(name); i++ {
		switch {
		case name[i] == '%' && i+2 < len(name): // always valid here
			b = append(b, byte(hex(name[i+1])<<4|hex(name[i+2])))
			i += 2
		case name[i] == '+':
			b = append(b, ' ')
		default:
			b = append(b, name[i])
		}
	}
	return string(b)
}

// appendFragment appends a fragment, unless it only says where the reader came from or what to highlight.
func appendFragment(dst []byte, fragment string) []byte {
	if fragment == "" {
		return dst
	}
	start := len(dst)
	dst = append(dst, '#')
	dst = appendEscaped(dst, fragment, false)
	f, _, _ := strings.Cut(string(dst[start+1:]), ":~:") // text directive, https://wicg.github.io/scroll-to-text-fragment/
	if f == "" || strings.HasPrefix(f, "xtor=") || strings.HasPrefix(f, "ref=") || strings.HasPrefix(f, "utm_") {
		return dst[:start]
	}
	return dst[:start+1+len(f)]
}
