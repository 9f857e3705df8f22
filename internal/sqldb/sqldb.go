// Package sqldb opens SQLite or PostgreSQL and runs transactions. It knows no table.
package sqldb
