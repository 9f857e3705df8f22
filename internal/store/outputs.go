package store

import (
	"encoding/json"
	"fmt"

	"feedonce"
	"feedonce/internal/sqldb"
)

// Outputs: cleaned feeds that are published.

const outputColumns = `id, name, token, selection, created_at`

func scanOutput(row sqldb.Scanner) (feedonce.Output, error) {
	var o feedonce.Output
	var selection string
	if err := row.Scan(&o.ID, &o.Name, &o.Token, &selection, at(&o.Created)); err != nil {
		return o, err
	}
	if err := json.Unmarshal([]byte(selection), &o.Selection); err != nil {
		return o, fmt.Errorf("selection: %w", err)
	}
	return o, nil
}

// AddOutput adds an output with the SHA-256 of its token, or returns *feedonce.InvalidError where another one has its name.
func (tx *Tx) AddOutput(o feedonce.Output, tokenHash [32]byte) (feedonce.OutputID, error) {
	if err := tx.nameIsFree("outputs", o.Name, 0); err != nil {
		return 0, err
	}
	selection, err := json.Marshal(o.Selection)
	if err != nil {
		return 0, err
	}
	ids, err := tx.newIDs("outputs", 1)
	if err == nil {
		_, err = tx.Exec(`insert into outputs (id, name, token_hash, token, selection, once_feed_id, created_at) values ($1, $2, $3, $4, $5, $6, $7)`,
			ids[0], o.Name, tokenHash[:], notNil(o.Token), string(selection), onceFeed(o.Selection), o.Created.UnixMicro())
	}
	if err != nil {
		return 0, fmt.Errorf("add output %q: %w", o.Name, taken(err, o.Name))
	}
	return feedonce.OutputID(ids[0]), nil
}

// onceFeed is the feed of an output that shares stories with others of its kind; 0: it does not. There is one such output of a
// feed.
func onceFeed(sel feedonce.Selection) int64 {
	if !sel.Once {
		return 0
	}
	return int64(sel.Feed)
}

// Output returns an output, or ErrNotFound.
func (tx *Tx) Output(id feedonce.OutputID) (feedonce.Output, error) {
	o, err := scanOutput(tx.QueryRow(`select `+outputColumns+` from outputs where id = $1`, int64(id)))
	return o, found(err, "output %d", id)
}

// OutputByName returns an output, or ErrNotFound.
func (tx *Tx) OutputByName(name string) (feedonce.Output, error) {
	o, err := scanOutput(tx.QueryRow(`select `+outputColumns+` from outputs where name = $1`, name))
	return o, found(err, "output %q", name)
}

// OutputByHash returns the output whose token has this SHA-256, or ErrNotFound.
func (tx *Tx) OutputByHash(tokenHash [32]byte) (feedonce.Output, error) {
	o, err := scanOutput(tx.QueryRow(`select `+outputColumns+` from outputs where token_hash = $1`, tokenHash[:]))
	return o, found(err, "output")
}

// Outputs returns all outputs, by name.
func (tx *Tx) Outputs() ([]feedonce.Output, error) {
	all, err := sqldb.All(tx.Tx, scanOutput, `select `+outputColumns+` from outputs order by name`)
	if err != nil {
		return nil, fmt.Errorf("outputs: %w", err)
	}
	return all, nil
}

// SetOutput stores an output's name and selection.
func (tx *Tx) SetOutput(o feedonce.Output) error {
	if err := tx.nameIsFree("outputs", o.Name, int64(o.ID)); err != nil {
		return err
	}
	selection, err := json.Marshal(o.Selection)
	if err != nil {
		return err
	}
	n, err := tx.Exec(`update outputs set name = $2, selection = $3, once_feed_id = $4 where id = $1`, int64(o.ID), o.Name, string(selection), onceFeed(o.Selection))
	return tx.changedOne(n, taken(err, o.Name), "output %d", o.ID)
}

// SetOutputToken gives an output another address.
func (tx *Tx) SetOutputToken(id feedonce.OutputID, token []byte, tokenHash [32]byte) error {
	n, err := tx.Exec(`update outputs set token = $2, token_hash = $3 where id = $1`, int64(id), notNil(token), tokenHash[:])
	return tx.changedOne(n, err, "output %d", id)
}

// RemoveOutput removes an output: its address leads nowhere any more.
func (tx *Tx) RemoveOutput(id feedonce.OutputID) error {
	n, err := tx.Exec(`delete from outputs where id = $1`, int64(id))
	return tx.changedOne(n, err, "output %d", id)
}
