package scan

import "bytes"

// doctype reads a document type declaration and the simple entities its internal subset declares. External entities
// and parameter entities are not read, and never will be: they are a way to read files and hosts of ours.
func (t *Tokenizer) doctype(tok *Token, rest []byte) (bool, error) {
	tok.Kind = Doctype
	end := bytes.IndexAny(rest, "[>")
	if end < 0 {
		return t.truncated(tok, Doctype), nil
	}
	if rest[end] == '>' {
		tok.Data = rest[2:end]
		t.pos += end + 1
		return true, nil
	}
	i := end + 1
	for i < len(rest) {
		switch {
		case rest[i] == ']':
			n := bytes.IndexByte(rest[i:], '>')
			if n < 0 {
				return t.truncated(tok, Doctype), nil
			}
			tok.Data = rest[2 : i+n]
			t.pos += i + n + 1
			return true, nil
		case bytes.HasPrefix(rest[i:], []byte("<!--")):
			n := bytes.Index(rest[i:], []byte("-->"))
			if n < 0 {
				return t.truncated(tok, Doctype), nil
			}
			i += n + 3
		case rest[i] == '<':
			n := declarationEnd(rest[i:])
			if n < 0 {
				return t.truncated(tok, Doctype), nil
			}
			if decl := rest[i : i+n]; bytes.HasPrefix(decl, []byte("<!ENTITY")) {
				if err := t.declare(decl[len("<!ENTITY"):], t.pos+i); err != nil {
					return false, err
				}
			}
			i += n + 1
		default:
			i++
		}
	}
	return t.truncated(tok, Doctype), nil
}

// declarationEnd returns the offset of the ">" that ends a declaration, which is not within quotes.
func declarationEnd(b []byte) int {
	for i := 0; i < len(b); i++ {
		switch c := b[i]; c {
		case '>':
			return i
		case '"', '\'':
			n := bytes.IndexByte(b[i+1:], c)
			if n < 0 {
				return -1
			}
			i += 1 + n
		}
	}
	return -1
}

// declare reads `name "value"`. The value is expanded with the entities declared before it; a later use of it costs
// its whole length, so nesting entities gains nothing.
func (t *Tokenizer) declare(decl []byte, offset int) error {
	fields := bytes.TrimLeft(decl, " \t\r\n")
	n := bytes.IndexAny(fields, " \t\r\n")
	if n <= 0 || n > t.limits.Name || fields[0] == '%' {
		return nil
	}
	name, value := string(fields[:n]), bytes.TrimSpace(fields[n:])
	if len(value) < 2 || value[0] != '"' && value[0] != '\'' || value[len(value)-1] != value[0] {
		return nil // SYSTEM, PUBLIC, or nonsense
	}
	if _, ok := t.Entities.declared[name]; ok {
		return nil // the first declaration counts (XML 1.0, 4.2)
	}
	// Numeric references count where they are declared, all others where the entity is used (XML 1.0, 4.4 and 4.5).
	out, err := t.AppendText(nil, appendNumeric(nil, value[1:len(value)-1]))
	if err != nil {
		return err
	}
	if len(out) > t.limits.Entity {
		return t.exceeds("bytes of one entity", t.limits.Entity, offset)
	}
	if t.Entities.declared == nil {
		t.Entities.declared = map[string]string{}
	}
	if len(t.Entities.declared) >= 1000 {
		return t.exceeds("declared entities", 1000, offset)
	}
	t.Entities.declared[name] = string(out)
	return nil
}

// appendNumeric appends raw with its numeric references decoded, and no others.
func appendNumeric(dst, raw []byte) []byte {
	for len(raw) > 0 {
		n := 0
		if len(raw) > 2 && raw[0] == '&' && raw[1] == '#' {
			dst, n = numeric(dst, raw)
		}
		if n == 0 {
			dst, n = append(dst, raw[0]), 1
		}
		raw = raw[n:]
	}
	return dst
}
