package web

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"feedonce"
	"feedonce/internal/explain"
	"feedonce/internal/shape"
	"feedonce/internal/store"
)

// exportChunk is how many decisions are read at once: a slow reader holds no transaction.
const exportChunk = 500

// export sends all decisions of a query, chunk by chunk; write puts one down.
func (s *server) export(w http.ResponseWriter, r *http.Request, name, kind string, head func(), write func(d feedonce.Decision, feed string) error, flush func() error) error {
	f, err := s.decisionQuery(r)
	if err != nil {
		return err
	}
	begun := false
	for {
		var rows []feedonce.Decision
		var next int64
		feeds := map[feedonce.FeedID]string{}
		err := s.Store.View(r.Context(), func(tx *store.Tx) (err error) {
			names := namer{tx: tx}
			if f.Feed != 0 {
				if err := maySee(tx, f.User, f.Feed); err != nil {
					return err
				}
				if _, err := tx.Feed(f.Feed); err != nil {
					return err
				}
			}
			if rows, next, err = f.read(tx, exportChunk); err != nil {
				return err
			}
			for _, d := range rows {
				feed, err := names.feed(d.Feed)
				if err != nil {
					return err
				}
				feeds[d.Feed] = feed.Name()
			}
			return nil
		})
		if err != nil {
			if begun { // what was sent cannot be taken back: the file must not look whole
				s.Log.Error("an export was cut off", "path", r.URL.Path, "error", err)
				panic(http.ErrAbortHandler)
			}
			return err
		}
		if !begun {
			h := w.Header()
			h.Set("Content-Type", kind)
			h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
			head()
			begun = true
		}
		for _, d := range rows {
			if !user(r).Admin() {
				d.Quiet = explain.Hush(d.Quiet)
			}
			if err := write(d, feeds[d.Feed]); err != nil {
				return nil //nolint:nilerr // the visitor left
			}
		}
		if err := flush(); err != nil {
			return nil //nolint:nilerr // the visitor left
		}
		if next == 0 {
			return nil
		}
		f.Before = next
	}
}

// exportCSV sends decisions as CSV (RFC 4180) with a line of names.
func (s *server) exportCSV(w http.ResponseWriter, r *http.Request) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	return s.export(w, r, "decisions.csv", "text/csv; charset=utf-8; header=present",
		func() {
			out.Write([]string{"id", "at", "feed", "feed_name", "entry", "outcome", "rule", "name", "title", "guid", "url", "told", "quiet", "note"}) //nolint:errcheck // Flush says so
		},
		func(d feedonce.Decision, feed string) error {
			x := shape.DecisionOf(d)
			entry := ""
			if x.Entry != 0 {
				entry = strconv.FormatInt(int64(x.Entry), 10)
			}
			return out.Write([]string{
				strconv.FormatInt(x.ID, 10), x.At.UTC().Format(time.RFC3339), strconv.FormatInt(int64(x.Feed), 10), cell(feed), entry, x.Outcome, x.Rule, x.Name,
				cell(x.Title), cell(x.GUID), cell(x.URL), strconv.FormatBool(x.Told), cell(x.Quiet), cell(x.Evidence.Note),
			})
		},
		func() error {
			out.Flush()
			return out.Error()
		})
}

// cell is a stranger's text in a table: a program for tables takes what begins with one of these for a formula, and a quote
// before it for text.
func cell(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

// exportNDJSON sends decisions as JSON, one object a line: package shape's Decision.
func (s *server) exportNDJSON(w http.ResponseWriter, r *http.Request) error {
	out := json.NewEncoder(w)
	flusher := http.NewResponseController(w)
	return s.export(w, r, "decisions.ndjson", "application/x-ndjson", func() {},
		func(d feedonce.Decision, _ string) error { return out.Encode(shape.DecisionOf(d)) },
		func() error {
			flusher.Flush() //nolint:errcheck // a server without flushing sends it at the end
			return nil
		})
}
