-- What articles are found by. It is filled behind the documents, never in their transactions.
-- +goose Up

-- How far the index is, in one row; none: it was not begun.
create table search_state (
  id      integer primary key check (id = 1),
  version integer not null, -- of the words: query.Version
  seq     integer not null, -- changes up to this one are in the index
  below   integer not null  -- of the entries that were there before it, those below this one are not; 0: all are
) strict;

-- What is in the index. In all lists, entries are in the order of doc: seconds of their time, then their number.
create table search_entries (
  entry_id integer primary key,
  doc      integer not null unique, -- rowid of search_words
  feed_id  integer not null
) strict;

-- The words as internal/query has them, with a space between, and nothing else: no text is kept here. "_" stands where a
-- phrase ends, and _fN for the feed N.
create virtual table search_words using fts5(
  words, content = '', contentless_delete = 1, prefix = '2 3', tokenize = "ascii tokenchars '_'"
);
