package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"feedonce/internal/store"
)

func (a *app) backupCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the database while it is used",
		Long: `Write a copy of the SQLite database to FILE, whole and consistent, while feedonce runs. Bring it back with ` + "`feedonce restore`" + `, which
knows that messages were sent since. The key for secrets is not in it: keep that elsewhere.

A PostgreSQL database is copied with pg_dump.`,
		Args: args(1, 1, "the name of a file"),
		RunE: func(cmd *cobra.Command, given []string) error {
			if a.set.postgres() {
				return usagef("a PostgreSQL database is copied with pg_dump; after bringing it back, run `feedonce restore --mark`")
			}
			ctx := cmd.Context()
			return a.withStore(ctx, func(s *store.Store) error {
				if _, err := os.Stat(given[0]); !errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("%s is there already, and is left as it is; name another file", given[0])
				}
				if err := s.Backup(ctx, given[0]); err != nil {
					return err
				}
				info, err := os.Stat(given[0])
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.out, "copied %s to %s (%d KiB)\n", a.set.file(), given[0], info.Size()/1024)
				return err
			})
		},
	}
	addSettings(cmd.Flags(), "store")
	return cmd
}

func (a *app) restoreCommand() *cobra.Command {
	var mark bool
	cmd := &cobra.Command{
		Use:   "restore FILE | restore --mark",
		Short: "Bring a backup back, and tell nobody anything twice",
		Long: `Put a backup in the place of the database, which must not be there any more (move it away, and stop feedonce first). What happened
since the backup is not known: what the next document of each feed brings is stored and shown, and told to nobody; and of messages
that were waiting nobody knows whether they were sent, so they are left to you (feedonce deliveries list --state unknown).

With --mark, do that to a database that was brought back by other means, such as pg_restore.`,
		Args: args(0, 1, "the name of a backup, or --mark"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			if mark == (len(given) == 1) {
				return usagef("name a backup to bring back, or say --mark for a database that was brought back by other means")
			}
			if mark {
				return a.withStore(ctx, a.markRestored(ctx))
			}
			if a.set.postgres() {
				return usagef("a PostgreSQL database is brought back with pg_restore; then run `feedonce restore --mark`")
			}
			for _, suffix := range []string{"", "-wal", "-shm"} {
				if _, err := os.Stat(a.set.file() + suffix); !errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("%s is there, and is left as it is; stop feedonce and move it away (with -wal and -shm beside it)", a.set.file()+suffix)
				}
			}
			if err := copyFile(given[0], a.set.file()); err != nil {
				return err
			}
			return a.withStore(ctx, a.markRestored(ctx))
		},
	}
	cmd.Flags().BoolVar(&mark, "mark", false, "the database was brought back by other means")
	addSettings(cmd.Flags(), "store")
	return cmd
}

func (a *app) markRestored(ctx context.Context) func(*store.Store) error {
	return func(s *store.Store) error {
		if err := s.Update(ctx, func(tx *store.Tx) error { return tx.MarkRestored(time.Now()) }); err != nil {
			return err
		}
		_, err := fmt.Fprintf(a.out, "%s is marked as restored: the next document of each feed is stored quietly\n", s.Name())
		return err
	}
}

// copyFile copies a file to a name that is not there, whole or not at all.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("the backup cannot be read: %w", err)
	}
	defer in.Close()
	head := make([]byte, 16)
	if n, err := in.ReadAt(head, 0); err != nil || string(head[:n]) != "SQLite format 3\x00" {
		return fmt.Errorf("%s is no SQLite database", from)
	}
	return writeFile(to, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
}
