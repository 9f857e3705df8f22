package api

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/amend"
	"feedonce/internal/explain"
	"feedonce/internal/shape"
	"feedonce/internal/store"
)

// Policy is what a person wants for one feed. What is absent has its default.
type Policy struct {
	Identity    string   `json:"identity,omitempty" enum:"auto,guid,link,title+date" doc:"What makes an item the same item; auto by default: what has proved reliable in this feed"`
	MissingGUID string   `json:"missingGuid,omitempty" enum:"synthesise,quarantine,reject" doc:"What to do with an item that has no guid; synthesise by default: identify it by link, title, date and text"`
	Near        string   `json:"near,omitempty" enum:"on,suspect,off" doc:"What to do with items whose texts are similar, not equal; on by default: fold them where place or time agree, too"`
	SuspectOnly []string `json:"suspectOnly,omitempty" maxItems:"50" doc:"Rules that fold nothing in this feed: what they find is new, with the article named that it may be"`
	Permanent   bool     `json:"permanent,omitempty" doc:"The publisher promises permanent guids: another guid is another item"`
	Stories     string   `json:"stories,omitempty" enum:"on,off" doc:"Whether articles may join stories with those of other feeds; on by default"`
	Group       string   `json:"group,omitempty" maxLength:"1000" doc:"Feeds of one group are of one publisher as far as stories go"`
	Apart       []string `json:"apart,omitempty" maxItems:"50" doc:"Groups with whose feeds this one never shares a story"`
}

func policyOf(p dedup.Policy) Policy {
	out := Policy{
		Identity: string(p.Identity), MissingGUID: string(p.MissingGUID), Near: string(p.Near), Permanent: p.Permanent, Stories: string(p.Stories),
		Group: p.Group, Apart: p.Apart,
	}
	for _, id := range p.SuspectOnly {
		out.SuspectOnly = append(out.SuspectOnly, string(id))
	}
	return out
}

// policy returns what dedup understands, with the defaults not written down, so that they may improve.
func (p Policy) policy() (dedup.Policy, error) {
	orDefault := func(value, what string) string {
		if value == what {
			return ""
		}
		return value
	}
	out := dedup.Policy{
		Identity: dedup.Identity(orDefault(p.Identity, "auto")), MissingGUID: dedup.MissingGUID(orDefault(p.MissingGUID, "synthesise")),
		Near: dedup.Near(orDefault(p.Near, "on")), Permanent: p.Permanent, Stories: dedup.Stories(orDefault(p.Stories, "on")),
		Group: plain(p.Group, 1000),
	}
	for _, id := range p.SuspectOnly {
		out.SuspectOnly = append(out.SuspectOnly, dedup.RuleID(id))
	}
	for _, group := range p.Apart {
		if group = plain(group, 1000); group != "" && !slices.Contains(out.Apart, group) {
			out.Apart = append(out.Apart, group)
		}
	}
	text, err := json.Marshal(out)
	if err != nil {
		return out, err
	}
	return amend.ParsePolicy(string(text))
}

func (s *server) policyRoutes() {
	route(s, operation{id: "get-policy", method: http.MethodGet, path: "/feeds/{feed}/policy", tag: "feeds", summary: "The policy of a feed", errors: []int{http.StatusNotFound}}, s.getPolicy)
	route(s, operation{id: "set-policy", method: http.MethodPut, path: "/feeds/{feed}/policy", tag: "feeds", summary: "Change the policy of a feed",
		about:  "The whole policy is given; what is absent has its default. The articles that are stored get their identities under the new policy in the same transaction: none is new, none is told again.",
		errors: []int{http.StatusNotFound, http.StatusConflict}}, s.setPolicy)
	route(s, operation{id: "simulate-policy", method: http.MethodPost, path: "/feeds/{feed}/policy/simulate", tag: "feeds", summary: "Say what would differ under another policy; changes nothing",
		about:  "What is stored of the feed is judged once more, under the policy given and under the present one.",
		errors: []int{http.StatusNotFound}}, s.simulatePolicy)
}

// policyAnswer is a policy, and what it means.
type policyAnswer struct {
	Policy    Policy   `json:"policy"`
	Sentences []string `json:"sentences" doc:"What it does, in plain words"`
}

func (s *server) getPolicy(ctx context.Context, in *FeedPath) (*body[policyAnswer], error) {
	var out policyAnswer
	err := s.view(ctx, func(tx *store.Tx) error {
		f, err := tx.Feed(in.Feed)
		if err != nil {
			return err
		}
		p, err := amend.ParsePolicy(f.Policy)
		out = policyAnswer{policyOf(p), p.Sentences()}
		return err
	})
	return answer(out, err)
}

type policyInput struct {
	FeedPath
	Body Policy
}

func (s *server) setPolicy(ctx context.Context, in *policyInput) (*body[policyAnswer], error) {
	p, err := in.Body.policy()
	if err != nil {
		return nil, err
	}
	if _, err := amend.SetPolicy(ctx, s.Store, in.Feed, p, s.by(ctx)); err != nil {
		return nil, err
	}
	return answer(policyAnswer{policyOf(p), p.Sentences()}, nil)
}

type simulateInput struct {
	FeedPath
	Since time.Time `query:"since" doc:"Only what came from then on"`
	Body  Policy
}

// Simulation says what would differ under another policy.
type Simulation struct {
	Policy      Policy       `json:"policy"`
	Sentences   []string     `json:"sentences" doc:"What it does, in plain words"`
	Arrivals    int          `json:"arrivals" doc:"Arrivals that were judged once more"`
	From        *time.Time   `json:"from,omitempty"`
	To          *time.Time   `json:"to,omitempty"`
	Articles    int          `json:"articles" doc:"Articles there would be"`
	Now         int          `json:"now" doc:"Articles the same replay gives under the present policy"`
	Unlike      int          `json:"unlike" doc:"Arrivals that the replay under the present policy decides otherwise than was decided: too little is stored of them"`
	Differences []Difference `json:"differences" doc:"In order of time"`
}

// Difference is an arrival that would be decided otherwise.
type Difference struct {
	Kind     string           `json:"kind" enum:"folded,article,held,refused,released" doc:"folded: an article that would be a copy or version of another one; article: a copy or version that would be an article; held; refused; released: it is held or refused, and would not be"`
	At       time.Time        `json:"at"`
	Entry    feedonce.EntryID `json:"entry,omitempty" doc:"The article it is or belongs to now"`
	Into     feedonce.EntryID `json:"into,omitempty" doc:"The article it would be folded into"`
	Decision int64            `json:"decision,omitempty" doc:"Of an arrival that was not shown"`
	Title    string           `json:"title,omitempty"`
	GUID     string           `json:"guid,omitempty"`
	URL      string           `json:"url,omitempty"`
	Rule     string           `json:"rule" doc:"That would decide"`
	Sentence string           `json:"sentence,omitempty"`
	WasRule  string           `json:"was_rule" doc:"That decides now"`
	Evidence dedup.Evidence   `json:"evidence"`
}

func (s *server) simulatePolicy(ctx context.Context, in *simulateInput) (*body[Simulation], error) {
	p, err := in.Body.policy()
	if err != nil {
		return nil, err
	}
	sim, err := amend.Simulate(ctx, s.Store, in.Feed, p, in.Since)
	if err != nil {
		return nil, err
	}
	out := Simulation{
		Policy: policyOf(p), Sentences: p.Sentences(), Arrivals: sim.Arrivals, From: shape.Moment(sim.From), To: shape.Moment(sim.To),
		Articles: sim.Articles, Now: sim.Now, Unlike: sim.Unlike, Differences: make([]Difference, len(sim.Difference)),
	}
	for i, d := range sim.Difference {
		outcome := dedup.Outcome("")
		if d.Kind == amend.DiffRefused {
			outcome = dedup.Invalid
		}
		out.Differences[i] = Difference{string(d.Kind), d.At.UTC(), d.Entry, d.Into, d.Decision, d.Title, d.GUID, d.URL,
			string(d.Rule), explain.RuleOf(d.Rule, outcome).Sentence, string(d.WasRule), d.Evidence}
	}
	return answer(out, nil)
}

// by is the token's user, who changes something.
func (s *server) by(ctx context.Context) amend.By {
	return amend.By{Who: caller(ctx).Name, At: s.Now()}
}
