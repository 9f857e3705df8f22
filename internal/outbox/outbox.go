// Package outbox decides who is told of what a document brought, and writes it down in the transaction that stores the
// document: one row for each destination and article, which the database keeps unique. Sending is for internal/deliver.
package outbox
