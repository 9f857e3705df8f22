package store

import (
	"fmt"
	"time"

	"feedonce"
	"feedonce/internal/sqldb"
)

// Flood brakes, and what else the operator should know.

// AddBrake stores a brake.
func (tx *Tx) AddBrake(b feedonce.Brake) (int64, error) {
	ids, err := tx.newIDs("brakes", 1)
	if err == nil {
		_, err = tx.Exec(`insert into brakes (id, feed_id, at, count, usual, state) values ($1, $2, $3, $4, $5, $6)`,
			ids[0], int64(b.Feed), b.At.UnixMicro(), b.Count, b.Usual, string(b.State))
	}
	if err != nil {
		return 0, fmt.Errorf("brake of feed %d: %w", b.Feed, err)
	}
	return ids[0], nil
}

const brakeColumns = `id, feed_id, at, count, usual, state, closed_at, who`

func scanBrake(row sqldb.Scanner) (feedonce.Brake, error) {
	var b feedonce.Brake
	err := row.Scan(&b.ID, &b.Feed, at(&b.At), &b.Count, &b.Usual, &b.State, at(&b.Closed), &b.Who)
	return b, err
}

// Brakes returns brakes, newest first; only those that nobody decided about, or all. The default of limit is 50.
func (tx *Tx) Brakes(openOnly bool, limit int) ([]feedonce.Brake, error) {
	w := where{}
	if openOnly {
		w.add("state = 'open'")
	}
	all, err := sqldb.All(tx.Tx, scanBrake, `select `+brakeColumns+` from brakes`+w.String()+` order by id desc`+w.limit(limit), w.args...)
	if err != nil {
		return nil, fmt.Errorf("brakes: %w", err)
	}
	return all, nil
}

// Brake returns a brake, or ErrNotFound.
func (tx *Tx) Brake(id int64) (feedonce.Brake, error) {
	b, err := scanBrake(tx.QueryRow(`select `+brakeColumns+` from brakes where id = $1`, id))
	return b, found(err, "brake %d", id)
}

// CloseBrake stores what a person decided about a brake that is open; ErrConflict where it is not open any more.
func (tx *Tx) CloseBrake(id int64, state feedonce.BrakeState, who string, now time.Time) error {
	n, err := tx.Exec(`update brakes set state = $2, closed_at = $3, who = $4 where id = $1 and state = 'open'`, id, string(state), now.UnixMicro(), who)
	if err == nil && n == 0 {
		err = feedonce.ErrConflict
	}
	if err != nil {
		return fmt.Errorf("brake %d: %w", id, err)
	}
	return nil
}

// AddNotice stores what the operator should know.
func (tx *Tx) AddNotice(n feedonce.Notice) (int64, error) {
	ids, err := tx.newIDs("notices", 1)
	if err == nil {
		_, err = tx.Exec(`insert into notices (id, at, kind, feed_id, destination_id, txt) values ($1, $2, $3, $4, $5, $6)`,
			ids[0], n.At.UnixMicro(), n.Kind, int64(n.Feed), int64(n.Destination), n.Text)
	}
	if err != nil {
		return 0, fmt.Errorf("notice: %w", err)
	}
	return ids[0], nil
}

// Notices returns what the operator should know, newest first. The default of limit is 50.
func (tx *Tx) Notices(limit int) ([]feedonce.Notice, error) {
	w := where{}
	all, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (feedonce.Notice, error) {
		var n feedonce.Notice
		err := row.Scan(&n.ID, at(&n.At), &n.Kind, &n.Feed, &n.Destination, &n.Text)
		return n, err
	}, `select id, at, kind, feed_id, destination_id, txt from notices order by id desc`+w.limit(limit), w.args...)
	if err != nil {
		return nil, fmt.Errorf("notices: %w", err)
	}
	return all, nil
}
