package shape

import (
	"encoding/json"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
)

// Story is the same article in several feeds.
type Story struct {
	ID      int64            `json:"id"`
	At      time.Time        `json:"at" doc:"When its second article came"`
	Changed time.Time        `json:"changed" doc:"When the last one joined"`
	Lead    feedonce.EntryID `json:"lead" doc:"The article to show first"`
	Chosen  *time.Time       `json:"lead_chosen,omitempty" doc:"When a person chose it to lead; absent where nobody did"`
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
	out := Story{ID: s.ID, At: s.At.UTC(), Changed: s.Changed.UTC(), Chosen: Moment(s.Chosen), Members: make([]Member, len(s.Members))}
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
