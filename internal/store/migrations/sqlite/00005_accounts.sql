-- People: who they are, what they follow, and what they have read.
-- +goose Up

insert into sequences (name, last) values ('users', 0), ('tokens', 0);

create table users (
  id          integer primary key,
  name        text not null,
  name_key    text not null unique,         -- by which it is found: in lower case
  role        text not null check (role in ('admin', 'reader')),
  password    text not null,                -- argon2id, in PHC form; '': none is set
  settings    text not null default '',     -- JSON of feedonce.Settings
  created_at  integer not null,
  disabled_at integer,                      -- when signing in was forbidden
  seen_at     integer                       -- signed in last
) strict;

create table sessions (
  token_hash text primary key,              -- of the cookie's value, SHA-256
  user_id    integer references users on delete cascade, -- null: nobody signed in
  data       blob not null,
  created_at integer not null,
  expires_at integer not null
) strict, without rowid;
create index sessions_user on sessions (user_id);
create index sessions_expire on sessions (expires_at);

-- Addresses that sign in once: to set up, and for who forgot the password.
create table links (
  hash       blob primary key check (length(hash) = 32), -- SHA-256
  user_id    integer references users on delete cascade, -- null: to set up
  expires_at integer not null
) strict, without rowid;

create table tokens (
  id         integer primary key,
  user_id    integer not null references users on delete cascade,
  kind       text not null check (kind in ('token', 'app')),
  name       text not null,
  writes     integer not null,              -- it may change things
  hash       blob not null unique check (length(hash) = 32), -- SHA-256
  created_at integer not null,
  used_at    integer                        -- to the hour
) strict;
create index tokens_user on tokens (user_id);

create table subscriptions (
  user_id  integer not null references users on delete cascade,
  feed_id  integer not null references feeds on delete cascade,
  title    text not null default '',        -- '': the feed's own
  folder   text not null default '',
  added_at integer not null,
  primary key (user_id, feed_id)
) strict, without rowid;
create index subscriptions_feed on subscriptions (feed_id);

-- What a person has not read, of the feeds that they follow. Of a story, each copy in one of them has a row, all with the same
-- group, and what is read is read of all.
create table unread (
  user_id  integer not null references users on delete cascade,
  entry_id integer not null references entries on delete cascade,
  feed_id  integer not null,
  sort_at  integer not null,                -- of the entry
  group_id integer not null,                -- the entry that stands for the story, else the entry itself
  primary key (user_id, entry_id)
) strict, without rowid;
create index unread_newest on unread (user_id, sort_at desc, entry_id desc);
create index unread_feed on unread (user_id, feed_id, sort_at desc, entry_id desc);
create index unread_group on unread (user_id, group_id);
create index unread_entry on unread (entry_id);

create table entry_states (
  user_id    integer not null references users on delete cascade,
  entry_id   integer not null references entries on delete cascade,
  read_at    integer,                       -- opened, or marked as read, by itself
  revision   integer not null default 0,    -- that was read
  starred_at integer,
  primary key (user_id, entry_id)
) strict, without rowid;
create index entry_states_read on entry_states (user_id, read_at desc, entry_id desc) where read_at is not null;
create index entry_states_starred on entry_states (user_id, starred_at desc, entry_id desc) where starred_at is not null;
create index entry_states_entry on entry_states (entry_id);
