package sqldb_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"feedonce/internal/sqldb"
	"feedonce/internal/store/storetest"
)

// each runs f with an empty database of each kind.
func each(t *testing.T, f func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	for name, dsn := range map[string]func(testing.TB) string{"sqlite": storetest.SQLite, "postgres": storetest.EmptyPostgres} {
		t.Run(name, func(t *testing.T) { f(t, open(t, dsn(t))) })
	}
}

func open(t *testing.T, dsn string) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func exec(t *testing.T, db *sqldb.DB, query string, args ...any) {
	t.Helper()
	if err := db.Update(context.Background(), func(tx *sqldb.Tx) error {
		_, err := tx.Exec(query, args...)
		return err
	}); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func number(t *testing.T, db *sqldb.DB, query string) (n int64) {
	t.Helper()
	if err := db.View(context.Background(), func(tx *sqldb.Tx) error { return tx.QueryRow(query).Scan(&n) }); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

type values struct {
	I sql.NullInt64
	T sql.NullString
	B []byte
	Y sql.NullBool
}

func TestBatchBringsEveryValueAcross(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		ints := []any{int64(0), int64(math.MinInt64), int64(math.MaxInt64), -1, nil, int64(1<<53 + 1)}
		texts := []any{"", "plain", nil, "quo\"te \\ \n\t\b</script>&\u2028", "nul\x00 bad\xff\xfe", "👩‍👩‍👧", "null", "$1", strings.Repeat("x", 1<<20)}
		blobs := []any{[]byte{}, []byte{0, 255, 1}, nil, []byte("text"), []byte(nil)}
		bools := []any{true, false, nil}
		batch := sqldb.NewBatch("i int", "t text", "b bytes", "y bool")
		var want []values
		for n := range 9 {
			i, s, b, y := ints[n%len(ints)], texts[n%len(texts)], blobs[n%len(blobs)], bools[n%len(bools)]
			batch.Add(i, s, b, y)
			var w values
			if i != nil {
				w.I.Valid = true
				if small, ok := i.(int); ok {
					w.I.Int64 = int64(small)
				} else {
					w.I.Int64 = i.(int64)
				}
			}
			if s != nil {
				w.T = sql.NullString{Valid: true, String: sqldb.Clean(s.(string))}
			}
			if b != nil {
				w.B = b.([]byte)
			}
			if y != nil {
				w.Y = sql.NullBool{Valid: true, Bool: y.(bool)}
			}
			want = append(want, w)
		}
		var got []values
		nulls := 0
		err := db.View(context.Background(), func(tx *sqldb.Tx) (err error) {
			from, args := tx.Dialect().From(batch, "r", 2)
			got, err = sqldb.All(tx, func(row sqldb.Scanner) (v values, err error) {
				var null bool
				err = row.Scan(&v.I, &v.T, &v.B, &v.Y, &null)
				if null {
					nulls++
				}
				return v, err
			}, "select r.i, r.t, r.b, r.y, r.b is null from "+from+" where $1 = 'x'", append([]any{"x"}, args...)...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		// SQLite's driver does not tell an empty blob from a null one; the database does.
		empty := cmp.Transformer("empty", func(b []byte) string { return string(b) })
		if diff := cmp.Diff(want, got, empty); diff != "" {
			t.Errorf("rows (-sent +got):\n%.3000s", diff)
		}
		if nulls != 2 {
			t.Errorf("%d blobs are null, want 2: an empty one is not", nulls)
		}
	})
}

func TestEmptyBatch(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		err := db.View(context.Background(), func(tx *sqldb.Tx) error {
			from, args := tx.Dialect().From(sqldb.NewBatch("i int", "t text", "b bytes", "y bool"), "r", 1)
			var n int
			if err := tx.QueryRow("select count(*) from "+from, args...).Scan(&n); err != nil || n != 0 {
				return fmt.Errorf("%d rows, %v", n, err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestUpdateIsAllOrNothing(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		exec(t, db, "create table x (n bigint)")
		insert := func(tx *sqldb.Tx) error {
			_, err := tx.Exec("insert into x (n) values (1)")
			return err
		}
		mine := errors.New("mine")
		if err := db.Update(context.Background(), func(tx *sqldb.Tx) error { return errors.Join(insert(tx), mine) }); !errors.Is(err, mine) {
			t.Errorf("Update = %v, want the error of its function", err)
		}
		func() {
			defer func() {
				if recover() != "panic" {
					t.Error("the panic did not come through")
				}
			}()
			db.Update(context.Background(), func(tx *sqldb.Tx) error {
				if err := insert(tx); err != nil {
					t.Error(err)
				}
				panic("panic")
			})
		}()
		ctx, cancel := context.WithCancel(context.Background())
		if err := db.Update(ctx, func(tx *sqldb.Tx) error { cancel(); return insert(tx) }); !errors.Is(err, context.Canceled) {
			t.Errorf("Update with a context that ends = %v, want context.Canceled", err)
		}
		if n := number(t, db, "select count(*) from x"); n != 0 {
			t.Errorf("%d rows were left by transactions that failed", n)
		}
		// No connection was lost.
		for range 20 {
			exec(t, db, "insert into x (n) values (1)")
		}
		if n := number(t, db, "select count(*) from x"); n != 20 {
			t.Errorf("%d rows, want 20", n)
		}
	})
}

func TestViewCannotWrite(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		exec(t, db, "create table x (n bigint)")
		err := db.View(context.Background(), func(tx *sqldb.Tx) error {
			_, err := tx.Exec("insert into x (n) values (1)")
			return err
		})
		if err == nil {
			t.Error("View wrote")
		}
	})
}

func TestViewSeesOneState(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		exec(t, db, "create table x (n bigint)")
		err := db.View(context.Background(), func(tx *sqldb.Tx) error {
			var before, after int
			if err := tx.QueryRow("select count(*) from x").Scan(&before); err != nil {
				return err
			}
			exec(t, db, "insert into x (n) values (1)")
			if err := tx.QueryRow("select count(*) from x").Scan(&after); err != nil {
				return err
			}
			if before != after {
				return fmt.Errorf("%d rows, then %d in the same View", before, after)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestDeadlockIsRetried makes two transactions lock two rows in opposite order.
func TestDeadlockIsRetried(t *testing.T) {
	db := open(t, storetest.EmptyPostgres(t))
	exec(t, db, "create table x (id bigint, n bigint)")
	exec(t, db, "insert into x values (1, 0), (2, 0)")
	var both sync.WaitGroup // until each holds its first row
	both.Add(2)
	var runs [2]int
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			err := db.Update(context.Background(), func(tx *sqldb.Tx) error {
				runs[i]++
				if _, err := tx.Exec("update x set n = n + 1 where id = $1", 1+i); err != nil {
					return err
				}
				if runs[i] == 1 {
					both.Done()
					both.Wait()
				}
				_, err := tx.Exec("update x set n = n + 1 where id = $1", 2-i)
				return err
			})
			if err != nil {
				t.Errorf("transaction %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	if runs[0]+runs[1] < 3 {
		t.Errorf("the transactions ran %v times, want at least one of them twice", runs)
	}
	if n := number(t, db, "select cast(sum(n) as bigint) from x"); n != 4 {
		t.Errorf("sum is %d, want 4", n)
	}
}

func TestRetriesEnd(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		runs := 0
		err := db.Update(context.Background(), func(tx *sqldb.Tx) error {
			runs++
			return fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: "40001"})
		})
		if err == nil || runs < 2 || runs > 10 || !strings.Contains(err.Error(), "gave up") {
			t.Errorf("%d runs, then %v; want a few, and an end", runs, err)
		}
		runs = 0
		err = db.Update(context.Background(), func(tx *sqldb.Tx) error {
			runs++
			return &pgconn.PgError{Code: "23505"}
		})
		if !sqldb.IsUnique(err) || runs != 1 {
			t.Errorf("%d runs, then %v; want one run: a violated constraint does not pass", runs, err)
		}
	})
}

func TestWhichErrorItIs(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		exec(t, db, "create table x (id bigint primary key, u bigint unique, c bigint check (c > 0))")
		exec(t, db, "insert into x values (1, 1, 1)")
		for query, want := range map[string]bool{
			"insert into x values (1, 2, 1)": true, "insert into x values (2, 1, 1)": true, "insert into x values (3, 3, 0)": false, "nonsense": false,
		} {
			err := db.Update(context.Background(), func(tx *sqldb.Tx) error {
				_, err := tx.Exec(query)
				return err
			})
			if err == nil || sqldb.IsUnique(err) != want {
				t.Errorf("%s: %v; unique violation: %t, want %t", query, err, !want, want)
			}
		}
	})
}

// TestWritersTakeTurns has several handles on one file, as several processes have, each with many transactions.
func TestWritersTakeTurns(t *testing.T) {
	path := storetest.SQLite(t)
	exec(t, open(t, path), "create table x (n integer)")
	exec(t, open(t, path), "insert into x values (0)")
	const writers, rounds = 4, 50
	var wg sync.WaitGroup
	for range writers {
		db := open(t, path)
		wg.Go(func() {
			for range rounds {
				err := db.Update(context.Background(), func(tx *sqldb.Tx) error {
					var n int64
					if err := tx.QueryRow("select n from x").Scan(&n); err != nil {
						return err
					}
					_, err := tx.Exec("update x set n = $1", n+1)
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := number(t, open(t, path), "select n from x"); n != writers*rounds {
		t.Errorf("n is %d after %d times adding one", n, writers*rounds)
	}
}

func TestSQLiteSettings(t *testing.T) {
	db := open(t, storetest.SQLite(t))
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1"} {
		read := func(tx *sqldb.Tx) error {
			var got string
			if err := tx.QueryRow("pragma " + pragma).Scan(&got); err != nil {
				return err
			}
			if got != want {
				return fmt.Errorf("pragma %s is %s, want %s", pragma, got, want)
			}
			return nil
		}
		if err := errors.Join(db.View(context.Background(), read), db.Update(context.Background(), read)); err != nil {
			t.Error(err)
		}
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{"": "", "a": "a", "a\x00b\x00": "a\uFFFDb\uFFFD", "a\xff": "a\uFFFD", "\xed\xa0\x80": "\uFFFD", "\uFFFD": "\uFFFD"} {
		if got := sqldb.Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSameStatementWithinItself(t *testing.T) {
	db := open(t, storetest.SQLite(t)) // PostgreSQL's protocol has one query at a time
	exec(t, db, "create table x (n integer)")
	exec(t, db, "insert into x values (1), (2), (3)")
	pairs := 0
	err := db.Update(context.Background(), func(tx *sqldb.Tx) error {
		const query = "select n from x"
		return tx.Each(func(sqldb.Scanner) error {
			return tx.Each(func(sqldb.Scanner) error { pairs++; return nil }, query)
		}, query)
	})
	if err != nil || pairs != 9 {
		t.Errorf("%d pairs, %v; want 9", pairs, err)
	}
}

func TestStatementsFollowTheSchemaAndAreBounded(t *testing.T) {
	db := open(t, storetest.SQLite(t))
	exec(t, db, "create table x (n integer)")
	exec(t, db, "insert into x values (1)")
	for i := range 3 {
		if n := number(t, db, "select count(*) from x"); n != 1 {
			t.Errorf("%d rows, want 1", n)
		}
		exec(t, db, fmt.Sprintf("alter table x add column c%d integer", i))
	}
	for i := range 1000 {
		if n := number(t, db, fmt.Sprintf("select %d", i)); n != int64(i) {
			t.Errorf("select %d = %d", i, n)
		}
	}
	exec(t, db, "drop table x")
	err := db.View(context.Background(), func(tx *sqldb.Tx) error { return tx.QueryRow("select count(*) from x").Scan(new(int)) })
	if err == nil {
		t.Error("a table that was dropped can be read")
	}
}
