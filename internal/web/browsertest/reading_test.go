package browsertest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"feedonce/dedup"
	"feedonce/internal/account"
	"feedonce/internal/browser"
)

// TestFirstVisit sets feedonce up by the address that its log shows, adds a feed that then regenerates all its guids, and looks for
// an article by its words.
func TestFirstVisit(t *testing.T) {
	s := start(t)
	items := numbered(1, 6)
	feed := publish(t, "The Tidy Times", items...)
	link, err := account.SetUpLink(t.Context(), s.store)
	if err != nil {
		t.Fatal(err)
	}
	p := browser.NewProfile(t, s.url).Page()
	p.Open(link)
	p.Type(browser.CSS("#name"), "ann")
	p.Type(browser.CSS("#password"), "correct horse")
	p.Follow(browser.Named("Begin"))
	p.Open("/add")
	p.Type(browser.Named("Address"), feed.url)
	p.Follow(browser.In("section.card", "One feed", "Add"))
	p.Says("The Tidy Times", items[0].title)

	for i := range items {
		items[i].guid += "-regenerated"
	}
	feed.now(items...)
	s.pass(time.Hour)
	s.poll(1)
	p.Open("/")
	p.Until(badge + ` === '6 (6)'`)

	for more := true; more; {
		if more, err = s.store.IndexSearch(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	p.Type(browser.CSS("#q"), items[2].title)
	p.Follow(browser.Named("Find"))
	p.Says("Search", items[2].title)
	p.Silent(items[3].title)
	p.Type(browser.CSS("#q"), "spoke -"+strings.Fields(items[2].title)[0])
	p.Follow(browser.Named("Find"))
	p.Until(`document.querySelector('.snippet mark').textContent === 'spoke'`)
	p.Silent(items[2].title)
	p.Axe()
}

// TestLive has two windows open while a feed gets more articles: both say so, and neither moves its list.
func TestLive(t *testing.T) {
	s := start(t)
	feed := publish(t, "The Tidy Times", numbered(1, 20)...)
	id := s.follow(feed.url, "", dedup.Policy{})
	profile := browser.NewProfile(t, s.url)
	first, second := profile.Page(), profile.Page()
	s.signIn(first)
	first.Open("/")
	second.Open(fmt.Sprintf("/feeds/%d", id))
	const top = "document.querySelector('.articles a').innerText + Math.round(document.querySelector('.articles a').getBoundingClientRect().top)"
	before := browser.Eval[string](first, top)
	first.Silent("new article")

	feed.now(numbered(1, 22)...)
	s.poll(id)
	for _, p := range []*browser.Page{first, second} {
		p.Wait(browser.Named("2 new articles"))
	}
	if after := browser.Eval[string](first, top); after != before {
		t.Errorf("the list moved: %q, then %q", before, after)
	}
	if got := browser.Eval[string](first, "document.title"); got != "(22) Unread · feedonce" {
		t.Errorf("the title of the tab is %q", got)
	}
	feed.now(numbered(1, 23)...)
	s.poll(id)
	first.Wait(browser.Named("3 new articles"))
	first.Axe()
	first.Follow(browser.Named("3 new articles"))
	first.Says(numbered(23, 23)[0].title)
	first.Silent("new article")
}

// TestWithoutScript reads with scripts switched off.
func TestWithoutScript(t *testing.T) {
	s := start(t)
	feed := publish(t, "The Tidy Times", numbered(1, 5)...)
	s.follow(feed.url, "", dedup.Policy{})
	p := browser.NewProfile(t, s.url).Page()
	p.NoScript()
	s.signIn(p)
	p.Open("/")
	newest := numbered(5, 5)[0]
	p.Follow(browser.Named(newest.title))
	p.Says(newest.title, "spoke of nothing else", "Why it is here")
	p.Follow(browser.Named("The Tidy Times"))
	p.Says("Arrivals so far: 5 new")
	p.Follow(browser.Named("Poll now"))
	p.Says("Arrivals so far: 5 new")
	p.Follow(browser.Named("Decisions"))
	p.Says("None yet")
}

// TestKeyboard reaches everything on a page by the Tab key alone, sees where it is, and opens an article.
func TestKeyboard(t *testing.T) {
	s := start(t)
	feed := publish(t, "The Tidy Times", numbered(1, 4)...)
	id := s.follow(feed.url, "News", dedup.Policy{})
	p := s.page()
	for _, path := range []string{"/", "/feeds", fmt.Sprintf("/feeds/%d", id), fmt.Sprintf("/feeds/%d/policy", id), "/decisions", "/add", "/compare", "/destinations/add", "/entries/1", "/account"} {
		p.Open(path)
		// Of a group of radio buttons the keys of a browser reach the one that is chosen.
		browser.Eval[bool](p, `(window.wanted = new Set([...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary')].filter(e =>
			e.checkVisibility() && !e.disabled && (e.type !== 'radio' || e.checked))), true)`)
		for range 200 {
			p.Press(kb.Tab)
			at := browser.Eval[struct {
				Body, Seen bool
				What       string
			}](p, `(e => {
				if (e === document.body || e === document.documentElement) return {Body: true}
				window.wanted.delete(e)
				const r = e.getBoundingClientRect(), s = getComputedStyle(e)
				return {Seen: s.outlineStyle !== 'none' && r.width > 0 && r.top < innerHeight && r.bottom > 0 && r.left < innerWidth && r.right > 0, What: e.outerHTML.slice(0, 150)}
			})(document.activeElement)`)
			if at.Body {
				break
			}
			if !at.Seen {
				t.Errorf("%s: nobody sees that the keyboard is at %s", path, at.What)
			}
			if browser.Eval[int](p, "window.wanted.size") == 0 {
				break
			}
		}
		for _, missed := range browser.Eval[[]string](p, "[...window.wanted].map(e => e.outerHTML.slice(0, 150))") {
			t.Errorf("%s: the Tab key does not reach %s", path, missed)
		}
	}
	p.Open("/all") // /entries/1 was opened, which is to read it
	p.Press(kb.Tab)
	p.Press(kb.Enter) // skips to the text
	newest := numbered(4, 4)[0].title
	for range 20 {
		p.Press(kb.Tab)
		if browser.Eval[string](p, "document.activeElement.innerText") == newest {
			break
		}
	}
	p.PressAndFollow(kb.Enter)
	if got := p.Text(browser.CSS("h1")); got != newest {
		t.Errorf("the keyboard leads to %q, want %q", got, newest)
	}
}
