package dedup

// A RuleID names the rule that decided, such as "G2" or "R1". IDs are stored and shown: never give one another meaning.
type RuleID string

// A Rule is one way to decide.
type Rule struct {
	ID       RuleID
	Name     string // a few words: "same link, title and text"
	Sentence string // for a person who never read the design
}

// RuleByID returns the rule with this ID; a rule that is not known has only its ID.
func RuleByID(id RuleID) Rule { return Rule{ID: id} }
