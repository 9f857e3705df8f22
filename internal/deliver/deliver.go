// Package deliver sends what the outbox holds.
package deliver
