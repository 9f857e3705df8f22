package store

import (
	"strconv"
	"strings"

	"feedonce"
)

// where collects the conditions of a filter.
type where struct {
	conditions []string
	args       []any
}

// add adds a condition with "?" for each argument.
func (w *where) add(condition string, args ...any) {
	for _, arg := range args {
		w.args = append(w.args, arg)
		condition = strings.Replace(condition, "?", "$"+strconv.Itoa(len(w.args)), 1)
	}
	w.conditions = append(w.conditions, condition)
}

// follows adds the condition that a column is a feed that a user follows; user 0 is no condition.
func (w *where) follows(column string, user feedonce.UserID) {
	if user != 0 {
		w.add(column+" in (select feed_id from subscriptions where user_id = ?)", int64(user))
	}
}

// String returns the where clause, or nothing where there is no condition.
func (w *where) String() string {
	if len(w.conditions) == 0 {
		return ""
	}
	return " where " + strings.Join(w.conditions, " and ")
}

// limit returns the limit clause; 0 is the default page of 50.
func (w *where) limit(n int) string {
	if n <= 0 {
		n = 50
	}
	w.args = append(w.args, n)
	return " limit $" + strconv.Itoa(len(w.args))
}

// places returns n question marks with commas between them.
func places(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }
