package dedup

import "time"

// Limits on telling (DEDUP 2.7): an article is stored and shown whatever these say; they only keep destinations quiet.
const (
	bulkLeast  = 10                  // new articles in one document that are never too many
	bulkUsual  = 5                   // times the usual number that is
	oldArticle = 7 * 24 * time.Hour  // published longer ago, with newer ones known: an archive page
	longGap    = 14 * 24 * time.Hour // the feed was not seen for so long
	gapSlack   = 48 * time.Hour
)

// Why an article by itself is not told.
const (
	quietFirst = "first document of the feed"
	quietOld   = "an old article"
)

// tell decides whether new articles are told to destinations.
func (j *Judge) tell(res *Result, m *matching) {
	first := j.state.Documents == 0
	n := 0
	for i := range res.Decisions {
		if res.Decisions[i].Outcome == New {
			n++
		}
	}
	bulk := n > max(bulkLeast, int(bulkUsual*j.state.Usual))
	now := j.doc.Fetched.Unix()
	newest := int64(0)
	for i := range j.state.Manifest {
		if p := j.state.Manifest[i].Published; p <= now {
			newest = max(newest, p)
		}
	}
	for i := range res.Decisions {
		d := &res.Decisions[i]
		if d.Outcome != New {
			continue
		}
		pub := j.of[d.Item].f.pub
		switch {
		case first:
			d.Quiet = quietFirst
		case m.reissue && pub <= newest: // what is left of an old list; a later date is news
			d.Quiet = "the whole list was sent anew"
		case bulk:
			d.Quiet = "many at once"
		case pub != 0 && j.state.LastSeen != 0 && now-j.state.LastSeen > int64(longGap/time.Second) && pub < j.state.LastSeen-int64(gapSlack/time.Second):
			d.Quiet = "older than the last look at the feed"
		case pub != 0 && now-pub > int64(oldArticle/time.Second) && newest > pub:
			d.Quiet = quietOld
		default:
			d.Tell = true
		}
	}
}
