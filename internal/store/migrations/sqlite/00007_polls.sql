-- What became of polls, and arrivals by day: the figures of the dashboard and of the list of feeds.
-- +goose Up

-- The last 20 polls, three bits each, the latest in the lowest: see store.Recent. The row is rewritten by every claim
-- anyway.
alter table feed_schedule add column recent integer not null default 0;

-- What is counted of all feeds together, by hour: a few rows an hour, however many feeds are polled.
create table poll_hours (
  hour integer not null, -- when it began
  what text not null,    -- store.Measure
  n    integer not null,
  primary key (hour, what)
) strict, without rowid;

-- Polls that stored something or failed, the last 30 of a feed.
create table polls (
  feed_id     integer not null references feeds on delete cascade,
  at          integer not null,
  outcome     integer not null, -- store.PollOutcome
  status      integer not null, -- of HTTP; 0: no answer
  wire        integer not null, -- bytes received
  took        integer not null, -- microseconds until the answer was there
  new         integer not null,
  updated     integer not null,
  unchanged   integer not null,
  duplicate   integer not null,
  quarantined integer not null,
  invalid     integer not null,
  error_kind  text not null,    -- '': it went well
  error       text not null,
  primary key (feed_id, at)
) strict, without rowid;

-- feed_hours added up, so that a month of many feeds is few rows.
create table feed_days (
  feed_id     integer not null references feeds on delete cascade,
  day         integer not null, -- when it began, in UTC
  new         integer not null default 0,
  updated     integer not null default 0,
  unchanged   integer not null default 0,
  duplicate   integer not null default 0,
  quarantined integer not null default 0,
  invalid     integer not null default 0,
  primary key (day, feed_id)
) strict, without rowid;
create index feed_days_feed on feed_days (feed_id, day);
insert into feed_days (feed_id, day, new, updated, unchanged, duplicate, quarantined, invalid)
  select feed_id, hour - hour % 86400000000, sum(new), sum(updated), sum(unchanged), sum(duplicate), sum(quarantined), sum(invalid)
  from feed_hours group by feed_id, hour - hour % 86400000000;

create index decisions_duplicate on decisions (at, rule, feed_id) where outcome = 'duplicate';
