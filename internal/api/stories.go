package api

import (
	"context"
	"net/http"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/amend"
	"feedonce/internal/shape"
	"feedonce/internal/store"
)

func (s *server) storyRoutes() {
	route(s, operation{id: "list-stories", method: http.MethodGet, path: "/stories", tag: "stories", summary: "List stories, the last changed first"}, s.listStories)
	route(s, operation{id: "get-story", method: http.MethodGet, path: "/stories/{story}", tag: "stories", summary: "A story: its articles, and why they are one",
		errors: []int{http.StatusNotFound}}, s.getStory)
	route(s, operation{id: "choose-lead", method: http.MethodPut, path: "/stories/{story}/lead", tag: "stories", summary: "Choose the article that leads a story",
		about:  "It leads, whatever lead and prefer say, until it leaves the story or another is chosen.",
		errors: []int{http.StatusNotFound}}, s.chooseLead)
	route(s, operation{id: "forget-lead", method: http.MethodDelete, path: "/stories/{story}/lead", tag: "stories", summary: "Take back the choice of the article that leads a story",
		about:  "What lead and prefer say leads again. Where nobody had chosen, nothing changes.",
		errors: []int{http.StatusNotFound}}, s.forgetLead)
}

// Leading says which article of a story is to lead, where no person chose one.
type Leading struct {
	Lead   string  `query:"lead" enum:"first,longest" default:"first" doc:"Which article leads where no person chose one: the one that came first, or the one with the longest text"`
	Prefer []int64 `query:"prefer" maxItems:"100" doc:"Feeds whose article leads where they have one and no person chose another, separated by commas"`
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
	Stories []shape.Story `json:"stories"`
	Next    string        `json:"next,omitempty" doc:"The after of the next page; absent on the last one"`
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
		out.Stories = make([]shape.Story, len(page))
		for i, st := range page {
			out.Stories[i] = shape.StoryOf(st)
		}
		return err
	})
	return answer(out, err)
}

type storyInput struct {
	StoryPath
	Leading
}

func (s *server) getStory(ctx context.Context, in *storyInput) (*body[shape.Story], error) {
	var out shape.Story
	err := s.view(ctx, func(tx *store.Tx) error {
		st, err := tx.Story(in.Story, in.lead())
		out = shape.StoryOf(st)
		return err
	})
	return answer(out, err)
}

// StoryPath is the story in a path.
type StoryPath struct {
	Story int64 `path:"story" minimum:"1" doc:"Number of the story"`
}

type leadInput struct {
	StoryPath
	Body struct {
		Entry feedonce.EntryID `json:"entry" minimum:"1" doc:"Number of the article, which must be in the story and not only point to the others"`
	}
}

func (s *server) chooseLead(ctx context.Context, in *leadInput) (*body[shape.Story], error) {
	return s.lead(ctx, in.Story, in.Body.Entry)
}

func (s *server) forgetLead(ctx context.Context, in *StoryPath) (*body[shape.Story], error) {
	return s.lead(ctx, in.Story, 0)
}

// lead has an article lead a story, and answers with the story.
func (s *server) lead(ctx context.Context, story int64, entry feedonce.EntryID) (*body[shape.Story], error) {
	if err := amend.Lead(ctx, s.Store, story, entry, s.by(ctx)); err != nil {
		return nil, err
	}
	return s.getStory(ctx, &storyInput{StoryPath: StoryPath{story}})
}
