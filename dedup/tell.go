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

// QuietMany is Decision.Quiet of new articles that are kept quiet only because so many came at once: a program that can
// tell of all of them in one message need not keep them back.
const QuietMany = "many at once"

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
	// Rule U: a list that is new for the most part is a busy feed's, if its dates say so, or one in which nothing tells
	// items apart. The latter is told nothing of: from the first such document on where guids are no evidence, else after
	// strangeDocuments in a row.
	strange := !first && j.strange(res) && (j.guidless() || j.state.Strange+1 >= strangeDocuments)
	fresh := map[int]bool{}
	if strange {
		var dates []int64
		for i := range res.Decisions {
			if pub := j.datedNew(res, i); pub != 0 {
				dates = append(dates, pub)
			}
		}
		if !redated(dates, now) {
			for i := range res.Decisions {
				fresh[i] = j.datedNew(res, i) > j.state.LastSeen-3600
			}
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
		case strange && !fresh[i]:
			d.Quiet = "most of the list is new, and its dates do not say so"
		case pub != 0 && j.state.LastSeen != 0 && now-j.state.LastSeen > int64(longGap/time.Second) && pub < j.state.LastSeen-int64(gapSlack/time.Second):
			d.Quiet = "older than the last look at the feed"
		case pub != 0 && now-pub > int64(oldArticle/time.Second) && newest > pub:
			d.Quiet = quietOld
		case bulk: // last, as it is no reason by itself
			d.Quiet = QuietMany
		default:
			d.Tell = true
		}
	}
}

// strangeDocuments is how many documents in a row must be new for the most part until the feed counts as one in which
// nothing tells items apart (DEDUP 2.6, rule U).
const strangeDocuments = 3

// strange reports whether at least four fifths of a document, and four items, are new.
func (j *Judge) strange(res *Result) bool {
	n := 0
	for i := range res.Decisions {
		if res.Decisions[i].Outcome == New {
			n++
		}
	}
	return n >= 4 && n*5 >= len(j.arrivals)*4
}

// guidless reports whether guids are no evidence in this document: hardly an item has one of its own.
func (j *Judge) guidless() bool {
	if j.guidsWeak() || j.state.Churn > 0 {
		return true
	}
	own := 0
	for _, a := range j.arrivals {
		if a.f.guid != "" && !j.sharedGUID(a.f.guid) {
			own++
		}
	}
	return own*2 < len(j.arrivals)
}

// datedNew returns the date of an item that is new; 0 where it is not or has none.
func (j *Judge) datedNew(res *Result, i int) int64 {
	if res.Decisions[i].Outcome != New || j.of[i].f.ahead || j.state.DatesVolatile {
		return 0
	}
	return j.of[i].f.pub
}
