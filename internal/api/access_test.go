package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/account"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// personal are the operations that tokens of readers may use.
var personal = map[string]bool{
	"me": true, "my-entries": true, "my-counts": true, "set-my-state": true, "my-subscriptions": true, "follow": true,
	"my-subscription": true, "set-my-subscription": true, "unfollow": true,
}

// TestEveryOperationAsksForAToken asks for each that the document has: as nobody, with tokens that are none, and with those of
// readers and of programs that only read.
func TestEveryOperationAsksForAToken(t *testing.T) {
	s := newSite(t, storetest.Open(t, storetest.SQLite(t)))
	s.fill()
	d := s.document()
	reader := "Bearer " + s.tokenFor("ann", feedonce.RoleReader, true)
	onlyReads := "Bearer " + s.tokenFor("keeper", feedonce.RoleAdmin, false)
	gone := "Bearer " + s.tokenFor("gone", feedonce.RoleAdmin, true)
	app := s.appPassword("keeper")
	s.change(func(tx *store.Tx) error {
		u, err := tx.UserByName("gone")
		if err != nil {
			return err
		}
		u.Disabled = s.now
		return tx.SetUser(u)
	})
	for _, token := range []string{s.token, strings.TrimPrefix(reader, "Bearer "), strings.TrimPrefix(onlyReads, "Bearer ")} {
		s.used(token)
	}
	tries := s.allTries(d)
	before := storetest.Dump(t, s.store)
	for path, methods := range d.Paths {
		for method, op := range methods {
			r := tries[op.OperationID][0]
			ask := func(who, authorization string, want int) {
				t.Helper()
				req := r.request()
				req.Header["Authorization"] = nil
				if authorization != "" {
					req.Header.Set("Authorization", authorization)
				}
				res, body := s.do(req)
				if res.StatusCode != want {
					t.Errorf("%s %s as %s: status %d, want %d\n%s", method, path, who, res.StatusCode, want, clip(string(body)))
				}
				d.check(t, r, res, body)
				if challenge := res.Header.Get("WWW-Authenticate"); (challenge != "") != (want == http.StatusUnauthorized) {
					t.Errorf("%s %s as %s: WWW-Authenticate %q", method, path, who, challenge)
				}
			}
			ask("nobody", "", http.StatusUnauthorized)
			ask("who knows a wrong token", "Bearer fo_WRONG", http.StatusUnauthorized)
			ask("who calls a token something else", strings.Replace(reader, "Bearer", "Token", 1), http.StatusUnauthorized)
			ask("who takes an app password for a token", "Bearer "+app, http.StatusUnauthorized)
			ask("who may not sign in", gone, http.StatusUnauthorized)
			if method != "get" {
				ask("a program that only reads", onlyReads, http.StatusForbidden)
			}
			if !personal[op.OperationID] {
				ask("a reader", reader, http.StatusForbidden)
			}
		}
	}
	for id := range personal {
		if tries[id] == nil {
			t.Errorf("there is no operation %s", id)
		}
	}
	if diff := cmp.Diff(before, storetest.Dump(t, s.store)); diff != "" {
		t.Errorf("requests that were refused changed something (-before +after):\n%s", diff)
	}
}

// TestAppPassword opens the API to a reader app that has a name and a password.
func TestAppPassword(t *testing.T) {
	s := newSite(t, storetest.Open(t, storetest.SQLite(t)))
	password := s.appPassword("keeper")
	for name, want := range map[string]int{"keeper": 200, "KEEPER": 200, "ann": 401, "": 401} {
		r := request("GET", Prefix+"me", "")
		r.SetBasicAuth(name, password)
		if res, body := s.do(r); res.StatusCode != want {
			t.Errorf("as %q: %d, want %d\n%s", name, res.StatusCode, want, body)
		}
	}
}

// Two readers, each with a feed, and a story in both. What one of them asks of the other's is not there, and nothing changes.
func TestReadersAreApart(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		s.fill() // articles 1 and 2 and more in feed 1, 3 in feed 2, in one story with 1
		keeper := s.token
		ann, ben := s.tokenFor("ann", feedonce.RoleReader, true), s.tokenFor("ben", feedonce.RoleReader, true)
		s.change(func(tx *store.Tx) error {
			a, err := tx.UserByName("ann")
			if err != nil {
				return err
			}
			b, err := tx.UserByName("ben")
			if err != nil {
				return err
			}
			return tx.Follow(feedonce.Subscription{User: a.ID, Feed: 1, Added: s.now}, feedonce.Subscription{User: b.ID, Feed: 2, Title: "benmark", Folder: "benmark", Added: s.now})
		})
		// What is only in feed 2.
		s.pub.feed("/b.xml", "https://planet.example/", item{"benmark", "https://planet.example/benmark", "benmark", "benmark"})
		s.call("POST", "feeds/2/poll", "", 200, nil)
		s.token = ben
		var list myEntryList
		s.call("GET", "me/entries?view=all", "", 200, &list)
		if len(list.Entries) != 2 {
			t.Fatalf("ben reads %+v", list)
		}
		s.token = keeper
		d := s.document()
		tries := s.allTries(d)
		s.token = ann
		s.used(ann)
		before := storetest.Dump(t, st)
		for path, methods := range d.Paths {
			for method, op := range methods {
				if !personal[op.OperationID] || op.OperationID == "follow" { // whoever knows a feed's address may follow it
					continue
				}
				about := false
				for _, r := range tries[op.OperationID] {
					for name := range r.params {
						switch name {
						case "path feed", "query feed":
							r.params[name], about = "2", true
						case "path entry":
							r.params[name], about = fmt.Sprint(list.Entries[0].ID), true
						case "query folder":
							r.params[name] = "benmark"
						}
					}
					res, body := s.do(r.request())
					if strings.Contains(string(body), "benmark") || strings.Contains(string(body), "/b.xml") {
						t.Errorf("%v shows ann what is ben's:\n%s", r, body)
					}
					if want := strings.HasPrefix(path, Prefix+"me/") && strings.Contains(path, "{"); want != (res.StatusCode == 404) || !want && res.StatusCode != 200 {
						t.Errorf("%v: %d\n%s", r, res.StatusCode, body)
					}
				}
				if strings.Contains(path, "{") && !about {
					t.Errorf("%s %s is not covered: what stands in its path is not known here", method, path)
				}
			}
		}
		if diff := cmp.Diff(before, storetest.Dump(t, st)); diff != "" {
			t.Errorf("what ann asked changed something (-before +after):\n%s", diff)
		}
		s.token = keeper
		s.call("GET", "feeds/2", "", 200, nil)
	})
}

// TestMe uses what a reader has: what they follow and what they have read.
func TestMe(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		s.fill()
		keeper := s.token
		s.token = s.tokenFor("ann", feedonce.RoleReader, true)
		var me Me
		s.call("GET", "me", "", 200, &me)
		if me.Name != "ann" || me.Role != "reader" || !me.Write || me.Token != "test" {
			t.Errorf("me: %+v", me)
		}
		var subs subscriptionList
		s.call("GET", "me/subscriptions", "", 200, &subs)
		if len(subs.Subscriptions) != 0 {
			t.Errorf("ann follows %+v", subs)
		}
		// A feed that is there already is followed, and not added again.
		var sub Subscription
		s.call("POST", "me/subscriptions", `{"url":"`+s.pub.URL+`/a.xml","folder":"Mine"}`, 201, &sub)
		if sub.Feed != 1 || sub.Folder != "Mine" || sub.Name != "Feed /a.xml" {
			t.Errorf("followed: %+v", sub)
		}
		s.pub.feed("/own.xml", "https://own.example/", item{"o", "https://own.example/o", "Own", school})
		s.call("POST", "me/subscriptions", `{"url":"`+s.pub.URL+`/own.xml"}`, 201, &sub)
		if sub.Feed != 3 {
			t.Errorf("added: %+v", sub)
		}
		s.call("PUT", "me/subscriptions/3", `{"title":"My own","folder":"Deep/er"}`, 200, &sub)
		s.call("GET", "me/subscriptions/3", "", 200, &sub)
		if sub.Name != "My own" || sub.Folder != "Deep/er" {
			t.Errorf("changed: %+v", sub)
		}
		mustSay(t, "a feed that ann does not follow", s.problem("PUT", "me/subscriptions/2", `{"title":"x"}`, 404), "You follow no feed 2.")
		var list myEntryList
		s.call("GET", "me/entries?texts=true&feed=1", "", 200, &list)
		if len(list.Entries) != 2 || !list.Entries[0].Unread || list.Entries[0].Summary == "" {
			t.Fatalf("to read: %+v", list)
		}
		var counts MyCounts
		s.call("GET", "me/counts", "", 200, &counts)
		if counts.Unread != 3 || counts.Folders["Mine"] != 2 || len(counts.Feeds) != 2 {
			t.Errorf("counts: %+v", counts)
		}
		var state EntryState
		s.call("PUT", fmt.Sprintf("me/entries/%d/state", list.Entries[0].ID), `{"read":true,"starred":true}`, 200, &state)
		if state.Unread || !state.Starred {
			t.Errorf("state: %+v", state)
		}
		s.call("GET", "me/entries?feed=1", "", 200, &list)
		if len(list.Entries) != 1 {
			t.Errorf("left to read: %+v", list)
		}
		for _, view := range []string{"starred", "history"} {
			s.call("GET", "me/entries?view="+view, "", 200, &list)
			if len(list.Entries) != 1 || list.Entries[0].Starred == nil || list.Entries[0].Read == nil {
				t.Errorf("%s: %+v", view, list)
			}
		}
		s.call("PUT", fmt.Sprintf("me/entries/%d/state", list.Entries[0].ID), `{"read":false,"starred":false}`, 200, &state)
		if !state.Unread || state.Starred {
			t.Errorf("state: %+v", state)
		}
		s.call("DELETE", "me/subscriptions/1", "", 204, nil)
		s.problem("DELETE", "me/subscriptions/1", "", 404)
		// What an administrator adds is followed by the administrators; by number they follow any.
		s.token = keeper
		s.call("GET", "me/subscriptions", "", 200, &subs)
		if len(subs.Subscriptions) != 2 || subs.Subscriptions[0].Folder != "Town" {
			t.Errorf("the keeper follows %+v", subs)
		}
		s.call("PUT", "me/subscriptions/3", `{"folder":"Others"}`, 200, &sub)
		s.problem("PUT", "me/subscriptions/99", `{}`, 404)
	})
}

func (s *site) change(f func(*store.Tx) error) {
	s.t.Helper()
	if err := s.store.Update(s.t.Context(), f); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) appPassword(name string) (secret string) {
	s.t.Helper()
	s.change(func(tx *store.Tx) error {
		u, err := tx.UserByName(name)
		if err == nil {
			_, secret, err = account.NewToken(tx, feedonce.Token{User: u.ID, Kind: feedonce.TokenApp, Name: "app", Write: true, Created: s.now})
		}
		return err
	})
	return secret
}

// used has it noted that a token was used, which is done once an hour.
func (s *site) used(token string) {
	s.t.Helper()
	r := request("GET", Prefix+"me", "")
	r.Header.Set("Authorization", "Bearer "+token)
	if res, body := s.do(r); res.StatusCode != http.StatusOK {
		s.t.Fatalf("me: %d %s", res.StatusCode, body)
	}
}

// allTries returns requests for every operation, by its id.
func (s *site) allTries(d *document) map[string][]*try {
	s.paths = map[string]string{}
	tries := map[string][]*try{}
	for path, methods := range d.Paths {
		for method, op := range methods {
			s.paths[op.OperationID] = path
			tries[op.OperationID] = d.tries(s, method, path, op)
		}
	}
	return tries
}
