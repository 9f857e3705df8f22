package browsertest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/browser"
	"feedonce/internal/store"
)

// TestSplitAndMerge has an article come twice, says that they are two, takes that back, says that two others are one, compares
// them before, and takes that back, too.
func TestSplitAndMerge(t *testing.T) {
	s := start(t)
	items := numbered(1, 4)
	feed := publish(t, "The Tidy Times", items...)
	id := s.follow(feed.url, "", dedup.Policy{})
	s.again(id, feed, items)
	if n := len(s.entries(store.EntryFilter{})); n != 4 {
		t.Fatalf("there are %d articles, want the 4 that came first", n)
	}
	p := s.page()
	p.Open("/decisions")
	p.Says("duplicate", items[0].title)
	p.Follow(browser.Named("Not a duplicate: " + items[0].title))
	p.Says("becomes an article of its own", "You can undo it")
	p.Follow(browser.Named("They are two articles"))
	p.Says(items[0].title)
	if n := len(s.entries(store.EntryFilter{})); n != 5 {
		t.Errorf("after the split there are %d articles, want 5", n)
	}
	p.Axe()
	p.Follow(browser.CSS(".notice button"))
	p.Says("Taken back")
	if n := len(s.entries(store.EntryFilter{})); n != 4 {
		t.Errorf("after undoing the split there are %d articles, want 4", n)
	}

	a, b := s.entry(items[1].title), s.entry(items[2].title)
	p.Open(fmt.Sprintf("/compare?a=%d&b=%d", a.ID, b.ID))
	p.Says("The texts, word by word", "Would they be taken for one?", "No.")
	p.Follow(browser.Named("They are the same…"))
	p.Follow(browser.CSS("main form button.main"))
	if n := len(s.entries(store.EntryFilter{})); n != 3 {
		t.Errorf("after the merge there are %d articles, want 3", n)
	}
	p.Follow(browser.CSS(".notice button"))
	p.Says("Taken back")
	if n := len(s.entries(store.EntryFilter{})); n != 4 {
		t.Errorf("after undoing the merge there are %d articles, want 4", n)
	}
}

// TestPolicy tries a policy over what is stored, saves it, and accepts what it holds.
func TestPolicy(t *testing.T) {
	s := start(t)
	items := numbered(1, 6)
	for i := range items {
		items[i].guid = ""
	}
	feed := publish(t, "The Nameless News", items[2:]...)
	id := s.follow(feed.url, "", dedup.Policy{})
	p := s.page()
	p.Open(fmt.Sprintf("/feeds/%d", id))
	p.Follow(browser.Named("How it is judged"))
	p.Click(browser.CSS(`input[name="missing-guid"][value="quarantine"]`))
	p.Follow(browser.Named("Show what would change"))
	p.Says("What would change", "4 arrivals")
	if policy := s.policy(id); policy.MissingGUID != "" {
		t.Errorf("the policy was changed by trying: %+v", policy)
	}
	p.Follow(browser.Named("Judge it so from now on"))
	if policy := s.policy(id); policy.MissingGUID != dedup.MissingQuarantine {
		t.Errorf("the policy was not saved: %+v", policy)
	}

	feed.now(items...)
	s.pass(time.Hour)
	s.poll(id)
	p.Open("/quarantine")
	p.Says("2 held", items[0].title, items[1].title)
	p.Follow(browser.Named("Accept " + items[0].title))
	if n := len(s.entries(store.EntryFilter{})); n != 5 {
		t.Errorf("after one was accepted there are %d articles, want 5", n)
	}
	p.Open("/quarantine")
	p.Says("1 held")
	p.Silent(items[0].title)
	p.Follow(browser.Named("Leave out " + items[1].title))
	p.Follow(browser.CSS("main form button.main"))
	p.Open("/quarantine?state=rejected")
	p.Says("0 held", items[1].title)
}

func (s *site) policy(id feedonce.FeedID) (p dedup.Policy) {
	s.t.Helper()
	s.view(func(tx *store.Tx) error {
		doc, err := tx.FeedDoc(id)
		if err != nil || doc.Policy == "" {
			return err
		}
		return json.Unmarshal([]byte(doc.Policy), &p)
	})
	return p
}

// TestDestination adds a webhook in the browser and has it tested: the endpoint gets the message.
func TestDestination(t *testing.T) {
	s := start(t)
	feed := publish(t, "The Tidy Times", numbered(1, 2)...)
	s.follow(feed.url, "", dedup.Policy{})
	got := make(chan string, 1)
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got <- string(body)
		io.WriteString(w, "thank you") //nolint:errcheck // the page says so
	}))
	t.Cleanup(endpoint.Close)
	p := s.page()
	p.Open("/destinations")
	p.Follow(browser.Named("Add a destination"))
	p.Follow(browser.CSS(`a[href="/destinations/add?kind=webhook"]`))
	p.Type(browser.Named("Name"), "My hook")
	p.Type(browser.CSS("#set-url"), endpoint.URL)
	p.Follow(browser.CSS("form.long button.main"))
	p.Says("My hook")
	p.Follow(browser.Named("Send a test"))
	p.Says("accepted", "thank you")
	if body := <-got; !strings.Contains(body, "part ") {
		t.Errorf("the endpoint got %s", body)
	}
	p.Axe()
}
