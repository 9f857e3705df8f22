-- What people change afterwards, with what it takes to undo it, and stories: the same article in several feeds.
-- +goose Up

insert into sequences (name, last) values ('stories', 0), ('amendments', 0);

-- An entry that a person merged into another one is kept, and shown nowhere.
alter table entries add column merged_into integer references entries;
create index entries_merged on entries (merged_into) where merged_into is not null;

-- A version comes back exactly as it was. Null: it was replaced before these columns were there.
alter table entry_versions add column item_guid text;
alter table entry_versions add column item_title text; -- as published; null: as title
alter table entry_versions add column permalink integer;
alter table entry_versions add column orig_url text;
alter table entry_versions add column lang text;
alter table entry_versions add column published_at integer;
alter table entry_versions add column updated_at integer;

alter table verdicts add column who text not null default '';
alter table verdicts add column rule text not null default ''; -- of the decision that the person contradicted

-- What a person did, append-only but for being undone.
create table amendments (
  id          integer primary key,
  at          integer not null,
  who         text not null,
  kind        text not null check (kind in ('split', 'merge', 'join', 'leave', 'policy')),
  feed_id     integer not null,
  a           integer not null,             -- the entry that stays, or leaves; 0: none
  b           integer not null,             -- the entry that was split off, merged or joined; 0: none
  decision_id integer not null,             -- that was contradicted; 0: none
  rule        text not null,                -- of that decision
  note        text not null,                -- a sentence for a person
  before      text not null,                -- JSON: what undoing puts back
  undone_at   integer,
  undone_by   text not null default ''
) strict;
create index amendments_a on amendments (a, id desc) where a <> 0;
create index amendments_b on amendments (b, id desc) where b <> 0;
create index amendments_feed on amendments (feed_id, id desc);

-- Items held by policy, one row for each identity, and what a person said.
create table quarantine (
  feed_id     integer not null,
  identity    blob not null check (length(identity) = 16), -- the item's first identity key
  decision_id integer not null,             -- of its latest arrival
  held_at     integer not null,             -- when it was held first
  state       text not null check (state in ('open', 'accepted', 'rejected')),
  closed_at   integer,
  who         text not null default '',
  entry_id    integer not null default 0,   -- what it became
  primary key (feed_id, identity)
) strict, without rowid;
create unique index quarantine_decision on quarantine (decision_id);
create index quarantine_open on quarantine (decision_id desc) where state = 'open';

create table stories (
  id         integer primary key,
  at         integer not null,
  changed_at integer not null               -- when the last article joined
) strict;
create index stories_newest on stories (changed_at desc, id desc);

create table story_members (
  entry_id integer primary key references entries on delete cascade, -- in one story at most
  story_id integer not null references stories,
  feed_id  integer not null,
  kind     text not null check (kind in ('member', 'about')),
  at       integer not null,                -- when it joined
  told     integer not null,                -- it was told to destinations
  rule     text not null,                   -- '': it was there first
  joined   integer not null,                -- the entry it was found to be the same as; 0: none
  evidence text not null                    -- JSON of dedup.Evidence; '': none
) strict;
create index story_members_story on story_members (story_id, entry_id);
create index story_members_feed on story_members (feed_id);

-- What new articles of other feeds are found by, for 30 days.
create table story_marks (
  mark     integer not null,                -- of dedup.StoryMarks
  entry_id integer not null,
  feed_id  integer not null,
  at       integer not null,                -- when the entry was first seen
  primary key (mark, entry_id)
) strict, without rowid;
create index story_marks_at on story_marks (at);
