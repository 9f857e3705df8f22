package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
)

func (s *server) storyRoutes() {
	route(s, operation{id: "list-stories", method: http.MethodGet, path: "/stories", tag: "stories", summary: "List stories, the last changed first"}, s.listStories)
	route(s, operation{id: "get-story", method: http.MethodGet, path: "/stories/{story}", tag: "stories", summary: "A story: its articles, and why they are one",
		errors: []int{http.StatusNotFound}}, s.getStory)
}

// Story is the same article in several feeds.
type Story struct {
	ID      int64            `json:"id"`
	At      time.Time        `json:"at" doc:"When its second article came"`
	Changed time.Time        `json:"changed" doc:"When the last one joined"`
	Lead    feedonce.EntryID `json:"lead" doc:"The article to show first"`
	Members []Member         `json:"members" doc:"In the order in which they joined"`
}

// Member is an article in a story.
type Member struct {
	Entry    Entry            `json:"entry"`
	FeedName string           `json:"feed_name"`
	About    bool             `json:"about,omitempty" doc:"It only points to the others: shown beside them, and told by itself"`
	At       time.Time        `json:"at"`
	Told     bool             `json:"told" doc:"It was told to destinations"`
	Rule     string           `json:"rule,omitempty" doc:"Why it is one of them; absent for the one that was there first"`
	Sentence string           `json:"sentence,omitempty" doc:"The rule in a sentence"`
	Joined   feedonce.EntryID `json:"joined,omitempty" doc:"The article it was found to be the same as"`
	Evidence dedup.Evidence   `json:"evidence"`
}

// StoryOf is a story.
func StoryOf(s store.Story) Story {
	out := Story{ID: s.ID, At: s.At.UTC(), Changed: s.Changed.UTC(), Members: make([]Member, len(s.Members))}
	for i, m := range s.Members {
		if i == s.Lead {
			out.Lead = m.Entry.ID
		}
		out.Members[i] = Member{
			Entry: EntryOf(m.Entry), FeedName: m.FeedName, About: m.About, At: m.At.UTC(), Told: m.Told,
			Rule: m.Rule, Sentence: dedup.RuleByID(dedup.RuleID(m.Rule)).Sentence, Joined: m.Joined,
		}
		if len(m.Evidence) > 0 && json.Unmarshal(m.Evidence, &out.Members[i].Evidence) != nil {
			out.Members[i].Evidence = dedup.Evidence{}
		}
	}
	return out
}

// Leading says which article of a story is to lead.
type Leading struct {
	Lead   string  `query:"lead" enum:"first,longest" default:"first" doc:"Which article leads: the one that came first, or the one with the longest text"`
	Prefer []int64 `query:"prefer" maxItems:"100" doc:"Feeds whose article leads where they have one, separated by commas"`
}

func (l Leading) lead() store.Lead {
	out := store.Lead{By: dedup.Lead(l.Lead)}
	for _, id := range l.Prefer {
		out.Preferred = append(out.Preferred, feedonce.FeedID(id))
	}
	return out
}

type storyQuery struct {
	Feed feedonce.FeedID `query:"feed" minimum:"1" doc:"Only with an article of this feed"`
	Leading
	Paging
}

// storyList is a page of stories.
type storyList struct {
	Stories []Story `json:"stories"`
	Next    string  `json:"next,omitempty" doc:"The after of the next page; absent on the last one"`
}

func (s *server) listStories(ctx context.Context, in *storyQuery) (*body[storyList], error) {
	after, err := in.momentAfter()
	if err != nil {
		return nil, err
	}
	var out storyList
	err = s.view(ctx, func(tx *store.Tx) error {
		out = storyList{}
		found, err := tx.Stories(store.StoryFilter{Feed: in.Feed, Limit: in.Limit + 1, Before: after, Lead: in.lead()})
		page, isMore := more(found, in.Limit)
		if isMore {
			last := page[len(page)-1]
			out.Next = momentNext(last.Changed, last.ID)
		}
		out.Stories = make([]Story, len(page))
		for i, st := range page {
			out.Stories[i] = StoryOf(st)
		}
		return err
	})
	return answer(out, err)
}

type storyInput struct {
	Story int64 `path:"story" minimum:"1" doc:"Number of the story"`
	Leading
}

func (s *server) getStory(ctx context.Context, in *storyInput) (*body[Story], error) {
	var out Story
	err := s.view(ctx, func(tx *store.Tx) error {
		st, err := tx.Story(in.Story, in.lead())
		out = StoryOf(st)
		return err
	})
	return answer(out, err)
}
