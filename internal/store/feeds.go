package store

import (
	"cmp"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"feedonce"
	"feedonce/internal/sqldb"
	"feedonce/internal/urls"
)

// NewFeed is what AddFeed needs.
type NewFeed struct {
	URL, Title, SiteURL, Folder string
	Added                       time.Time
}

// firstInterval is a feed's interval until its own habits are known.
const firstInterval = 30 * time.Minute

const feedColumns = `f.id, f.url, f.title, f.site_url, f.folder, f.format, f.state, f.added_at, f.first_ok_at, f.last_ok_at,
	f.error, f.error_at, f.errors, f.warning, f.moved_to, f.moved_seen, f.policy,
	s.next_poll_at, s.last_poll_at, s.interval_us, s.floor_us, s.last_new_at`

// feedTables joins what feedColumns needs.
const feedTables = `feeds f join feed_schedule s on s.feed_id = f.id`

func feedFields(f *feedonce.Feed) []any {
	return []any{&f.ID, &f.URL, &f.Title, &f.SiteURL, &f.Folder, &f.Format, &f.State, at(&f.Added), at(&f.FirstOK), at(&f.LastOK),
		&f.Error, at(&f.ErrorAt), &f.Errors, &f.Warning, &f.MovedTo, &f.MovedSeen, &f.Policy,
		at(&f.Schedule.NextPoll), at(&f.Schedule.LastPoll), span{&f.Schedule.Interval}, span{&f.Schedule.Floor}, at(&f.Schedule.LastNew)}
}

func scanFeed(row sqldb.Scanner) (feedonce.Feed, error) {
	var f feedonce.Feed
	err := row.Scan(feedFields(&f)...)
	return f, err
}

// feedKey is what makes two URLs the same feed, and its hash: the canonical key without the scheme, as a feed is the
// same over http and https. What has no canonical key stands for itself.
func feedKey(url string) (string, []byte) {
	url = strings.TrimSpace(sqldb.Clean(url))
	key, ok := urls.Key(url, nil)
	if !ok {
		key = url
	}
	if scheme, rest, found := strings.Cut(key, "://"); found && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")) {
		key = rest
	}
	sum := sha256.Sum256([]byte(key))
	return key, sum[:16]
}

// AddFeed adds a feed that is due at once. Where the feed is there already (same canonical URL), it returns that and ErrExists.
func (tx *Tx) AddFeed(n NewFeed) (feedonce.Feed, error) {
	if strings.TrimSpace(n.URL) == "" {
		return feedonce.Feed{}, &feedonce.InvalidError{Field: "url", Reason: "must not be empty"}
	}
	if f, err := tx.FeedByURL(n.URL); err == nil {
		return f, fmt.Errorf("feed %s: %w", f.URL, feedonce.ErrExists)
	} else if !errors.Is(err, feedonce.ErrNotFound) {
		return feedonce.Feed{}, err
	}
	ids, err := tx.newIDs("feeds", 1)
	if err != nil {
		return feedonce.Feed{}, fmt.Errorf("add feed %s: %w", n.URL, err)
	}
	id := feedonce.FeedID(ids[0])
	key, hash := feedKey(n.URL)
	inserted, err := tx.Exec(`insert into feeds (id, url, url_key, url_hash, title, site_url, folder, added_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (url_hash) do nothing`,
		id, strings.TrimSpace(n.URL), key, hash, n.Title, n.SiteURL, n.Folder, n.Added.UnixMicro())
	if err != nil {
		return feedonce.Feed{}, fmt.Errorf("add feed %s: %w", n.URL, err)
	}
	if inserted == 0 { // another transaction was faster
		f, err := tx.FeedByURL(n.URL)
		if err != nil {
			return f, err
		}
		return f, fmt.Errorf("feed %s: %w", f.URL, feedonce.ErrExists)
	}
	if _, err := tx.Exec(`insert into feed_schedule (feed_id, next_poll_at, interval_us) values ($1, $2, $3)`,
		id, n.Added.UnixMicro(), firstInterval.Microseconds()); err != nil {
		return feedonce.Feed{}, fmt.Errorf("schedule feed %s: %w", n.URL, err)
	}
	if _, err := tx.Exec(`insert into feed_docs (feed_id) values ($1)`, id); err != nil {
		return feedonce.Feed{}, fmt.Errorf("add feed %s: %w", n.URL, err)
	}
	return tx.Feed(id)
}

// Feed returns a feed, or ErrNotFound.
func (tx *Tx) Feed(id feedonce.FeedID) (feedonce.Feed, error) {
	f, err := scanFeed(tx.QueryRow(`select `+feedColumns+` from `+feedTables+` where f.id = $1`, id))
	return f, found(err, "feed %d", id)
}

// found turns "no rows" into ErrNotFound, and says what was looked for.
func found(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, sql.ErrNoRows) {
		err = feedonce.ErrNotFound
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}

// FeedByURL returns the feed polled at a URL (compared by canonical key), or ErrNotFound.
func (tx *Tx) FeedByURL(url string) (feedonce.Feed, error) {
	_, hash := feedKey(url)
	f, err := scanFeed(tx.QueryRow(`select `+feedColumns+` from `+feedTables+` where f.url_hash = $1`, hash))
	return f, found(err, "feed at %s", url)
}

// Feeds returns all feeds, by folder and name.
func (tx *Tx) Feeds() ([]feedonce.Feed, error) {
	feeds, err := sqldb.All(tx.Tx, scanFeed, `select `+feedColumns+` from `+feedTables)
	if err != nil {
		return nil, fmt.Errorf("feeds: %w", err)
	}
	// Sorted here, as the databases differ in what they take for the same letter in another case.
	slices.SortFunc(feeds, func(a, b feedonce.Feed) int {
		return cmp.Or(
			strings.Compare(strings.ToLower(a.Folder), strings.ToLower(b.Folder)),
			strings.Compare(strings.ToLower(a.Name()), strings.ToLower(b.Name())),
			cmp.Compare(a.ID, b.ID))
	})
	return feeds, nil
}

// RemoveFeed removes a feed with its entries, keys and decisions, or returns ErrNotFound.
func (tx *Tx) RemoveFeed(id feedonce.FeedID) error {
	// The document's row first: it waits for an Apply under way, and later ones find no row to swap.
	removed, err := tx.Exec(`delete from feed_docs where feed_id = $1`, id)
	if err == nil && removed == 0 {
		return fmt.Errorf("feed %d: %w", id, feedonce.ErrNotFound)
	}
	if err == nil {
		err = tx.removeFromStories(id)
	}
	for _, statement := range []string{
		`delete from feed_schedule where feed_id = $1`,
		`delete from feed_states where feed_id = $1`,
		`delete from feed_hours where feed_id = $1`,
		`delete from quarantine where feed_id = $1`,
		`delete from amendments where feed_id = $1`,
		`delete from decisions where feed_id = $1`,
		`delete from entry_marks where feed_id = $1`,
		`delete from entry_keys where feed_id = $1`,
		`delete from entries where feed_id = $1`, // bodies, versions and verdicts go with them
		`delete from feeds where id = $1`,
	} {
		if err == nil {
			_, err = tx.Exec(statement, id)
		}
	}
	if err != nil {
		return fmt.Errorf("remove feed %d: %w", id, err)
	}
	return nil
}

// SetFeedState pauses, resumes or ends polling. A feed that is resumed is due at once.
func (tx *Tx) SetFeedState(id feedonce.FeedID, state feedonce.FeedState) error {
	switch state {
	case feedonce.FeedActive, feedonce.FeedPaused, feedonce.FeedGone:
	default:
		return &feedonce.InvalidError{Field: "state", Reason: fmt.Sprintf("must be active, paused or gone, not %q", state)}
	}
	// A feed that is not polled has no next poll, so that claiming need not look at its state. One that was active
	// already keeps its place.
	n, err := tx.Exec(`update feed_schedule set next_poll_at = case
			when cast($2 as text) <> 'active' then null
			else coalesce(next_poll_at, last_poll_at, (select added_at from feeds where id = $1)) end
		where feed_id = $1`, id, string(state))
	if err == nil && n == 0 {
		return fmt.Errorf("feed %d: %w", id, feedonce.ErrNotFound)
	}
	if err == nil {
		_, err = tx.Exec(`update feeds set state = $2 where id = $1 and state <> $2`, id, string(state))
	}
	if err != nil {
		return fmt.Errorf("set feed %d %s: %w", id, state, err)
	}
	return nil
}

// MoveFeed changes where a feed is polled, and forgets the move's announcement and the old server's validators.
// ErrExists if another feed is polled there.
func (tx *Tx) MoveFeed(id feedonce.FeedID, url string) error {
	if strings.TrimSpace(url) == "" {
		return &feedonce.InvalidError{Field: "url", Reason: "must not be empty"}
	}
	key, hash := feedKey(url)
	if other, err := tx.FeedByURL(url); err == nil && other.ID != id {
		return fmt.Errorf("feed %d is polled at %s: %w", other.ID, other.URL, feedonce.ErrExists)
	} else if err != nil && !errors.Is(err, feedonce.ErrNotFound) {
		return err
	}
	if _, err := tx.Exec(`update feed_docs set etag = '', last_modified = '' where feed_id = $1`, id); err != nil {
		return fmt.Errorf("move feed %d: %w", id, err)
	}
	n, err := tx.Exec(`update feeds set url = $2, url_key = $3, url_hash = $4, moved_to = '', moved_seen = 0 where id = $1`,
		id, strings.TrimSpace(url), key, hash)
	switch {
	case sqldb.IsUnique(err): // another transaction was faster
		return fmt.Errorf("move feed %d to %s: %w", id, url, feedonce.ErrExists)
	case err != nil:
		return fmt.Errorf("move feed %d to %s: %w", id, url, err)
	case n == 0:
		return fmt.Errorf("feed %d: %w", id, feedonce.ErrNotFound)
	}
	return nil
}

// SetMoved records a permanent redirect seen n polls in a row (to "" and 0: none). It writes only what differs.
func (tx *Tx) SetMoved(id feedonce.FeedID, to string, n int) error {
	_, err := tx.Exec(`update feeds set moved_to = $2, moved_seen = $3 where id = $1 and (moved_to <> $2 or moved_seen <> $3)`, id, to, n)
	if err != nil {
		return fmt.Errorf("record that feed %d moved: %w", id, err)
	}
	return nil
}
