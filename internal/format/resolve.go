package format

import "strings"

// maxURL is the longest URL that is resolved against another; longer ones stay as published.
const maxURL = 8 << 10

// cleanURL removes what no URL contains and publishers leave in: white space around it, and line breaks and tabs
// within (WHATWG URL, 4.1).
func cleanURL(s string) string {
	s = strings.TrimFunc(s, blank)
	if strings.ContainsAny(s, "\n\r\t") {
		s = lineBreaks.Replace(s)
	}
	return s
}

var lineBreaks = strings.NewReplacer("\n", "", "\r", "", "\t", "")

// resolve returns a reference as an absolute URL by RFC 3986 section 5.2, if the base allows. What is absolute already
// is returned as published, and so is all that needs no change: no escape is added or removed.
func resolve(base, ref string) string {
	if base == "" || len(ref) > maxURL || len(base) > maxURL {
		return ref
	}
	if ref == "" {
		return base
	}
	if scheme(ref) != "" {
		return ref
	}
	b := split(base)
	if ref[0] == '#' {
		b.fragment = ""
		return b.String() + ref
	}
	if strings.HasPrefix(b.path, "/") || b.authority != "" || b.scheme == "" {
		r := split(ref)
		switch {
		case r.authority != "":
		case r.path == "" && r.query != "":
			r.authority, r.path = b.authority, b.path
		case strings.HasPrefix(r.path, "/"):
			r.authority, r.path = b.authority, removeDots(r.path)
		default:
			dir := b.path[:strings.LastIndexByte(b.path, '/')+1]
			if dir == "" && b.authority != "" {
				dir = "/"
			}
			r.authority, r.path = b.authority, removeDots(dir+r.path)
		}
		r.scheme = b.scheme
		return r.String()
	}
	return ref // nothing is relative to a mailto: or urn:
}

// resolveLink is resolve for links of feeds, some of which forget the scheme: "example.org/post" is no file beside the
// feed where the base is on that host, or where the name ends like one of a host.
func resolveLink(base, ref string) string {
	if scheme(ref) == "" && ref != "" {
		b := split(base)
		host, _, _ := strings.Cut(ref, "/")
		if len(b.authority) > 2 && hostLike(host, b.authority[2:]) {
			return b.scheme + "//" + ref
		}
	}
	return resolve(base, ref)
}

func hostLike(name, host string) bool {
	if strings.EqualFold(strings.TrimPrefix(name, "www."), strings.TrimPrefix(host, "www.")) {
		return true
	}
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 || strings.ContainsAny(name, "?#&=@ %") {
		return false
	}
	switch strings.ToLower(name[dot+1:]) {
	case "com", "org", "net", "edu", "gov", "info", "io", "dev", "blog":
		return true
	}
	return false
}

// parts are the components of a URL with their delimiters, so that they add up to it.
type parts struct {
	scheme    string // "https:"
	authority string // "//example.org"
	path      string
	query     string // "?a=b"
	fragment  string // "#c"
}

func (u parts) String() string { return u.scheme + u.authority + u.path + u.query + u.fragment }

func split(s string) (u parts) {
	u.scheme = scheme(s)
	s = s[len(u.scheme):]
	if i := strings.IndexByte(s, '#'); i >= 0 {
		s, u.fragment = s[:i], s[i:]
	}
	if i := strings.IndexByte(s, '?'); i >= 0 {
		s, u.query = s[:i], s[i:]
	}
	if strings.HasPrefix(s, "//") {
		end := strings.IndexByte(s[2:], '/')
		if end < 0 {
			end = len(s) - 2
		}
		u.authority, s = s[:2+end], s[2+end:]
	}
	u.path = s
	return u
}

// scheme returns the scheme of a URL with its colon, or "".
func scheme(s string) string {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return s[:i+1]
		default:
			return ""
		}
	}
	return ""
}

// removeDots removes "." and ".." segments (RFC 3986 section 5.2.4).
func removeDots(path string) string {
	if !strings.Contains(path, "/.") && !strings.HasPrefix(path, ".") {
		return path
	}
	rooted := strings.HasPrefix(path, "/")
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	out := segments[:0]
	for i, s := range segments {
		last := i == len(segments)-1
		switch {
		case s == "..":
			if len(out) > 0 {
				out = out[:len(out)-1]
			}
			if last {
				out = append(out, "")
			}
		case s == ".":
			if last {
				out = append(out, "")
			}
		default:
			out = append(out, s)
		}
	}
	path = strings.Join(out, "/")
	if rooted {
		path = "/" + path
	}
	return path
}

// web reports whether s has the shape of an http(s) URL with a host.
func web(s string) bool {
	sch := scheme(s)
	if !strings.EqualFold(sch, "http:") && !strings.EqualFold(sch, "https:") {
		return false
	}
	rest := s[len(sch):]
	return len(rest) > 2 && rest[:2] == "//" && rest[2] != '/' && !strings.ContainsAny(s, " \n\t<>\"")
}

// harmful reports whether a URL would run something where it is opened: it is no page.
func harmful(s string) bool {
	switch strings.ToLower(scheme(s)) {
	case "javascript:", "data:", "vbscript:", "file:", "blob:":
		return true
	}
	return false
}
