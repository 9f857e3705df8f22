package format

import "strings"

// addName appends a value to a list that has it not.
func addName(list []string, v string) []string {
	if v == "" || len(list) >= maxValues {
		return list
	}
	for _, o := range list {
		if o == v {
			return list
		}
	}
	return append(list, v)
}

// person returns the name of an Atom person, or the address where there is no name.
func (p *parser) person(id int32) string {
	var name, rest pick
	for c := p.nodes[id].first; c != 0; c = p.nodes[c].next {
		switch p.nodes[c].name {
		case "name":
			name.offer(0, htmlToLine(p.value(c)))
		case "email":
			rest.offer(0, oneLine(p.value(c)))
		case "uri", "url":
			rest.offer(1, cleanURL(p.value(c)))
		}
	}
	if name.value == "" {
		return rest.value
	}
	return name.value
}

// mailboxName returns the name of "address (name)", "name (address)" and "name <address>", or the text itself.
func mailboxName(s string) string {
	s = oneLine(s)
	if i := strings.IndexByte(s, '('); i > 0 && strings.HasSuffix(s, ")") {
		before, within := strings.TrimSpace(s[:i]), strings.TrimSpace(s[i+1:len(s)-1])
		switch {
		case within == "" || strings.Contains(within, "@"):
			return before
		case strings.Contains(before, "@"):
			return within
		}
	}
	if i := strings.IndexByte(s, '<'); i > 0 && strings.HasSuffix(s, ">") && strings.Contains(s[i:], "@") {
		if name := strings.Trim(s[:i], ` "`); name != "" {
			return name
		}
	}
	return s
}
