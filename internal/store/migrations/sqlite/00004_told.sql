-- Who is told what, how far that is, and the log of what happened.
-- +goose Up

insert into sequences (name, last) values ('destinations', 0), ('deliveries', 0), ('brakes', 0), ('notices', 0), ('changes', 0), ('outputs', 0);

-- Small things the program remembers of itself, such as the name by which this database is known to others.
create table facts (
  name  text primary key,
  value text not null
) strict, without rowid;

-- The database was restored from a backup: the next document of the feed is stored, and told to nobody.
alter table feed_docs add column restored integer not null default 0;

create table destinations (
  id          integer primary key,
  name        text not null unique,
  kind        text not null,
  state       text not null check (state in ('active', 'paused', 'disabled')),
  config      text not null, -- JSON object
  secrets     blob not null,            -- JSON object, sealed; empty: none
  route       text not null, -- JSON of feedonce.Route
  created_at  integer not null,
  last_ok_at  integer,
  error       text not null default '',
  error_at    integer,
  errors      integer not null default 0,
  open_until  integer,                    -- circuit breaker
  next_at     integer not null default 0, -- token bucket: when the bucket will be full again
  wake_at     integer,                    -- for when a job is queued that sends; null: none is
  lease_until integer not null default 0, -- one process at a time sends
  fence       integer not null default 0  -- counted up by every lease
) strict;

create table deliveries (
  id             integer primary key,
  destination_id integer not null references destinations on delete cascade,
  kind           text not null check (kind in ('new', 'update', 'notice')),
  entry_id       integer not null,           -- 0: none
  feed_id        integer not null,           -- 0: none
  revision       integer not null,
  state          text not null check (state in ('pending', 'sending', 'sent', 'retry', 'unknown', 'dead', 'skipped', 'held')),
  batch          integer not null default 0, -- one message; 0: a message of its own
  brake_id       integer not null default 0, -- 0: none
  attempts       integer not null default 0,
  created_at     integer not null,
  due_at         integer not null,
  done_at        integer,
  note           text not null default '',
  unique (destination_id, entry_id, kind, revision)
) strict;
create index deliveries_due on deliveries (destination_id, due_at, id) where state in ('pending', 'retry');
create index deliveries_sending on deliveries (destination_id, id) where state = 'sending';
create index deliveries_state on deliveries (state, id desc);
create index deliveries_entry on deliveries (entry_id) where entry_id <> 0;
create index deliveries_brake on deliveries (brake_id) where brake_id <> 0;

create table delivery_attempts (
  delivery_id integer not null references deliveries on delete cascade,
  n           integer not null,
  at          integer not null,
  took        integer not null,           -- microseconds
  status      integer not null,          -- 0: no answer
  excerpt     text not null, -- of the answer
  error       text not null, -- '': accepted
  primary key (delivery_id, n)
) strict, without rowid;

create table brakes (
  id        integer primary key,
  feed_id   integer not null,
  at        integer not null,
  count     integer not null,
  usual     real not null,
  state     text not null check (state in ('open', 'released', 'digested', 'discarded')),
  closed_at integer,
  who       text not null default ''
) strict;
create index brakes_open on brakes (id desc) where state = 'open';

create table notices (
  id             integer primary key,
  at             integer not null,
  kind           text not null,
  feed_id        integer not null, -- 0: none
  destination_id integer not null, -- 0: none
  txt            text not null
) strict;

-- What happened to articles, in one order: seq is given under the lock that ends every transaction which writes here.
create table changes (
  seq      integer primary key,
  at       integer not null,
  kind     text not null,
  feed_id  integer not null,
  entry_id integer not null,
  other_id integer not null, -- 0: none
  revision integer not null
) strict;

create index changes_entry on changes (entry_id, seq);
create index changes_gone on changes (seq desc) where kind in ('article.merged', 'article.withdrawn');

create table change_cursors (
  consumer text primary key,
  seq      integer not null,
  at       integer not null
) strict, without rowid;

create table outputs (
  id         integer primary key,
  name       text not null unique,
  token_hash blob not null unique check (length(token_hash) = 32), -- SHA-256
  token      blob not null,            -- sealed, to be shown again
  selection  text not null, -- JSON of feedonce.Selection
  once_feed_id integer not null, -- its feed, where stories stand in one of such outputs; 0: none
  created_at integer not null
) strict;
create unique index outputs_once on outputs (once_feed_id) where once_feed_id <> 0;
