package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"feedonce/internal/sqldb"
	"feedonce/internal/store"
)

// Dump returns every row of every table but some, as text in an order of its own, by table: two dumps are equal where nothing
// differs.
func Dump(t testing.TB, s *store.Store, but ...string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for table := range Rows(t, s) {
		if slices.Contains(but, table) {
			continue
		}
		err := s.DB().View(context.Background(), func(tx *sqldb.Tx) error {
			rows, err := tx.SQL().QueryContext(context.Background(), `select * from "`+table+`"`)
			if err != nil {
				return err
			}
			defer rows.Close()
			columns, err := rows.Columns()
			if err != nil {
				return err
			}
			all[table] = []string{}
			for rows.Next() {
				values, places := make([]any, len(columns)), make([]any, len(columns))
				for i := range values {
					places[i] = &values[i]
				}
				if err := rows.Scan(places...); err != nil {
					return err
				}
				var line strings.Builder
				for i, v := range values {
					if b, ok := v.([]byte); ok {
						v = fmt.Sprintf("%q", b)
					}
					fmt.Fprintf(&line, "%s=%v ", columns[i], v)
				}
				all[table] = append(all[table], line.String())
			}
			slices.Sort(all[table])
			return rows.Err()
		})
		if err != nil {
			t.Fatalf("read table %s: %v", table, err)
		}
	}
	return all
}
