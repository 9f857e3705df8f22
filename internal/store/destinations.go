package store

import (
	"encoding/json"
	"fmt"
	"time"

	"feedonce"
	"feedonce/internal/sqldb"
)

// Destinations: where new articles are told. Their queues are in queue.go.

const destinationColumns = `id, name, kind, state, config, secrets, route, created_at, last_ok_at, error, error_at, errors, open_until`

// route scans a feedonce.Route.
type route struct{ r *feedonce.Route }

func (r route) Scan(v any) error {
	var s string
	if err := (text{&s}).Scan(v); err != nil {
		return err
	}
	*r.r = feedonce.Route{}
	if err := json.Unmarshal([]byte(s), r.r); err != nil {
		return fmt.Errorf("route: %w", err)
	}
	return nil
}

func scanDestination(row sqldb.Scanner) (feedonce.Destination, error) {
	var d feedonce.Destination
	err := row.Scan(destinationFields(&d)...)
	return d, err
}

func destinationFields(d *feedonce.Destination) []any {
	return []any{&d.ID, &d.Name, &d.Kind, &d.State, &d.Config, &d.Secrets, route{&d.Route}, at(&d.Created), at(&d.LastOK), &d.Error, at(&d.ErrorAt),
		&d.Errors, at(&d.OpenUntil)}
}

// secrets never are null.
func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// AddDestination adds a destination, or returns *feedonce.InvalidError where another one has its name.
func (tx *Tx) AddDestination(d feedonce.Destination) (feedonce.DestinationID, error) {
	if err := tx.nameIsFree("destinations", d.Name, 0); err != nil {
		return 0, err
	}
	routing, err := json.Marshal(d.Route)
	if err != nil {
		return 0, err
	}
	ids, err := tx.newIDs("destinations", 1)
	if err == nil {
		_, err = tx.Exec(`insert into destinations (id, name, kind, state, config, secrets, route, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
			ids[0], d.Name, d.Kind, string(d.State), d.Config, notNil(d.Secrets), string(routing), d.Created.UnixMicro())
	}
	if err != nil {
		return 0, fmt.Errorf("add destination %q: %w", d.Name, taken(err, d.Name))
	}
	return feedonce.DestinationID(ids[0]), nil
}

// nameIsFree returns *feedonce.InvalidError where another row than id has a name.
func (tx *Tx) nameIsFree(table, name string, id int64) error {
	var n int
	if err := tx.QueryRow(`select count(*) from `+table+` where name = $1 and id <> $2`, name, id).Scan(&n); err != nil {
		return fmt.Errorf("look for the name %q: %w", name, err)
	}
	if n > 0 {
		return nameTaken(name)
	}
	return nil
}

// taken says of a name that somebody else took at the same moment what nameIsFree says of others.
func taken(err error, name string) error {
	if sqldb.IsUnique(err) {
		return nameTaken(name)
	}
	return err
}

func nameTaken(name string) error {
	return &feedonce.InvalidError{Field: "name", Reason: fmt.Sprintf("must not be taken; %q is", name)}
}

// Destination returns a destination, or ErrNotFound.
func (tx *Tx) Destination(id feedonce.DestinationID) (feedonce.Destination, error) {
	d, err := scanDestination(tx.QueryRow(`select `+destinationColumns+` from destinations where id = $1`, int64(id)))
	return d, found(err, "destination %d", id)
}

// DestinationByName returns a destination, or ErrNotFound.
func (tx *Tx) DestinationByName(name string) (feedonce.Destination, error) {
	d, err := scanDestination(tx.QueryRow(`select `+destinationColumns+` from destinations where name = $1`, name))
	return d, found(err, "destination %q", name)
}

// Destinations returns all destinations, by name.
func (tx *Tx) Destinations() ([]feedonce.Destination, error) {
	all, err := sqldb.All(tx.Tx, scanDestination, `select `+destinationColumns+` from destinations order by name`)
	if err != nil {
		return nil, fmt.Errorf("destinations: %w", err)
	}
	return all, nil
}

// SetDestination stores a destination's name, settings, secrets and route.
func (tx *Tx) SetDestination(d feedonce.Destination) error {
	if err := tx.nameIsFree("destinations", d.Name, int64(d.ID)); err != nil {
		return err
	}
	routing, err := json.Marshal(d.Route)
	if err != nil {
		return err
	}
	n, err := tx.Exec(`update destinations set name = $2, config = $3, secrets = $4, route = $5 where id = $1`,
		int64(d.ID), d.Name, d.Config, notNil(d.Secrets), string(routing))
	return tx.changedOne(n, taken(err, d.Name), "destination %d", d.ID)
}

// changedOne is the error of an update of one row, which is ErrNotFound where there was none.
func (tx *Tx) changedOne(n int64, err error, format string, args ...any) error {
	if err == nil && n == 0 {
		err = feedonce.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf(format+": %w", append(args, err)...)
	}
	return nil
}

// SetDestinationState sets a destination's state, and why it is in it. An active one has no failures any more.
func (tx *Tx) SetDestinationState(id feedonce.DestinationID, state feedonce.DestinationState, why string, now time.Time) error {
	var n int64
	var err error
	if state == feedonce.DestinationActive {
		n, err = tx.Exec(`update destinations set state = $2, error = '', error_at = null, errors = 0, open_until = null where id = $1`, int64(id), string(state))
	} else {
		n, err = tx.Exec(`update destinations set state = $2, error = case when $3 = '' then error else $3 end,
			error_at = case when $3 = '' then error_at else $4 end where id = $1`, int64(id), string(state), why, now.UnixMicro())
	}
	return tx.changedOne(n, err, "destination %d", id)
}

// RemoveDestination removes a destination with its deliveries.
func (tx *Tx) RemoveDestination(id feedonce.DestinationID) error {
	n, err := tx.Exec(`delete from destinations where id = $1`, int64(id))
	return tx.changedOne(n, err, "destination %d", id)
}

// Routed is a destination as those see it who decide what it is told.
type Routed struct {
	ID    feedonce.DestinationID
	Kind  string
	State feedonce.DestinationState
	Route feedonce.Route
}

// ActiveRoutes returns the routes of all destinations, by ID. Messages for those that are paused or switched off wait.
func (tx *Tx) ActiveRoutes() ([]Routed, error) {
	all, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (Routed, error) {
		var r Routed
		err := row.Scan(&r.ID, &r.Kind, &r.State, route{&r.Route})
		return r, err
	}, `select id, kind, state, route from destinations order by id`)
	if err != nil {
		return nil, fmt.Errorf("routes: %w", err)
	}
	return all, nil
}
