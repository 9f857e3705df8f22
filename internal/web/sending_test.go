package web

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"feedonce"
	"feedonce/internal/account"
	"feedonce/internal/dest"
	"feedonce/internal/outfeed"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// closedPort is an address at which nobody answers.
func closedPort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

// addSending adds a destination, an output and a flood brake, each with the number 1, and messages about article 1: one in each
// state.
func (s *site) addSending(endpoint string) feedonce.Destination {
	s.t.Helper()
	d, _, err := s.engine.Add(context.Background(), feedonce.Destination{Name: "Hook", Kind: "webhook"}, dest.Settings{"url": endpoint + "/top-secret"})
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := outfeed.Add(context.Background(), s.store, s.box, feedonce.Output{Name: "Clean", Created: now}); err != nil {
		s.t.Fatal(err)
	}
	s.update(func(tx *store.Tx) error {
		brake, err := tx.AddBrake(feedonce.Brake{Feed: 1, At: now, Count: 40, Usual: 2.6, State: feedonce.BrakeOpen})
		if err != nil {
			return err
		}
		var rows []feedonce.Delivery
		for i, st := range stateWords {
			row := feedonce.Delivery{Destination: d.ID, Kind: feedonce.DeliverUpdate, Revision: i + 1, Entry: 1, Feed: 1, State: st.state, Created: now, Due: now, Note: "note of " + st.words}
			if st.state == feedonce.DeliveryHeld {
				row.Brake = brake
			}
			rows = append(rows, row)
		}
		_, err = tx.PutDeliveries(rows)
		return err
	})
	return d
}

// states are the states of all deliveries, by their numbers.
func (s *site) states() (states []feedonce.DeliveryState) {
	s.t.Helper()
	s.view(func(tx *store.Tx) error {
		all, err := tx.Deliveries(store.DeliveryFilter{Limit: 1000})
		states = nil
		for _, d := range slices.Backward(all) {
			states = append(states, d.State)
		}
		return err
	})
	return states
}

// sendingIsUntouched fails unless all is as addSending made it.
func (s *site) sendingIsUntouched() {
	s.t.Helper()
	s.view(func(tx *store.Tx) error {
		all, err := tx.Destinations()
		if err != nil {
			return err
		}
		outputs, err := tx.Outputs()
		if err != nil {
			return err
		}
		brake, err := tx.Brake(1)
		if err != nil {
			return err
		}
		if len(all) != 1 || all[0].State != feedonce.DestinationActive || len(outputs) != 1 || brake.State != feedonce.BrakeOpen {
			s.t.Errorf("something was done to destinations %+v, outputs %+v or brake %+v", all, outputs, brake)
		}
		return nil
	})
	for i, got := range s.states() {
		if want := stateWords[i].state; got != want {
			s.t.Errorf("message %d is %s, and was %s", i+1, got, want)
		}
	}
}

// formOf reads the form of a page that is sent to an address, as a browser sends it that changes nothing.
func formOf(t *testing.T, page, action string) url.Values {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	values, found := url.Values{}, false
	attr := func(n *html.Node, key string) (string, bool) {
		for _, a := range n.Attr {
			if a.Key == key {
				return a.Val, true
			}
		}
		return "", false
	}
	var walk func(n *html.Node, within bool)
	walk = func(n *html.Node, within bool) {
		if n.Type == html.ElementNode {
			name, _ := attr(n, "name")
			value, _ := attr(n, "value")
			switch n.Data {
			case "form":
				got, _ := attr(n, "action")
				within = got == action
				found = found || within
			case "input":
				kind, _ := attr(n, "type")
				_, checked := attr(n, "checked")
				if within && name != "" && (kind != "radio" && kind != "checkbox" || checked) {
					values.Add(name, value)
				}
			case "textarea":
				if within && n.FirstChild != nil {
					values.Add(name, n.FirstChild.Data)
				} else if within {
					values.Add(name, "")
				}
			case "select":
				chosen, first := "", true
				for o := n.FirstChild; o != nil; o = o.NextSibling {
					if o.Type != html.ElementNode {
						continue
					}
					v, _ := attr(o, "value")
					if _, selected := attr(o, "selected"); selected || first {
						chosen = v
					}
					first = false
				}
				if within {
					values.Add(name, chosen)
				}
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, within)
		}
	}
	walk(doc, false)
	if !found {
		t.Fatalf("the page has no form that is sent to %s:\n%s", action, page)
	}
	return values
}

// TestWithoutEngine looks at what a demo shows.
func TestWithoutEngine(t *testing.T) {
	st := storetest.Open(t, storetest.SQLite(t))
	s := newSite(t, st)
	s.handler = Handler(Options{Accounts: account.New(account.Options{Store: st}), Store: st, Version: "test"})
	for _, r := range everyRoute(s) {
		path := r.URL.Path
		if !strings.HasPrefix(path, "/destinations") && !strings.HasPrefix(path, "/deliveries") && !strings.HasPrefix(path, "/outputs") && !strings.HasPrefix(path, "/brakes") {
			continue
		}
		if r.Method == http.MethodPost {
			_, page := s.post(path, nil, http.StatusBadRequest)
			mustSay(t, path, page, "cannot be done here")
			continue
		}
		mustSay(t, path, s.get(path, http.StatusOK), "from here", "feedonce serve")
	}
}

// TestWhoWasTold reads an article's page.
func TestWhoWasTold(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := filledOn(t, st)
		page := s.get("/entries/1", http.StatusOK)
		mustSay(t, "the article", page, `href="/destinations/1"`, ">Hook<", "perhaps told", "to be told", "being told", "to be told when the flood brake is released", "not told",
			"Note of given up.", "of an update")
		if got := strings.Count(page, `class="decision told`); got != len(stateWords) {
			t.Errorf("%d lines of who was told, want %d", got, len(stateWords))
		}
	})
}

// hook is an endpoint that answers a test.
func hook(t *testing.T, status int, says string) *httptest.Server {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		w.Write([]byte(says)) //nolint:errcheck // a test that reads it says so
	}))
	t.Cleanup(srv.Close)
	return srv
}
