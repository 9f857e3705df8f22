package browsertest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/amend"
	"feedonce/internal/demo"
	"feedonce/internal/dest"
	"feedonce/internal/outfeed"
	"feedonce/internal/store"
)

// rounds is how often the publishers of the demo are polled: enough for each habit to show.
const rounds = 9

// town returns a site that has something of everything: what the publishers of the demo did, what is hostile, held, doubtful,
// merged and split, destinations of all kinds of fortune, messages in all states, and output feeds.
func town(t *testing.T) *site {
	s := start(t)
	publishers := demo.NewSite(demo.Publishers(begin.Add(-(rounds+8)*time.Hour), time.Hour))
	srv := httptest.NewServer(publishers)
	t.Cleanup(srv.Close)
	var feeds []feedonce.FeedID
	folders := []string{"News", "News/Local", "", "Weather and other things that happen outdoors"}
	for i, p := range publishers.Publishers {
		feeds = append(feeds, s.follow(srv.URL+demo.Path(p.Name), folders[i%len(folders)], dedup.Policy{}))
	}
	for range rounds - 1 {
		s.pass(time.Hour)
		for _, id := range feeds {
			s.poll(id)
		}
	}
	s.oddities()
	s.people(feeds[0])
	s.sending(feeds)
	return s
}

const (
	markup  = `"'></bdi></main><script>alert(1)</script><img src=x onerror=alert(1)><style>*{display:none}</style>` + "\u202e\u2066" + `</title><svg onload=alert(1)>`
	endless = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
)

// rich is an article with all that articles have.
const rich = `<h2>A heading</h2><p>Text with <a href="https://publisher.example/there">a link</a>, <code>code</code>, <em>stress</em> and <mark>a mark</mark>.</p>
<blockquote><p>Said by somebody.</p></blockquote><ul><li>One</li><li>Two<ol><li>Deep</li></ol></li></ul>
<pre><code>a line of code that is much longer than a telephone is wide, and does not break: 0123456789012345678901234567890123456789</code></pre>
<table><tr><th>Year</th><th>Harvest in thousands of tons</th><th>Weather</th><th>Price</th><th>Remarks</th></tr><tr><td>2024</td><td>12</td><td>fair</td><td>3.20</td><td>none</td></tr></table>
<figure><img src="/picture.svg" width="1600" height="300" alt="A field"><figcaption>The field in question</figcaption></figure><hr><p dir="rtl">مرحبا بالعالم</p>`

// oddities follows feeds with hostile, huge, held and doubtful items, one that fails and one that is paused.
func (s *site) oddities() {
	s.t.Helper()
	picture := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		w.Write([]byte(`<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="300"><rect width="1600" height="300" fill="green"/></svg>`)) //nolint:errcheck // seen in the page
	}))
	s.t.Cleanup(picture.Close)
	hostile := publish(s.t, markup+strings.Repeat("W", 300),
		story{guid: "h1", link: "javascript:alert(1)", title: markup + strings.Repeat("W", 500), body: "<script>alert(1)</script><style>*{display:none}</style></div></main><iframe src='https://evil.example'></iframe>" +
			`<p style="position:fixed" onclick="alert(1)">Text</p><a href="javascript:alert(1)">x</a><p>` + strings.Repeat("x", 2000), more: "<author>" + strings.Repeat("A", 400) + "</author>"},
		story{guid: "h2", link: "https://publisher.example/" + strings.Repeat("long/", 60), title: strings.Repeat(endless+" ", 6), body: strings.Repeat(endless, 20)},
		story{guid: "h3", link: picture.URL + "/rich", title: "An article that has everything an article can have", body: rich, at: begin,
			more: `<enclosure url="https://publisher.example/talk.mp3" type="audio/mpeg" length="12345678"/><category>Food</category><category>` + endless + `</category>`},
		story{guid: "h4", title: "", body: "An item without title or link."},
		story{guid: "h5", link: "https://publisher.example/arabic", title: "خبر عاجل من المدينة: افتتاح مكتبة جديدة", body: "<p>افتتحت اليوم المكتبة الجديدة في وسط المدينة.</p>"},
	)
	s.follow(hostile.url, endless, dedup.Policy{})
	held := publish(s.t, "The Nameless News", numbered(41, 42)...)
	for i := range held.items {
		held.items[i].guid = ""
	}
	s.follow(held.url, "News", dedup.Policy{MissingGUID: dedup.MissingQuarantine})
	failing := publish(s.t, "The Broken Bugle", numbered(43, 44)...)
	id := s.follow(failing.url, "News", dedup.Policy{})
	failing.answer(http.StatusInternalServerError)
	s.poll(id)
	gone := publish(s.t, "The Late Ledger", numbered(45, 46)...)
	id = s.follow(gone.url, "", dedup.Policy{})
	gone.answer(http.StatusGone)
	s.poll(id)

	twins := numbered(51, 52)
	doubtful := publish(s.t, "The Doubtful Daily", twins...)
	id = s.follow(doubtful.url, "News", dedup.Policy{Near: dedup.NearSuspect})
	again := twins[0]
	again.guid, again.link = "story-52-again", again.link+"-again"
	again.body = strings.Replace(again.body, "spoke of nothing else", "talked of little else", 1)
	s.pass(time.Hour)
	doubtful.now(again, twins[1])
	s.poll(id)
}

// people merges, splits and chooses.
func (s *site) people(feed feedonce.FeedID) {
	s.t.Helper()
	list := s.entries(store.EntryFilter{Feed: feed, Limit: 10})
	by := amend.By{Who: "a test", At: s.now()}
	if _, err := amend.Merge(s.t.Context(), s.store, list[0].ID, list[1].ID, by); err != nil {
		s.t.Fatal(err)
	}
}

// sending adds destinations and output feeds, and messages in every state.
func (s *site) sending(feeds []feedonce.FeedID) {
	s.t.Helper()
	ctx := s.t.Context()
	sink := sink(s.t, http.StatusBadRequest, `{"error":"`+strings.Repeat("nothing here is understood ", 40)+`"}`)
	var first feedonce.Destination
	for i, d := range []feedonce.Destination{
		{Name: "Our webhook", Route: feedonce.Route{Feeds: feeds[:3], Folders: []string{"News"}, Include: []feedonce.Filter{{Text: "harbour"}}, Exclude: []feedonce.Filter{{In: "title", RE: "^Ad:"}}}},
		{Name: "Digest for " + endless[:40], Route: feedonce.Route{Digest: &feedonce.Digest{Every: "day", At: "07:30", Zone: "Europe/Berlin", Title: "This morning"}}},
	} {
		d.Kind, d.Created = "webhook", s.now()
		d, _, err := s.engine.Add(ctx, d, dest.Settings{"url": sink.URL})
		if err != nil {
			s.t.Fatal(err)
		}
		if i == 0 {
			first = d
		}
	}
	for _, o := range []feedonce.Output{
		{Name: "Everything, once"}, {Name: "One feed, " + endless[:40], Selection: feedonce.Selection{Feed: feeds[0], Search: "harbour"}},
	} {
		o.Created = s.now()
		if _, err := outfeed.Add(ctx, s.store, s.box, o); err != nil {
			s.t.Fatal(err)
		}
	}
	entries := s.entries(store.EntryFilter{Limit: 20})
	s.update(func(tx *store.Tx) error {
		brake, err := tx.AddBrake(feedonce.Brake{Feed: feeds[0], At: s.now(), Count: 40, Usual: 2, State: feedonce.BrakeOpen})
		if err != nil {
			return err
		}
		if err := tx.SetDestinationState(first.ID, feedonce.DestinationDisabled, "The endpoint answered 410 (gone) and said: "+endless, s.now()); err != nil {
			return err
		}
		var rows []feedonce.Delivery
		for i, state := range []feedonce.DeliveryState{feedonce.DeliveryPending, feedonce.DeliveryRetry, feedonce.DeliverySent, feedonce.DeliveryDead, feedonce.DeliveryUnknown, feedonce.DeliveryHeld, feedonce.DeliverySkipped} {
			d := feedonce.Delivery{Destination: first.ID, Kind: feedonce.DeliverNew, Entry: entries[i].ID, Feed: entries[i].Feed, State: state, Created: s.now(), Due: s.now(), Note: "The endpoint answered 400."}
			if state == feedonce.DeliveryHeld {
				d.Brake = brake
			}
			rows = append(rows, d)
		}
		ids, err := tx.PutDeliveries(rows)
		if err != nil {
			return err
		}
		lease, err := tx.LeaseDestination(first.ID, s.now(), s.now().Add(time.Hour))
		if err != nil {
			return err
		}
		if _, err := tx.StartAttempt(first.ID, lease.Fence, ids[1:2], false, s.now()); err != nil {
			return err
		}
		return tx.FinishAttempt(store.FinishedAttempt{Destination: first.ID, Fence: lease.Fence, IDs: ids[1:2], At: s.now(), Excerpt: strings.Repeat("no ", 200),
			Error: "the endpoint answered 400", State: feedonce.DeliveryRetry, Due: s.now().Add(time.Hour), Note: "The endpoint answered 400."})
	})
}

// sink is an endpoint that answers every message so.
func sink(t *testing.T, status int, says string) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		w.Write([]byte(says)) //nolint:errcheck // a test that reads it says so
	}))
	t.Cleanup(srv.Close)
	return srv
}
