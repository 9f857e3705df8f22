// Package feedonce has the words of a feed aggregator in which every article arrives exactly once, and none is lost.
//
// A tour of the house, bottom up, in the order in which data flows:
//
//   - feedonce (this package): Feed, Entry, Decision, the errors. Standard library only.
//   - internal/urls: the canonical spelling of a URL, for comparing.
//   - internal/scan: bounds a raw document before any parser sees it, and cuts it into tokens.
//   - internal/format: RSS, Atom, RDF and JSON Feed into one Document.
//   - dedup: the heart. It judges a whole document at once, with what is known of the feed, and returns one decision
//     for every item: new, updated, unchanged, duplicate, quarantined or invalid, with rule and evidence. Pure
//     functions: no I/O, no clock, no SQL. Importable by anyone.
//   - internal/fetch: the only outbound HTTP client: polite, bounded, guarded against private addresses.
//   - internal/sqldb: opens SQLite or PostgreSQL and runs transactions; knows no table.
//   - internal/jobs: background work that a transaction makes necessary, queued in it.
//   - internal/query: what a person types to find articles, and the words of texts. Pure.
//   - internal/store: all SQL, by subject.
//   - internal/outbox: what of a document is told to whom, written in the transaction that stores it.
//   - internal/ingest: takes one fetched document through format, dedup and store, in one transaction; if nothing
//     changed, in none.
//   - internal/amend: what people change afterwards: policies, held items, splits and merges, and undoing them.
//   - internal/poll: who is due, claiming, politeness, running ingest.
//   - internal/deliver: sends what the outbox holds: at least once, in order, paced. internal/dest: how each kind of
//     endpoint is spoken to. internal/secret: seals what must not be read from a stolen database.
//   - internal/outfeed: cleaned feeds, one entry per article.
//   - internal/sanitize, internal/opml: untrusted HTML to safe HTML; subscription lists.
//   - internal/explain: why an article is here, or an arrival is not, in words: one answer for all doors.
//   - internal/shape: the JSON of articles, decisions and explanations, one shape for API and command line.
//   - internal/chart: figures as SVG.
//   - internal/web: the browser's door. internal/api: the programs' door. internal/guard: what both let in.
//   - internal/demo: a town of misbehaving publishers, to watch and to test with.
//   - internal/evolve, internal/replay: simulated and real feed histories with known truth, to measure the decisions.
//   - cmd/feedonce: the command line, which knows all of these.
//
// Who may import whom is enforced by imports_test.go.
package feedonce
