package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/explain"
	"feedonce/internal/format"
	"feedonce/internal/ingest"
	"feedonce/internal/store"
)

// Documents from somebody else's crawler: what would be decided about them, or deciding it.

func (s *server) pushRoutes() {
	route(s, operation{id: "check", method: http.MethodPost, path: "/check", tag: "documents", body: maxDocument, summary: "What would be decided about items; nothing is stored",
		about: "The items are judged as the next document of the feed. In a feed that is not known yet, everything is new."}, s.check)
	route(s, operation{id: "ingest", method: http.MethodPost, path: "/ingest", tag: "documents", body: maxDocument, summary: "Decide items and store what is new, as a poll would",
		about: "For those who crawl by themselves. A feed that is not known yet is added, paused, so that it is not polled as well. " +
			"As with a poll, the first document of a feed is stored quietly, and sending the same again changes nothing. Send all items that the feed has at the moment: " +
			"what stands in a document together, and what left it when something else came, is evidence. Where it is only a part, say partial.",
		errors: []int{http.StatusConflict}}, s.ingest)
}

// Pushed is a document that was not fetched.
type Pushed struct {
	Feed    feedonce.FeedID `json:"feed,omitempty" minimum:"1" doc:"Number of the feed; or url"`
	URL     string          `json:"url,omitempty" maxLength:"4096" doc:"Address of the feed, by which it is known"`
	Title   string          `json:"title,omitempty" maxLength:"1000" doc:"Of the feed"`
	Site    string          `json:"site,omitempty" maxLength:"4096" doc:"The page the feed belongs to, to tell its own links from links to elsewhere"`
	Partial bool            `json:"partial,omitempty" doc:"Items are missing, so what is absent proves nothing"`
	Items   []dedup.Item    `json:"items" maxItems:"10000"`
}

type pushInput struct{ Body Pushed }

// Judged is what was decided about an item.
type Judged struct {
	Item     int              `json:"item" doc:"Its place among the items, from 0"`
	Outcome  string           `json:"outcome" enum:"new,updated,unchanged,duplicate,quarantined,invalid"`
	Rule     string           `json:"rule"`
	Sentence string           `json:"sentence" doc:"The rule in words"`
	Entry    feedonce.EntryID `json:"entry,omitempty" doc:"The article it is, or is a copy or a version of; absent where it would be new"`
	ID       string           `json:"id,omitempty" doc:"The article's URN"`
	Tell     bool             `json:"tell,omitempty" doc:"It is new, and worth a message"`
	Quiet    string           `json:"quiet,omitempty" doc:"Why a new article is not told"`
	Evidence json.RawMessage  `json:"evidence,omitempty"`
}

// Judgement is what was decided about a document.
type Judgement struct {
	Feed    feedonce.FeedID `json:"feed,omitempty" doc:"Absent for one that is not known"`
	Counts  Counts          `json:"counts" doc:"Items by outcome"`
	Same    bool            `json:"same,omitempty" doc:"It is the document of last time, so its items were not looked at one by one"`
	Results []Judged        `json:"results" doc:"One for each item, in their order; none where same"`
}

// document turns what was pushed into what a poll fetches.
func (p *Pushed) document() *format.Document {
	d := &format.Document{Format: "api", Title: plain(p.Title, 1000), SiteURL: p.Site}
	if p.Partial {
		d.Partial = "the sender said so"
	}
	for _, it := range p.Items {
		item := format.Item{GUID: strings.TrimSpace(it.GUID), Permalink: it.Permalink, Link: strings.TrimSpace(it.URL), OrigLink: it.OrigURL, Title: it.Title, Summary: it.Summary,
			Content: it.Content, Author: it.Author, Lang: it.Lang, Published: format.Date{Time: it.Published}, Updated: format.Date{Time: it.Updated}, Invalid: it.Invalid}
		for _, e := range it.Enclosures {
			item.Enclosures = append(item.Enclosures, format.Enclosure{URL: e.URL, Type: e.Type, Length: e.Length})
		}
		d.Items = append(d.Items, item)
	}
	return d
}

// pushed finds the feed of a document; ErrNotFound where it is not known.
func (s *server) pushed(ctx context.Context, p *Pushed) (f feedonce.Feed, err error) {
	if (p.Feed == 0) == (p.URL == "") {
		return f, &feedonce.InvalidError{Field: "feed", Reason: "must say which feed it is by its number, or by its address in url; one of them"}
	}
	if p.URL != "" {
		if p.URL, err = webAddress(p.URL); err != nil {
			return f, err
		}
	}
	err = s.view(ctx, func(tx *store.Tx) (err error) {
		if p.Feed != 0 {
			f, err = tx.Feed(p.Feed)
		} else {
			f, err = tx.FeedByURL(p.URL)
		}
		return err
	})
	return f, err
}

func (s *server) fetched(in *pushInput, f feedonce.Feed) (ingest.Fetched, error) {
	same, err := json.Marshal(in.Body)
	if err != nil {
		return ingest.Fetched{}, err
	}
	return ingest.Fetched{Feed: f.ID, Body: same, ContentType: "application/json", URL: f.URL, Received: s.Now(), Parsed: in.Body.document()}, nil
}

func (s *server) check(ctx context.Context, in *pushInput) (*body[Judgement], error) {
	f, err := s.pushed(ctx, &in.Body)
	if errors.Is(err, feedonce.ErrNotFound) && in.Body.Feed == 0 {
		return answer(s.judged(ctx, 0, ingest.CheckUnknown(ingest.Items(in.Body.document(), in.Body.URL, s.Now()))))
	}
	if err != nil {
		return nil, err
	}
	fetched, err := s.fetched(in, f)
	if err != nil {
		return nil, err
	}
	rep, err := s.Ingester.Check(ctx, fetched)
	if err != nil {
		return nil, err
	}
	return answer(s.judged(ctx, f.ID, rep))
}

func (s *server) ingest(ctx context.Context, in *pushInput) (*body[Judgement], error) {
	f, err := s.pushed(ctx, &in.Body)
	if errors.Is(err, feedonce.ErrNotFound) && in.Body.Feed == 0 {
		err = s.Store.Update(ctx, func(tx *store.Tx) (err error) {
			f, err = tx.AddFeed(store.NewFeed{URL: in.Body.URL, Title: plain(in.Body.Title, 1000), SiteURL: in.Body.Site, Added: s.Now()})
			if errors.Is(err, feedonce.ErrExists) {
				return nil // somebody else pushed its first document at the same moment
			}
			if err != nil {
				return err
			}
			if err := tx.SetFeedState(f.ID, feedonce.FeedPaused); err != nil {
				return err
			}
			return tx.FollowAll(f.ID, "", s.Now())
		})
	}
	if err != nil {
		return nil, err
	}
	fetched, err := s.fetched(in, f)
	if err != nil {
		return nil, err
	}
	rep, err := s.Ingester.Document(ctx, fetched)
	if err != nil {
		return nil, err
	}
	if rep.SameBytes {
		return answer(Judgement{Feed: f.ID, Same: true, Counts: Counts(rep.Counts), Results: []Judged{}}, nil)
	}
	return answer(s.judged(ctx, f.ID, rep))
}

// judged says what was decided. Entries have numbers where they are stored.
func (s *server) judged(ctx context.Context, feed feedonce.FeedID, rep ingest.Report) (Judgement, error) {
	r := rep.Result
	out := Judgement{Feed: feed, Counts: Counts(rep.Counts), Results: make([]Judged, len(r.Decisions))}
	instance := ""
	if err := s.view(ctx, func(tx *store.Tx) (err error) {
		instance, err = tx.Instance()
		return err
	}); err != nil {
		return out, err
	}
	for i := range r.Decisions {
		d := &r.Decisions[i]
		evidence, err := json.Marshal(d.Evidence)
		if err != nil {
			return out, err
		}
		j := Judged{Item: d.Item, Outcome: string(d.Outcome), Rule: string(d.Rule), Sentence: explain.RuleOf(d.Rule, d.Outcome).Sentence, Tell: d.Tell, Quiet: d.Quiet}
		if string(evidence) != "{}" {
			j.Evidence = evidence
		}
		if d.Entry > 0 && feed != 0 {
			j.Entry = feedonce.EntryID(d.Entry)
			j.ID = j.Entry.URN(instance)
		}
		out.Results[i] = j
	}
	return out, nil
}
