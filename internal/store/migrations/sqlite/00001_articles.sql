-- Feeds, their entries, what identifies them, and what was decided.
--
-- Times are UTC microseconds since 1970; null is never. Text is compared byte by byte. No table is autoincrement, which
-- would write at every statement, also at one that inserts nothing; the IDs that people and programs hold on to come
-- from the table sequences instead, and are not used again after their row is gone.
-- +goose Up

create table sequences (
  name text primary key,
  last integer not null
) strict, without rowid;
insert into sequences (name, last) values ('feeds', 0), ('entries', 0), ('decisions', 0);

create table feeds (
  id          integer primary key,
  url         text not null,
  url_key     text not null,                -- canonical and without scheme: http and https are one feed
  url_hash    blob not null unique check (length(url_hash) = 16), -- of url_key
  title       text not null default '',
  site_url    text not null default '',
  folder      text not null default '',
  format      text not null default '',
  state       text not null default 'active' check (state in ('active', 'paused', 'gone')),
  policy      text not null default '',     -- JSON of dedup.Policy
  added_at    integer not null,
  first_ok_at integer,
  last_ok_at  integer,
  error       text not null default '',
  error_at    integer,
  errors      integer not null default 0,
  warning     text not null default '',
  moved_to    text not null default '',
  moved_seen  integer not null default 0
) strict;

-- Narrow, as it is rewritten at every poll.
create table feed_schedule (
  feed_id      integer primary key references feeds on delete cascade,
  interval_us  integer not null,
  floor_us     integer not null default 0,
  last_new_at  integer,
  next_poll_at integer,                     -- null: not polled (paused, gone)
  last_poll_at integer,
  lease_until  integer,
  fence        integer not null default 0   -- counted up by every lease
) strict;

-- The last document. Apart from its state, as validators change alone when a document changes in nothing that counts.
create table feed_docs (
  feed_id       integer primary key references feeds on delete cascade,
  seq           integer not null default 0, -- compare-and-swap: one decided document at a time
  etag          text not null default '',
  last_modified text not null default '',
  body_hash     blob
) strict;

create table feed_states (
  feed_id integer primary key references feeds on delete cascade,
  state   blob not null                     -- dedup.State
) strict;

create table entries (
  id            integer primary key,
  feed_id       integer not null references feeds,
  guid          text not null,              -- as published when first seen
  url           text not null,
  title         text not null,              -- plain text
  author        text not null,
  lang          text not null,
  published_at  integer,
  updated_at    integer,
  first_seen_at integer not null,
  changed_at    integer not null,
  sort_at       integer not null,           -- feedonce.Entry.Time
  strict        blob not null check (length(strict) = 16),
  ring          blob not null check (length(ring) <= 64 and length(ring) % 8 = 0),
  content_key   blob check (length(content_key) = 16), -- null where the content is too little to tell
  marks         blob not null check (length(marks) % 8 = 0), -- the entry's rows in entry_marks
  revision      integer not null default 1,
  streak        integer not null default 0,
  purged        integer not null default 0
) strict;
create unique index entries_content on entries (feed_id, content_key) where content_key is not null;
create index entries_newest on entries (sort_at desc, id desc);
create index entries_feed_newest on entries (feed_id, sort_at desc, id desc);

-- What is long, and what only dedup needs: an item comes back exactly as it was written.
create table entry_bodies (
  entry_id   integer primary key references entries on delete cascade,
  item_guid  text,                          -- of the latest version; null: as entries.guid
  item_title text,                          -- as published; null: as entries.title
  permalink  integer not null,
  orig_url   text not null,
  invalid    text not null,
  enclosures text,                          -- JSON; null: none
  categories text,                          -- JSON; null: none
  summary    text not null,
  content    text not null
) strict;

create table entry_versions (
  entry_id    integer not null references entries on delete cascade,
  revision    integer not null,
  replaced_at integer not null,
  url         text not null,
  title       text not null,
  author      text not null,
  enclosures  text,
  summary     text not null,
  content     text not null,
  primary key (entry_id, revision)
) strict;

-- One identity, one entry. Keys outlive the texts of their entry.
create table entry_keys (
  feed_id       integer not null,
  kind          integer not null,           -- dedup.KeyKind
  key_hash      blob not null check (length(key_hash) = 16),
  entry_id      integer not null references entries on delete cascade,
  key_text      text not null,
  first_seen_at integer not null,
  primary key (feed_id, kind, key_hash)
) strict, without rowid;
create index entry_keys_entry on entry_keys (entry_id);

create table entry_marks (
  feed_id  integer not null,
  mark     integer not null,                -- dedup.Mark
  entry_id integer not null,
  primary key (feed_id, mark, entry_id)
) strict, without rowid;

-- Append-only. What was suppressed keeps what arrived, and is recorded once, however often it comes.
create table decisions (
  id        integer primary key,
  at        integer not null,
  feed_id   integer not null,
  entry_id  integer not null,               -- 0: none
  outcome   text not null,
  rule      text not null,
  guid      text not null,
  url       text not null,
  title     text not null,
  evidence  text not null,                  -- JSON of dedup.Evidence
  arrival   text,                           -- JSON of dedup.Item where suppressed
  item_hash blob not null check (length(item_hash) = 16), -- of that JSON
  told      integer not null,
  quiet     text not null
) strict;
create unique index decisions_once on decisions (feed_id, item_hash, outcome, entry_id) where arrival is not null;
create index decisions_feed on decisions (feed_id, id desc);
create index decisions_entry on decisions (entry_id, id desc) where entry_id <> 0;

-- Arrivals by outcome and hour.
create table feed_hours (
  feed_id     integer not null,
  hour        integer not null,             -- when it began
  new         integer not null default 0,
  updated     integer not null default 0,
  unchanged   integer not null default 0,
  duplicate   integer not null default 0,
  quarantined integer not null default 0,
  invalid     integer not null default 0,
  primary key (feed_id, hour)
) strict, without rowid;
create index feed_hours_hour on feed_hours (hour);

-- What a person said of two entries, for ever.
create table verdicts (
  a    integer not null references entries on delete cascade,
  b    integer not null references entries on delete cascade,
  same integer not null,
  at   integer not null,
  primary key (a, b),
  check (a < b)
) strict, without rowid;
create index verdicts_b on verdicts (b);
