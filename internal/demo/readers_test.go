package demo_test

import (
	"database/sql"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mmcdole/gofeed"

	"feedonce"
	"feedonce/internal/demo"
	"feedonce/internal/fetch"
	"feedonce/internal/outfeed"
	"feedonce/internal/poll"
	"feedonce/internal/secret"
	"feedonce/internal/store/storetest"
)

// readerRounds is how often publishers are polled, and readers read: each script's trouble has come by then.
const readerRounds = 7

// TestReaders has readers that nobody here wrote read an output feed of all publishers while those misbehave: newsboat, sfeed and
// rss2email from Debian, as Atom and RSS, and gofeed for JSON Feed, which none of them reads. In the end each shows every
// article exactly once, with what two publishers print alike once for both.
func TestReaders(t *testing.T) {
	for _, tool := range []string{"newsboat", "sfeed_update", "curl", "r2e"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("%s is needed to read feeds as people do (scripts/test-tools installs it): %v", tool, err)
		}
	}
	s := storetest.Open(t, storetest.SQLite(t))
	start := time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC)
	site := demo.NewSite(demo.Publishers(start, time.Hour))
	town := httptest.NewServer(site)
	t.Cleanup(town.Close)
	var clock atomic.Int64 // hours since start
	now := func() time.Time { return start.Add(time.Duration(clock.Load())*time.Hour + 30*time.Minute) }
	client := fetch.New(fetch.Options{AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	t.Cleanup(client.Close)
	p := poll.New(poll.Options{Store: s, Client: client, Now: now})
	feeds := make([]feedonce.FeedID, len(site.Publishers))
	for i, pub := range site.Publishers {
		feeds[i] = follow(t, s, town.URL+demo.Path(pub.Name), start)
	}

	answers := &answers{byReader: map[string]map[int]int{}}
	srv := httptest.NewServer(answers.count(outfeed.Handler(outfeed.Options{Store: s, Now: now})))
	t.Cleanup(srv.Close)
	box := secret.New([secret.KeySize]byte{1}, "the test")
	o, err := outfeed.Add(t.Context(), s, box, feedonce.Output{Name: "Everything", Created: start})
	if err != nil {
		t.Fatal(err)
	}
	at := map[outfeed.Form]string{}
	for _, form := range outfeed.Forms {
		if at[form], err = outfeed.Address(srv.URL, o, form, box); err != nil {
			t.Fatal(err)
		}
	}
	readers := []reader{
		newNewsboat(t, "newsboat, Atom", at[outfeed.Atom]), newNewsboat(t, "newsboat, RSS", at[outfeed.RSS]),
		newSfeed(t, at[outfeed.Atom], at[outfeed.RSS]), newRSS2Email(t, at[outfeed.Atom], at[outfeed.RSS]), newJSONReader(at[outfeed.JSON]),
	}
	readAll := func() {
		t.Helper()
		var group sync.WaitGroup
		for _, r := range readers {
			group.Go(func() {
				if err := r.read(t); err != nil {
					t.Errorf("%T: %v", r, err)
				}
			})
		}
		group.Wait()
	}
	for round := range readerRounds {
		clock.Store(int64(round + 8))
		for i, feed := range feeds {
			if r, err := p.Poll(t.Context(), feed); r.Status == "" {
				t.Fatalf("poll %d of %s was not made: %v", round, site.Publishers[i].Name, err)
			}
		}
		readAll()
	}
	readAll() // nothing new, which is said to those that ask for it
	if t.Failed() {
		return
	}

	first, last := articlesOf(site.Publishers)
	for _, r := range readers {
		for name, got := range r.shown(t) {
			want := last
			if strings.HasPrefix(name, "rss2email") {
				want = first // a mail that was sent stays as it was
			}
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s shows %d articles of %d there are (-lost +repeated):\n%s", name, len(got), len(want), diff)
			}
		}
	}
	for _, agent := range []string{"newsboat", "feedparser"} {
		if n := answers.byReader[agent]; n[http.StatusNotModified] < 2 || n[http.StatusOK] < 2*readerRounds {
			t.Errorf("%s (rss2email's is feedparser) reads two feeds, and was answered %v: the last time nothing was new", agent, n)
		}
	}
	t.Logf("%d articles of %d publishers; answers by reader: %v", len(last), len(site.Publishers), answers.byReader)
}

// articlesOf returns the titles of all articles that were published, in their first and in their latest versions, sorted. What the
// cross-posting publishers print is one.
func articlesOf(publishers []*demo.Publisher) (first, last []string) {
	for _, p := range publishers {
		if p.Name == "cross-post-b" {
			continue
		}
		firsts, lasts := map[int]string{}, map[int]string{}
		for round := range readerRounds {
			for k, title := range p.Edition(round).Articles {
				if _, there := firsts[k]; !there {
					firsts[k] = title
				}
				lasts[k] = title
			}
		}
		for k := range firsts {
			first, last = append(first, firsts[k]), append(last, lasts[k])
		}
	}
	slices.Sort(first)
	slices.Sort(last)
	return first, last
}

// answers counts what readers are answered.
type answers struct {
	mu       sync.Mutex
	byReader map[string]map[int]int
}

func (a *answers) count(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := &statusRecorder{ResponseWriter: w, status: http.StatusOK}
		h.ServeHTTP(rec, r)
		agent, _, _ := strings.Cut(r.UserAgent(), "/")
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.byReader[agent] == nil {
			a.byReader[agent] = map[int]int{}
		}
		a.byReader[agent][rec.status]++
	})
}

type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (r *statusRecorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// A reader reads output feeds, and shows what it has read: titles, by a name for the messages of a test.
type reader interface {
	read(*testing.T) error
	shown(*testing.T) map[string][]string
}

// command runs a reader with a home of its own.
func command(t *testing.T, home, name string, args ...string) error {
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = home
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TZ=UTC"}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return nil
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// newsboat knows entries by their ids over all feeds, so that each form has one of its own.
type newsboat struct{ name, home string }

func newNewsboat(t *testing.T, name, address string) *newsboat {
	n := &newsboat{name, t.TempDir()}
	write(t, n.home, "urls", address+"\n")
	write(t, n.home, "config", "reload-threads 1\n")
	return n
}

func (n *newsboat) read(t *testing.T) error {
	return command(t, n.home, "newsboat", "-C", "config", "-u", "urls", "-c", "cache.db", "-x", "reload")
}

func (n *newsboat) shown(t *testing.T) map[string][]string {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(n.home, "cache.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(`select title from rss_item where deleted = 0`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var title string
		if err := rows.Scan(&title); err != nil {
			t.Fatal(err)
		}
		all = append(all, title)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return map[string][]string{n.name: all}
}

// sfeed keeps lines of tab-separated values, and those that differ in id, title or link are two; docs/output-feeds.md says how to
// have it go by ids alone, as is done here.
type sfeed struct{ home string }

func newSfeed(t *testing.T, atom, rss string) *sfeed {
	s := &sfeed{t.TempDir()}
	write(t, s.home, "sfeedrc", fmt.Sprintf(`sfeedpath="$HOME/feeds"
merge() { sort -t '	' -u -k6,6 "$3" "$2" 2>/dev/null; }
feeds() {
	feed "Atom" '%s'
	feed "RSS" '%s'
}
`, atom, rss))
	return s
}

func (s *sfeed) read(t *testing.T) error { return command(t, s.home, "sfeed_update", "sfeedrc") }

func (s *sfeed) shown(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, form := range []string{"Atom", "RSS"} {
		text, err := os.ReadFile(filepath.Join(s.home, "feeds", form))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			fields := strings.Split(line, "\t")
			all["sfeed, "+form] = append(all["sfeed, "+form], fields[1])
		}
	}
	return all
}

// rss2email sends a mail for each entry, here into folders.
type rss2email struct{ home string }

func newRSS2Email(t *testing.T, atom, rss string) *rss2email {
	r := &rss2email{t.TempDir()}
	write(t, r.home, "r2e.cfg", fmt.Sprintf(`[DEFAULT]
from = feeds@once.example
to = reader@once.example
email-protocol = maildir
maildir-path = %s
[feed.Atom]
url = %s
maildir-mailbox = Atom
[feed.RSS]
url = %s
maildir-mailbox = RSS
`, r.home, atom, rss))
	for _, form := range []string{"Atom", "RSS"} {
		for _, part := range []string{"cur", "new", "tmp"} {
			if err := os.MkdirAll(filepath.Join(r.home, form, part), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	return r
}

func (r *rss2email) read(t *testing.T) error {
	return command(t, r.home, "r2e", "-c", "r2e.cfg", "-d", "r2e.json", "run")
}

func (r *rss2email) shown(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, form := range []string{"Atom", "RSS"} {
		files, err := filepath.Glob(filepath.Join(r.home, form, "new", "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			m, err := mail.ReadMessage(f)
			f.Close()
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			all["rss2email, "+form] = append(all["rss2email, "+form], subject)
		}
	}
	return all
}

// jsonReader keeps entries by their ids, as JSON Feed asks readers to.
type jsonReader struct {
	address string
	titles  map[string]string
}

func newJSONReader(address string) *jsonReader { return &jsonReader{address, map[string]string{}} }

func (j *jsonReader) read(*testing.T) error {
	res, err := http.Get(j.address)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	feed, err := gofeed.NewParser().ParseString(string(body))
	if err != nil {
		return fmt.Errorf("%w in %.300s", err, body)
	}
	if feed.FeedType != "json" {
		return fmt.Errorf("read as %s", feed.FeedType)
	}
	for _, it := range feed.Items {
		j.titles[it.GUID] = it.Title
	}
	return nil
}

func (j *jsonReader) shown(*testing.T) map[string][]string {
	var all []string
	for _, title := range j.titles {
		all = append(all, title)
	}
	return map[string][]string{"gofeed, JSON Feed": all}
}
