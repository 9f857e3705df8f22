package sqldb

import (
	"context"
	"database/sql/driver"
)

// maxStatements bounds the prepared statements of a connection. The program has about a hundred, filters make a few more.
const maxStatements = 256

// preparing is a connector to SQLite whose connections keep their prepared statements, as pgx does for PostgreSQL: the
// driver by itself parses and plans a statement each time it is run, which takes longer than to run most of them.
type preparing struct{ driver.Connector }

func (p preparing) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := p.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &preparingConn{sqliteConn: conn.(sqliteConn), statements: map[string]*statement{}}, nil
}

// sqliteConn is what the driver's connections implement.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// preparingConn is used by one goroutine at a time, as database/sql sees to.
type preparingConn struct {
	sqliteConn
	statements map[string]*statement
}

type statement struct {
	driver.Stmt
	reading bool // its rows are not read to the end yet: it cannot be run again
}

// Unwrap returns the driver's connection.
func (c *preparingConn) Unwrap() driver.Conn { return c.sqliteConn }

// prepared returns the statement of a query, or nil where it is being read.
func (c *preparingConn) prepared(ctx context.Context, query string) (*statement, error) {
	if s, ok := c.statements[query]; ok {
		if s.reading {
			return nil, nil
		}
		return s, nil
	}
	if len(c.statements) >= maxStatements {
		for query, s := range c.statements {
			if !s.reading {
				s.Close()
				delete(c.statements, query)
			}
		}
	}
	prepared, err := c.sqliteConn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	s := &statement{Stmt: prepared}
	c.statements[query] = s
	return s, nil
}

func (c *preparingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.sqliteConn.ExecContext(ctx, query, args)
	}
	return s.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
}

func (c *preparingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.sqliteConn.QueryContext(ctx, query, args)
	}
	rows, err := s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	s.reading = true
	return &preparedRows{Rows: rows, of: s}, nil
}

// Close closes the statements, and the connection.
func (c *preparingConn) Close() error {
	for _, s := range c.statements {
		s.Close()
	}
	clear(c.statements)
	return c.sqliteConn.Close()
}

// preparedRows give their statement back when they are closed.
type preparedRows struct {
	driver.Rows
	of *statement
}

func (r *preparedRows) Close() error {
	r.of.reading = false
	return r.Rows.Close()
}
