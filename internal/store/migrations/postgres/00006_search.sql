-- What articles are found by. It is filled behind the documents, never in their transactions.
-- +goose Up

-- How far the index is, in one row, which is locked by who fills it; none: it was not begun.
create table search_state (
  id      bigint primary key check (id = 1),
  version bigint not null, -- of the words: query.Version
  seq     bigint not null, -- changes up to this one are in the index
  below   bigint not null  -- of the entries that were there before it, those below this one are not; 0: all are
);

-- In all lists, entries are in the order of doc: seconds of their time, then their number. The words are as internal/query has
-- them. "_" stands where a phrase ends, and _fN for the feed N.
create table search_entries (
  entry_id bigint primary key,
  doc      bigint not null,
  feed_id  bigint not null,
  words    tsvector not null
);
create index search_entries_doc on search_entries (doc desc, entry_id);
create index search_entries_words on search_entries using gin (words) with (gin_pending_list_limit = 1024); -- kB that each search reads
