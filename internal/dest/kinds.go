package dest

import (
	"cmp"
	"slices"
)

// kinds are all kinds of destinations. Each stands in a file of its name.
var kinds = []*Kind{Webhook, Slack, Discord, Teams, Ntfy, WebPush, Email, Exec, File, NATS}

// Kinds returns all kinds of destinations, sorted by name.
func Kinds() []*Kind {
	return slices.SortedFunc(slices.Values(kinds), func(a, b *Kind) int { return cmp.Compare(a.Name, b.Name) })
}

// ByName returns a kind, or nil.
func ByName(name string) *Kind {
	for _, k := range kinds {
		if k.Name == name {
			return k
		}
	}
	return nil
}
