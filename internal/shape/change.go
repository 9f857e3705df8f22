package shape

import (
	"time"

	"feedonce"
	"feedonce/internal/store"
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

// LogLines reads the lines of the change log behind one, oldest first, with each article as it is now; with its texts, if they
// are wanted.
func LogLines(tx *store.Tx, after int64, limit int, texts bool) ([]LogLine, error) {
	changes, err := tx.Changes(after, limit)
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	instance, err := tx.Instance()
	if err != nil {
		return nil, err
	}
	ids := make([]feedonce.EntryID, len(changes))
	for i, c := range changes {
		ids[i] = c.Entry
	}
	articles, err := tx.EntriesWithTexts(ids)
	if err != nil {
		return nil, err
	}
	lines := make([]LogLine, len(changes))
	for i, c := range changes {
		l := LogLine{Seq: c.Seq, At: c.At.UTC(), Kind: string(c.Kind), Feed: c.Feed, Entry: c.Entry, ID: c.Entry.URN(instance), Other: c.Other, Revision: c.Revision}
		if c.Other != 0 {
			l.OtherID = c.Other.URN(instance)
		}
		if en, there := articles[c.Entry]; there {
			article := EntryOf(en)
			if !texts {
				article.Summary, article.Content = "", ""
			}
			l.Article = &article
		}
		lines[i] = l
	}
	return lines, nil
}
