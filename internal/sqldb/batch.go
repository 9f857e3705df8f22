package sqldb

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// A Batch is any number of rows that are sent to the database in one statement.
type Batch struct {
	cols []column
	n    int
}

type column struct {
	name  string
	kind  string // int, text, bytes, bool
	ints  []*int64
	texts []*string
	blobs [][]byte
	bools []*bool
}

// NewBatch returns a batch with these columns, each "name kind", where kind is int, text, bytes or bool.
func NewBatch(cols ...string) *Batch {
	b := &Batch{cols: make([]column, len(cols))}
	for i, c := range cols {
		name, kind, _ := strings.Cut(c, " ")
		b.cols[i] = column{name: name, kind: kind}
	}
	return b
}

// Ints returns a batch of one column of integers.
func Ints[T ~int64](name string, values []T) *Batch {
	b := NewBatch(name + " int")
	for _, v := range values {
		b.Add(int64(v))
	}
	return b
}

// Len returns the number of rows.
func (b *Batch) Len() int { return b.n }

// Add adds a row: a value for each column, nil for null. Integers are int64 or int, bytes must not change afterwards,
// and text is cleaned.
func (b *Batch) Add(values ...any) {
	if len(values) != len(b.cols) {
		panic(fmt.Sprintf("sqldb: row of %d values in a batch of %d columns", len(values), len(b.cols)))
	}
	for i, v := range values {
		c := &b.cols[i]
		switch c.kind {
		case "int":
			switch v := v.(type) {
			case nil:
				c.ints = append(c.ints, nil)
			case int:
				n := int64(v)
				c.ints = append(c.ints, &n)
			default:
				n := v.(int64)
				c.ints = append(c.ints, &n)
			}
		case "text":
			if v == nil {
				c.texts = append(c.texts, nil)
				break
			}
			s := Clean(v.(string))
			c.texts = append(c.texts, &s)
		case "bytes":
			if v == nil {
				c.blobs = append(c.blobs, nil)
				break
			}
			blob := v.([]byte)
			if blob == nil {
				blob = []byte{}
			}
			c.blobs = append(c.blobs, blob)
		case "bool":
			if v == nil {
				c.bools = append(c.bools, nil)
				break
			}
			yes := v.(bool)
			c.bools = append(c.bools, &yes)
		default:
			panic("sqldb: column " + c.name + " has no kind")
		}
	}
	b.n++
}

// From returns what stands in the from clause for the rows of the batch, and the arguments it needs, which are numbered
// from first. The rows are called by alias, which may be used as a table's.
//
// SQLite cannot tell "on conflict" after a select from the condition of a join: such statements need "where true".
func (d Dialect) From(b *Batch, alias string, first int) (string, []any) {
	if d == PostgreSQL {
		return b.unnest(alias, first)
	}
	return b.jsonEach(alias, first)
}

func (b *Batch) unnest(alias string, first int) (string, []any) {
	var from, names strings.Builder
	args := make([]any, len(b.cols))
	for i := range b.cols {
		c := &b.cols[i]
		if i > 0 {
			from.WriteString(", ")
			names.WriteString(", ")
		}
		var kind string
		switch c.kind {
		case "int":
			kind, args[i] = "bigint", emptyNotNil(c.ints)
		case "text":
			kind, args[i] = "text", emptyNotNil(c.texts)
		case "bytes":
			kind, args[i] = "bytea", emptyNotNil(c.blobs)
		case "bool":
			kind, args[i] = "boolean", emptyNotNil(c.bools)
		}
		from.WriteString("$" + strconv.Itoa(first+i) + "::" + kind + "[]")
		names.WriteString(c.name)
	}
	return "unnest(" + from.String() + ") as " + alias + "(" + names.String() + ")", args
}

// emptyNotNil makes a nil slice an empty one: nil would be null, and unnest of null has no type to tell.
func emptyNotNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func (b *Batch) jsonEach(alias string, first int) (string, []any) {
	// A row of several columns is an array, and taken apart by a function; one of a single column needs none.
	single := len(b.cols) == 1
	var from strings.Builder
	for i := range b.cols {
		c := &b.cols[i]
		if i > 0 {
			from.WriteString(", ")
		}
		value := "value ->> " + strconv.Itoa(i)
		if single {
			value = "value"
		}
		if c.kind == "bytes" {
			value = "unhex(" + value + ")"
		}
		from.WriteString(value + " as " + c.name)
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	buf.WriteByte('[')
	for row := range b.n {
		if row > 0 {
			buf.WriteByte(',')
		}
		if single {
			b.cols[0].json(&buf, enc, row)
			continue
		}
		buf.WriteByte('[')
		for i := range b.cols {
			if i > 0 {
				buf.WriteByte(',')
			}
			b.cols[i].json(&buf, enc, row)
		}
		buf.WriteByte(']')
	}
	buf.WriteByte(']')
	return "(select " + from.String() + " from json_each($" + strconv.Itoa(first) + ")) as " + alias, []any{buf.String()}
}

func (c *column) json(buf *bytes.Buffer, enc *json.Encoder, row int) {
	switch {
	case c.kind == "int" && c.ints[row] != nil:
		buf.Write(strconv.AppendInt(buf.AvailableBuffer(), *c.ints[row], 10))
	case c.kind == "text" && c.texts[row] != nil:
		// A string can always be encoded; the encoder ends it with a line feed, which JSON allows here.
		if err := enc.Encode(*c.texts[row]); err != nil {
			panic(err)
		}
	case c.kind == "bytes" && c.blobs[row] != nil:
		buf.WriteByte('"')
		buf.Write(hex.AppendEncode(buf.AvailableBuffer(), c.blobs[row]))
		buf.WriteByte('"')
	case c.kind == "bool" && c.bools[row] != nil:
		if *c.bools[row] {
			buf.WriteByte('1')
		} else {
			buf.WriteByte('0')
		}
	default:
		buf.WriteString("null")
	}
}

// Clean makes text storable: NUL characters and invalid UTF-8 become U+FFFD.
func Clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(s, "\x00", "\uFFFD")
}
