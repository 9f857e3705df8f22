package api

import (
	"context"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

func TestSearch(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		s.fill()
		for more := true; more; {
			var err error
			if more, err = st.IndexSearch(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		titles := func(query string) []string {
			var all []string
			for after := ""; ; {
				var page entryList
				s.call("GET", "entries?limit=1&"+query+"&after="+url.QueryEscape(after), "", 200, &page)
				for _, e := range page.Entries {
					all = append(all, e.Title)
				}
				if after = page.Next; after == "" {
					return all
				}
			}
		}
		const harbour, bakery = "Harbour closed after accident", "Bakery is a hundred"
		for _, test := range []struct {
			query string
			want  []string
		}{
			{"q=HARBOUR", []string{harbour, harbour}},
			{"q=harbour&feed=1", []string{harbour}},
			{"q=" + url.QueryEscape(`correction "three ovens"`), []string{bakery}}, // of the text, which was updated
			{"q=" + url.QueryEscape(`"ovens three"`), nil},
			{"q=hundred&words=nowhere", []string{bakery}},
			{"q=-harbour", []string{bakery}},
			{"q=" + url.QueryEscape("\x00 ' \" ( NEAR"), nil},
		} {
			if diff := cmp.Diff(test.want, titles(test.query)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.query, diff)
			}
		}
	})
}
