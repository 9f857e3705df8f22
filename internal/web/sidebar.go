package web

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"feedonce"
	"feedonce/internal/store"
)

// A sidebar is what a person follows, with how much of it is unread, beside every page for reading.
type sidebar struct {
	Views   []sideLink
	Folders []sideFolder
	Loose   []sideLink // feeds in no folder
	More    int64      // of them that are not shown
	Unread  int64
	names   map[feedonce.FeedID]string
}

type sideLink struct {
	Name, Path string
	Unread     int64
	Count      string // names what Unread is of, for the script: see counts
	Current    bool
	Failing    bool
}

type sideFolder struct {
	sideLink
	Open  bool
	Feeds []sideLink
	More  int64 // feeds that are not shown
}

// maxSideFeeds is how many feeds of a folder stand in the sidebar: those with something unread first. All are on the list of feeds.
const maxSideFeeds = 150

// sidebar reads what somebody follows: three statements. here is the list that the page shows or was reached from.
func (s *server) sidebar(tx *store.Tx, r *http.Request, here listing) (*sidebar, error) {
	who := user(r).ID
	feeds, err := tx.FollowedFeeds(who)
	if err != nil {
		return nil, err
	}
	unread, err := tx.UnreadCounts(who)
	if err != nil {
		return nil, err
	}
	b := &sidebar{Unread: unread.All, names: make(map[feedonce.FeedID]string, len(feeds))}
	for _, v := range []struct {
		name string
		at   listing
	}{{"Unread", listing{view: store.ViewUnread}}, {"All", listing{view: store.ViewAll}}, {"Starred", listing{view: store.ViewStarred}}, {"History", listing{view: store.ViewHistory}}} {
		link := sideLink{Name: v.name, Path: v.at.path(), Current: here.words == "" && here.view == v.at.view && here.feed == 0 && here.folder == nil}
		if v.at.view == store.ViewUnread {
			link.Unread, link.Count = unread.All, "all"
		}
		b.Views = append(b.Views, link)
	}
	slices.SortFunc(feeds, func(x, y store.Followed) int {
		return cmp.Or(strings.Compare(strings.ToLower(x.Name), strings.ToLower(y.Name)), cmp.Compare(x.Feed, y.Feed))
	})
	at := map[string]int{}
	for _, f := range feeds {
		b.names[f.Feed] = f.Name
		n := unread.Feeds[f.Feed]
		link := sideLink{Name: f.Name, Unread: n, Count: "feed " + strconv.FormatInt(int64(f.Feed), 10), Failing: f.Failing, Current: here.feed == f.Feed}
		link.Path = someOf(listing{feed: f.Feed}, n).path()
		if f.Folder == "" {
			b.Loose = append(b.Loose, link)
			continue
		}
		i, ok := at[f.Folder]
		if !ok {
			n := unread.Folders[f.Folder]
			i = len(b.Folders)
			at[f.Folder] = i
			in := sideLink{Name: f.Folder, Unread: n, Count: "folder " + f.Folder, Path: someOf(listing{folder: &f.Folder}, n).path()}
			in.Current = here.folder != nil && *here.folder == f.Folder
			b.Folders = append(b.Folders, sideFolder{sideLink: in, Open: in.Current})
		}
		b.Folders[i].Feeds = append(b.Folders[i].Feeds, link)
		b.Folders[i].Open = b.Folders[i].Open || link.Current
	}
	slices.SortFunc(b.Folders, func(x, y sideFolder) int {
		return cmp.Or(strings.Compare(strings.ToLower(x.Name), strings.ToLower(y.Name)), strings.Compare(x.Name, y.Name))
	})
	for i := range b.Folders {
		b.Folders[i].Feeds, b.Folders[i].More = fewer(b.Folders[i].Feeds)
	}
	b.Loose, b.More = fewer(b.Loose)
	return b, nil
}

// someOf is the list of a feed or folder that has something in it: what is unread, or everything where nothing is.
func someOf(p listing, unread int64) listing {
	p.view = store.ViewUnread
	if unread == 0 {
		p.view = store.ViewAll
	}
	return p
}

// fewer keeps maxSideFeeds, in their order.
func fewer(links []sideLink) (kept []sideLink, more int64) {
	if len(links) <= maxSideFeeds {
		return links, 0
	}
	more = int64(len(links) - maxSideFeeds)
	left := len(links) - maxSideFeeds // to be dropped: what is read first, from the end
	drop := make([]bool, len(links))
	for _, read := range []bool{true, false} {
		for i := len(links) - 1; i >= 0 && left > 0; i-- {
			if l := links[i]; !l.Current && (l.Unread == 0) == read && !drop[i] {
				drop[i] = true
				left--
			}
		}
	}
	for i, l := range links {
		if !drop[i] {
			kept = append(kept, l)
		}
	}
	return kept, more
}

// Badge is the number on the icon of the tab: above 99 there is no room for more.
func (b *sidebar) Badge() int64 { return min(b.Unread, 100) }

// name is what a person calls a feed, also one that they do not follow.
func (b *sidebar) name(names *namer, id feedonce.FeedID) (string, error) {
	if name, ok := b.names[id]; ok {
		return name, nil
	}
	f, err := names.feed(id)
	return f.Name(), err
}
