package store

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// micros is a time as it is stored: microseconds since 1970, or null for the zero time.
func micros(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

// stamp scans what micros stored.
type stamp struct{ t *time.Time }

func at(t *time.Time) sql.Scanner { return stamp{t} }

func (s stamp) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*s.t = time.Time{}
	case int64:
		*s.t = time.UnixMicro(v).UTC()
	default:
		return fmt.Errorf("time stored as %T", v)
	}
	return nil
}

// span scans a duration stored in microseconds.
type span struct{ d *time.Duration }

func (s span) Scan(v any) error {
	n, ok := v.(int64)
	if !ok {
		return fmt.Errorf("duration stored as %T", v)
	}
	*s.d = time.Duration(n) * time.Microsecond
	return nil
}

// list scans a JSON array that is null where it is empty.
type list[T any] struct{ s *[]T }

func (l list[T]) Scan(v any) error {
	*l.s = nil
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		return json.Unmarshal([]byte(v), l.s)
	case []byte:
		return json.Unmarshal(v, l.s)
	}
	return fmt.Errorf("list stored as %T", v)
}

// listValue is what list scans. JSON can say what a column of text cannot, so that clean cleans the texts of an element.
func listValue[T any](s []T, clean func(T) T) (any, error) {
	if len(s) == 0 {
		return nil, nil
	}
	cleaned := make([]T, len(s))
	for i, v := range s {
		cleaned[i] = clean(v)
	}
	b, err := json.Marshal(cleaned)
	if err != nil {
		return nil, err
	}
	return string(b), nil
}

// like is the pattern of texts that contain a word, for "like … escape '\'". It ignores the case of ASCII letters.
func like(word string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(word) + "%"
}

// cut cuts text to at most n bytes at the boundary of a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

// text scans text where a null is no text.
type text struct{ s *string }

func (t text) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*t.s = ""
	case string:
		*t.s = v
	case []byte:
		*t.s = string(v)
	default:
		return fmt.Errorf("text stored as %T", v)
	}
	return nil
}

// flag scans a truth value where null is false.
type flag struct{ yes *bool }

func (f flag) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*f.yes = false
	case bool:
		*f.yes = v
	case int64:
		*f.yes = v != 0
	default:
		return fmt.Errorf("truth value stored as %T", v)
	}
	return nil
}

// number scans an integer where null is 0.
type number struct{ n *int64 }

func (n number) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*n.n = 0
	case int64:
		*n.n = v
	default:
		return fmt.Errorf("number stored as %T", v)
	}
	return nil
}
