package urls

import "strings"

// parts is an http(s) URL cut into pieces; nothing in it is decoded. The port is "" where it is a default one.
type parts struct {
	user, host, port, path, query, fragment string
}

// split cuts an http(s) URL as browsers do. Anything else gives ok=false.
func split(raw string) (p parts, ok bool) {
	s := raw
	if s == "" || s[0] <= ' ' || s[0] >= 0x80 || s[len(s)-1] <= ' ' || s[len(s)-1] >= 0x80 {
		s = strings.TrimFunc(raw, func(r rune) bool { return r <= ' ' || r == '\ufeff' })
	}
	if strings.IndexByte(s, '\n') >= 0 || strings.IndexByte(s, '\t') >= 0 || strings.IndexByte(s, '\r') >= 0 {
		s = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(s)
	}
	switch {
	case len(s) > 6 && strings.EqualFold(s[:6], "https:"):
		s = s[6:]
	case len(s) > 5 && strings.EqualFold(s[:5], "http:"):
		s = s[5:]
	default:
		return p, false
	}
	s = strings.TrimLeft(s, `/\`)
	s = unescapeAmpersands(s)

	n := 0
	for n < len(s) && s[n] != '/' && s[n] != '\\' && s[n] != '?' && s[n] != '#' {
		n++
	}
	authority, s := s[:n], s[n:]
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		p.user, authority = authority[:i], authority[i+1:]
	}
	if i := strings.LastIndexByte(authority, ':'); i >= 0 && !strings.ContainsRune(authority[i:], ']') {
		p.port, authority = authority[i+1:], authority[:i]
	}
	if p.port, ok = cleanPort(p.port); !ok || authority == "" {
		return p, false
	}
	p.host = authority
	s, p.fragment, _ = strings.Cut(s, "#")
	p.path, p.query, _ = strings.Cut(s, "?")
	return p, true
}

// unescapeAmpersands undoes the escaping of "&" that is left where a URL was escaped for HTML more than once. No
// site has parameters called "amp;name".
func unescapeAmpersands(s string) string {
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	i := strings.Index(s, "&amp;")
	if j := strings.Index(s, "&#"); i < 0 || j >= 0 && j < i {
		i = j
	}
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.WriteString(s[:i])
	for s = s[i:]; s != ""; {
		c := s[0]
		b.WriteByte(c)
		s = s[1:]
		for more := c == '&'; more; {
			more = false
			for _, rest := range [...]string{"amp;", "#38;", "#038;", "#x26;", "#X26;"} {
				if strings.HasPrefix(s, rest) {
					s, more = s[len(rest):], true
				}
			}
		}
	}
	return b.String()
}
