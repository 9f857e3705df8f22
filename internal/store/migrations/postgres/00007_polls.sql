-- What became of polls, and arrivals by day: the figures of the dashboard and of the list of feeds.
-- +goose Up

-- The last 20 polls, three bits each, the latest in the lowest: see store.Recent. The row is rewritten by every claim
-- anyway, and no index has the column, so that the update stays HOT.
alter table feed_schedule add column recent bigint not null default 0;

-- What is counted of all feeds together, by hour: a few rows an hour, however many feeds are polled.
create table poll_hours (
  hour bigint not null,                                  -- when it began
  what text collate "C" not null,                        -- store.Measure
  n    bigint not null,
  primary key (hour, what)
) with (fillfactor = 80);

-- Polls that stored something or failed, the last 30 of a feed.
create table polls (
  feed_id     bigint not null references feeds on delete cascade,
  at          bigint not null,
  outcome     bigint not null,                           -- store.PollOutcome
  status      bigint not null,                           -- of HTTP; 0: no answer
  wire        bigint not null,                           -- bytes received
  took        bigint not null,                           -- microseconds until the answer was there
  new         bigint not null,
  updated     bigint not null,
  unchanged   bigint not null,
  duplicate   bigint not null,
  quarantined bigint not null,
  invalid     bigint not null,
  error_kind  text collate "C" not null,                 -- '': it went well
  error       text collate "C" not null,
  primary key (feed_id, at)
);

-- feed_hours added up, so that a month of many feeds is few rows.
create table feed_days (
  feed_id     bigint not null references feeds on delete cascade,
  day         bigint not null,                           -- when it began, in UTC
  new         bigint not null default 0,
  updated     bigint not null default 0,
  unchanged   bigint not null default 0,
  duplicate   bigint not null default 0,
  quarantined bigint not null default 0,
  invalid     bigint not null default 0,
  primary key (day, feed_id)
) with (fillfactor = 80);
create index feed_days_feed on feed_days (feed_id, day);
insert into feed_days (feed_id, day, new, updated, unchanged, duplicate, quarantined, invalid)
  select feed_id, hour - hour % 86400000000, sum(new), sum(updated), sum(unchanged), sum(duplicate), sum(quarantined), sum(invalid)
  from feed_hours group by feed_id, hour - hour % 86400000000;

create index decisions_duplicate on decisions (at, rule, feed_id) where outcome = 'duplicate';
