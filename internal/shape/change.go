package shape

import (
	"time"

	"feedonce"
)

// LogLine is a line of the change log.
type LogLine struct {
	Seq      int64            `json:"seq" doc:"Grows; nothing appears later below one that was read"`
	At       time.Time        `json:"at"`
	Kind     string           `json:"kind" enum:"article.created,article.updated,article.merged,article.split,article.withdrawn" doc:"merged: it is shown as other now; split: it was split off other, and is an article of its own; withdrawn: it is gone with its feed"`
	Feed     feedonce.FeedID  `json:"feed"`
	Entry    feedonce.EntryID `json:"entry"`
	ID       string           `json:"id" doc:"The article's name in the world, a URN, as in messages and output feeds"`
	Other    feedonce.EntryID `json:"other,omitempty"`
	OtherID  string           `json:"other_id,omitempty"`
	Revision int              `json:"revision" doc:"Of the article after the change"`
	Article  *Entry           `json:"article,omitempty" doc:"The article as it is now; absent where it is gone"`
}

// LogLineOf is a change; article is nil where it is gone.
func LogLineOf(c feedonce.Change, instance string, article *Entry) LogLine {
	l := LogLine{Seq: c.Seq, At: c.At.UTC(), Kind: string(c.Kind), Feed: c.Feed, Entry: c.Entry, ID: c.Entry.URN(instance), Other: c.Other, Revision: c.Revision, Article: article}
	if c.Other != 0 {
		l.OtherID = c.Other.URN(instance)
	}
	return l
}
