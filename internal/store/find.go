package store

import (
	"fmt"
	"strconv"
	"strings"

	"feedonce"
	"feedonce/internal/sqldb"
)

// FindEntries returns the entries that have this URL (as published), guid, or ID in decimal.
func (tx *Tx) FindEntries(what string) ([]feedonce.Entry, error) {
	what = strings.TrimSpace(what)
	id, err := strconv.ParseInt(what, 10, 64)
	if err != nil {
		id = 0
	}
	entries, err := sqldb.All(tx.Tx, scanEntry, `select `+entryColumns+` from `+entryTables+`
		where e.id = $1 or e.url = $2 or e.guid = $2 order by e.id`, id, what)
	if err != nil {
		return nil, fmt.Errorf("find entries: %w", err)
	}
	return entries, nil
}
