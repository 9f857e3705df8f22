// Package outfeed publishes cleaned feeds: Atom, RSS and JSON Feed with one entry for each article, under ids that never
// change.
package outfeed
