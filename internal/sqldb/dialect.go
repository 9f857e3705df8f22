package sqldb

// Dialect is what differs between the databases.
type Dialect string

// The dialects. Their values are what people read in messages and options.
const (
	SQLite     Dialect = "sqlite"
	PostgreSQL Dialect = "postgres"
)

// Greatest is the name of the function that returns the greatest of several values. It returns null on SQLite where
// one value is null, and ignores nulls on PostgreSQL: give it none.
func (d Dialect) Greatest() string {
	if d == PostgreSQL {
		return "greatest"
	}
	return "max"
}

// Least is the name of the function that returns the least of several values; see Greatest.
func (d Dialect) Least() string {
	if d == PostgreSQL {
		return "least"
	}
	return "min"
}

// SkipLocked is the clause of a sub-select that locks the rows it returns and passes over those that another
// transaction has locked. SQLite has one writer, and needs none.
func (d Dialect) SkipLocked() string {
	if d == PostgreSQL {
		return "for update skip locked"
	}
	return ""
}

// Lookup is the join that looks up each row of a batch, on its left, in a table on its right, by an index. SQLite would
// rather read a part of the table and search the batch for each of its rows; a cross join, which may have a condition
// there, says which side comes first.
func (d Dialect) Lookup() string {
	if d == PostgreSQL {
		return "join"
	}
	return "cross join"
}
