package store

import (
	"context"
	"errors"
	"fmt"

	"feedonce/internal/sqldb"
)

// Backup writes a whole and consistent copy of a SQLite database to a file that is not there, while the database is used.
func (s *Store) Backup(ctx context.Context, file string) error {
	if s.db.Dialect() != sqldb.SQLite {
		return errors.New("a PostgreSQL database is copied with pg_dump")
	}
	if err := s.db.CopyTo(ctx, file); err != nil {
		return fmt.Errorf("copy %s to %s: %w", s.Name(), file, err)
	}
	return nil
}
