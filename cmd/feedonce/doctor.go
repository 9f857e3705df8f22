package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"feedonce"
	"feedonce/internal/sqldb"
	"feedonce/internal/store"
)

// A finding is the result of one check of doctor.
type finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Text   string `json:"text"`
	Advice string `json:"advice,omitempty"`
}

func good(check, text string, values ...any) finding {
	return finding{Check: check, OK: true, Text: fmt.Sprintf(text, values...)}
}

func (a *app) doctorCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what is wrong",
		Long: `Look whether the database can be reached and is whole, whether there is disk space, whether the clock is right, which
feeds are in error, and whether feeds are polled as they should be. Changes nothing but, where the program is newer than
the database, the database's schema. Exit code 3: something was found.

With --json, a line for each check: check, ok, text, advice.`,
		Args: args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			var found []finding
			err := a.withStore(ctx, func(s *store.Store) error {
				var err error
				found, err = a.examine(ctx, s)
				return err
			})
			if err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				found = append(found, finding{"database", false, err.Error(), "see --db in `feedonce serve --help`"})
			}
			return a.reportFindings(found)
		},
	}
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store", "poll", "fetch")
	return cmd
}

func (a *app) reportFindings(found []finding) error {
	lines := newJSONLines(a.out)
	wrong := 0
	for _, f := range found {
		if !f.OK {
			wrong++
		}
		if a.json {
			if err := lines.write(f); err != nil {
				return err
			}
			continue
		}
		mark := "ok   "
		if !f.OK {
			mark = "WRONG"
		}
		line := fmt.Sprintf("%s  %-10s  %s", mark, f.Check, clean(f.Text))
		if f.Advice != "" {
			line += "; " + f.Advice
		}
		if _, err := fmt.Fprintln(a.out, line); err != nil {
			return err
		}
	}
	if wrong > 0 {
		return errFound
	}
	return nil
}

func (a *app) examine(ctx context.Context, s *store.Store) ([]finding, error) {
	var found []finding
	err := s.View(ctx, func(tx *store.Tx) error {
		found = nil
		feeds, err := tx.Feeds()
		if err != nil {
			return err
		}
		entries, err := tx.EntryCount(0)
		if err != nil {
			return err
		}
		version, err := tx.SchemaVersion()
		if err != nil {
			return err
		}
		found = append(found, good("database", "%s %s: %s, %s, schema version %d",
			s.Dialect(), s.Name(), count(len(feeds), "feed"), count(int(entries), "article"), version))
		whole, err := integrity(tx)
		if err != nil {
			return err
		}
		clock, err := clock(tx, feeds, time.Now())
		if err != nil {
			return err
		}
		found = append(found, whole...)
		found = append(found, clock)
		if !a.set.postgres() {
			found = append(found, disk(filepath.Dir(s.Name()))...)
		}
		found = append(found, feedErrors(feeds)...)
		polled, err := polling(tx, feeds, time.Now())
		found = append(found, polled...)
		if err != nil {
			return err
		}
		read, err := searching(tx)
		found = append(found, read)
		return err
	})
	return found, err
}

// integrity says whether the SQLite file is whole. PostgreSQL looks after its own.
func integrity(tx *store.Tx) ([]finding, error) {
	faults, err := tx.Faults()
	if err != nil || tx.Dialect() != sqldb.SQLite {
		return nil, err
	}
	if len(faults) == 0 {
		return []finding{good("integrity", "the file is whole")}, nil
	}
	var found []finding
	for _, f := range faults {
		found = append(found, finding{"integrity", false, f, "stop feedonce and restore a backup of the file"})
	}
	return found, nil
}

// clock compares this machine's clock with the database server's, or with the latest time in the database.
func clock(tx *store.Tx, feeds []feedonce.Feed, now time.Time) (finding, error) {
	const tolerated = 30 * time.Second
	server, err := tx.ServerTime()
	if err != nil {
		return finding{}, err
	}
	if !server.IsZero() {
		if apart := now.Sub(server).Abs(); apart > tolerated {
			return finding{"clock", false, fmt.Sprintf("this machine's clock and the database server's are %s apart", apart.Round(time.Second)),
				"set both by NTP: leases are reckoned by each worker's own clock"}, nil
		}
		return good("clock", "agrees with the database server's"), nil
	}
	for _, f := range feeds {
		if ahead := f.Schedule.LastPoll.Sub(now); ahead > tolerated {
			return finding{"clock", false, fmt.Sprintf("feed %d was last polled %s from now", f.ID, ahead.Round(time.Second)),
				"the clock was set back, or is wrong now: set it by NTP"}, nil
		}
	}
	return good("clock", "%s, and nothing in the database is later", now.Format(time.RFC3339)), nil
}

// disk looks how much space is left beside the database.
func disk(dir string) []finding {
	const least = 512 << 20
	free, err := freeSpace(dir)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil
	case err != nil:
		return []finding{{"disk", false, fmt.Sprintf("the free space of %s is unknown: %v", dir, err), ""}}
	case free < least:
		return []finding{{"disk", false, fmt.Sprintf("%d MiB are free at %s", free>>20, dir), "make room: a full disk stops all polling"}}
	}
	return []finding{good("disk", "%d MiB are free at %s", free>>20, dir)}
}

func feedErrors(feeds []feedonce.Feed) []finding {
	var found []finding
	for _, f := range feeds {
		if f.Error == "" {
			continue
		}
		advice := ""
		if f.State != feedonce.FeedActive {
			advice = "it is " + string(f.State) + " and not polled any more"
		}
		found = append(found, finding{"feed", false, fmt.Sprintf("%d, %s: %s (%s in a row)", f.ID, f.Name(), f.Error, count(f.Errors, "error")), advice})
	}
	if len(found) == 0 && len(feeds) > 0 {
		found = append(found, good("feeds", "none of %d is in error", len(feeds)))
	}
	return found
}

// polling looks for feeds that are not polled though they should be, and for leases that do not end.
func polling(tx *store.Tx, feeds []feedonce.Feed, now time.Time) ([]finding, error) {
	const late = 30 * time.Minute
	const longest = 24 * time.Hour // no lease is this long
	leased, latest, err := tx.LeasedBeyond(now.Add(longest))
	if err != nil {
		return nil, err
	}
	var found []finding
	if leased > 0 {
		found = append(found, finding{"lease", false, fmt.Sprintf("%s until %s: a worker's clock was wrong", count(leased, "feed is leased"), stamp(latest)),
			"`feedonce poll FEED` polls it all the same"})
	} else {
		found = append(found, good("lease", "none is stuck"))
	}
	overdue := 0
	for _, f := range feeds {
		if f.State == feedonce.FeedActive && now.Sub(f.Schedule.NextPoll) > late {
			overdue++
		}
	}
	if overdue > 0 {
		return append(found, finding{"polling", false, fmt.Sprintf("%s overdue by more than %d minutes", count(overdue, "feed"), int(late.Minutes())),
			"is `feedonce serve` or a worker running on this database?"}), nil
	}
	return append(found, good("polling", "no feed is overdue")), nil
}

// searching says how far the index of words is. It is filled while feedonce runs, so that being behind is no fault.
func searching(tx *store.Tx) (finding, error) {
	p, err := tx.SearchProgress()
	if err != nil || !p.Behind() {
		return good("search", "articles are found by their words"), err
	}
	f := good("search", "%d of %s can be found by their words", p.Indexed, count(int(p.All), "article"))
	f.Advice = "the rest is read while feedonce serves, or by `feedonce search`"
	return f, nil
}
