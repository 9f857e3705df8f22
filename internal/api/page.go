package api

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"feedonce"
	"feedonce/internal/store"
)

// Paging has the parameters of a list.
type Paging struct {
	Limit int    `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"How many"`
	After string `query:"after" maxLength:"200" doc:"The next of the page before; absent for the first page"`
}

// numberAfter is the place in a list that is ordered by number, latest first; 0 is its start.
func (p Paging) numberAfter() (int64, error) {
	if p.After == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(p.After, 10, 64)
	if err != nil || n < 1 {
		return 0, errAfter
	}
	return n, nil
}

// momentAfter is the place in a list that is ordered by time and number.
func (p Paging) momentAfter() (store.Cursor, error) {
	if p.After == "" {
		return store.Cursor{}, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(p.After)
	micros, number, ok := strings.Cut(string(text), " ")
	at, terr := strconv.ParseInt(micros, 10, 64)
	id, ierr := strconv.ParseInt(number, 10, 64)
	if err != nil || !ok || terr != nil || ierr != nil || id < 1 {
		return store.Cursor{}, errAfter
	}
	return store.Cursor{Time: time.UnixMicro(at).UTC(), ID: id}, nil
}

// momentNext is the after of what follows a place.
func momentNext(at time.Time, id int64) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(at.UnixMicro(), 10) + " " + strconv.FormatInt(id, 10)))
}

var errAfter = &feedonce.InvalidError{Field: "after", Reason: "is no place in this list; give the next of the page before as it was"}

// more cuts a list that was asked for with one more than the limit, and reports whether there was more.
func more[T any](list []T, limit int) ([]T, bool) {
	if len(list) > limit {
		return list[:limit], true
	}
	if list == nil {
		list = []T{} // an empty list is no null
	}
	return list, false
}
