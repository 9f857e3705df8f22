package browsertest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"feedonce/dedup"
	"feedonce/internal/browser"
)

// badge is how much is unread, as the sidebar and the title of the tab say.
const badge = `document.querySelector('.side [data-count=all]').textContent + ' ' + document.title.split(' ')[0]`

// unreadRows are the titles of the rows that look unread.
const unreadRows = `[...document.querySelectorAll('[data-row].unread h3 bdi')].map(e => e.textContent).join('|')`

// TestMarks reads in one window, and sees it in another.
func TestMarks(t *testing.T) {
	s := start(t)
	items := numbered(1, 6)
	feed := publish(t, "The Tidy Times", items...)
	id := s.follow(feed.url, "News & more", dedup.Policy{})
	profile := browser.NewProfile(t, s.url)
	p, other := profile.Page(), profile.Page()
	s.signIn(p)
	other.Open("/folder?name=News+%26+more")
	p.Open("/")
	p.Until(badge + ` === '6 (6)'`)

	// To open it is to read it, here and in the other window, and the list knows it when one comes back.
	p.Follow(browser.Named(items[0].title))
	p.Until(badge + ` === '5 (5)'`)
	p.Until(`document.querySelector('.read-mark').getAttribute('aria-pressed') === 'true'`)
	other.Until(badge + ` === '5 (5)'`)
	other.Until(`!(` + unreadRows + `).includes(` + fmt.Sprintf("%q", items[0].title) + `)`)
	other.Until(`document.querySelector('[data-count="folder News & more"]').textContent === '5'`)
	if icon := browser.Eval[string](other, "document.getElementById('icon').getAttribute('href')"); icon != "/badge.svg?n=5" {
		t.Errorf("the icon of the tab is %q", icon)
	}
	p.Follow(browser.Named("← The list"))
	p.Silent(items[0].title)
	p.Follow(browser.Named(items[1].title))
	p.Until(badge + ` === '4 (4)'`)
	p.Follow(browser.Named("Next"))
	p.Says(items[2].title)
	p.Until(badge + ` === '3 (3)'`)
	browser.Eval[bool](p, "(setTimeout(() => history.back()), true)") // answered before the page is gone
	p.Until(`document.querySelector('h1').textContent === ` + fmt.Sprintf("%q", items[1].title))
	browser.Eval[bool](p, "(setTimeout(() => history.back()), true)") // answered before the page is gone
	p.Until(`document.querySelector('h1').textContent === 'Unread'`)
	p.Until(unreadRows + ` === ` + fmt.Sprintf("%q", items[3].title+"|"+items[4].title+"|"+items[5].title))

	// A button in a row does it without moving anything.
	top := `Math.round(document.querySelectorAll('[data-row]')[2].getBoundingClientRect().top)`
	before := browser.Eval[int](p, top)
	first := browser.CSS("[data-row].unread .read-mark")
	p.Click(first)
	p.Until(badge + ` === '2 (2)'`)
	p.Click(browser.CSS("[data-row].unread .star-mark"))
	p.Until(`document.querySelectorAll('.star-mark[aria-pressed=true]').length === 1`)
	if after := browser.Eval[int](p, top); after != before {
		t.Errorf("the third row moved from %d to %d", before, after)
	}
	p.Axe()
	other.Open("/starred")
	other.Says(items[4].title)
	other.Silent(items[3].title)

	// What comes while a list stands open is announced, and "all" does not mean it.
	feed.now(append(numbered(7, 7), items...)...)
	s.pass(time.Hour)
	s.poll(id)
	p.Wait(browser.Named("1 new article"))
	p.Follow(browser.Named("Mark everything as read"))
	p.Says("2 articles are marked as read", numbered(7, 7)[0].title)
	p.Silent(items[5].title)
	other.Until(badge + ` === '1 (1)'`)
	p.Follow(browser.CSS(".notice button"))
	p.Says("2 articles are unread again", items[5].title)
	p.Until(badge + ` === '3 (3)'`)
}

// TestKeys reads by single keys.
func TestKeys(t *testing.T) {
	s := start(t)
	items := numbered(1, 4)
	feed := publish(t, "The Tidy Times", items...)
	id := s.follow(feed.url, "", dedup.Policy{})
	s.again(id, feed, items)
	p := s.page()
	p.Open("/")
	at := func(want string) {
		t.Helper()
		if got := browser.Eval[string](p, `document.querySelector('.here h3 bdi')?.textContent + '|' + (document.activeElement.closest('.here') !== null)`); got != want+"|true" {
			t.Errorf("the keys are at %q, want %q", got, want+"|true")
		}
	}
	for _, press := range []struct {
		key string
		at  int
	}{{"j", 0}, {"j", 1}, {"n", 2}, {"k", 1}, {"p", 0}, {"k", 0}} {
		p.Press(press.key)
		at(items[press.at].title)
	}
	p.Press("d")
	p.Until(`document.querySelector('.here .copies').open`)
	p.Press("m")
	p.Until(badge + ` === '3 (3)'`)
	p.Press("m")
	p.Until(badge + ` === '4 (4)'`)
	p.Press("f")
	p.Until(`document.querySelector('.here .star-mark').getAttribute('aria-pressed') === 'true'`)
	p.Press("?")
	p.Until(`document.getElementById('help').open`)
	p.Says("previous of the list")
	p.Shot("help.desktop.light")
	p.Axe()
	p.Press("j") // is for the list, which is behind
	p.Press(kb.Escape)
	p.Until(`!document.getElementById('help').open`)
	at(items[0].title)
	p.PressAndFollow("o")
	p.Says(items[0].title)
	p.PressAndFollow("n")
	p.Says(items[1].title)
	p.Press("f")
	p.Until(`document.querySelector('.star-mark').getAttribute('aria-pressed') === 'true'`)
	p.Press("w")
	p.Until(`location.hash === '#why'`)
	p.Press("g")
	p.PressAndFollow("b")
	p.Says("Starred", items[0].title, items[1].title)
	p.Press("g")
	p.Press("x") // is nothing, and "b" begins anew
	p.Press("b")
	if got := p.Path(); got != "/starred" {
		t.Errorf("b alone leads to %s", got)
	}
	p.Press("/")
	p.Until(`document.activeElement.id === 'q'`)
	p.Press("gu?")
	if got := browser.Eval[string](p, "document.activeElement.id + ' ' + document.activeElement.value"); !strings.HasPrefix(got, "q ") || !strings.HasSuffix(got, "gu?") {
		t.Errorf("typed into %q, want q and gu?", got)
	}
	p.PressAndFollow(kb.Enter)
	p.Open(fmt.Sprintf("/entries/%d", s.entry(items[0].title).ID))
	p.PressAndFollow("x")
	p.Says("Not a duplicate?")
	for _, to := range []struct{ key, path string }{{"u", "/"}, {"a", "/all"}, {"h", "/history"}, {"f", "/feeds"}, {"s", "/settings"}, {"c", "/"}} {
		p.Press("g")
		p.PressAndFollow(to.key)
		if got := p.Path(); got != to.path {
			t.Errorf("g %s leads to %s, want %s", to.key, got, to.path)
		}
	}
	p.PressAndFollow("+")
	p.PressAndFollow("/")
	if got := browser.Eval[string](p, "location.pathname + document.activeElement.id"); got != "/q" {
		t.Errorf("/ leads to %s, want the field for words", got)
	}
	p.Open("/")
	p.PressAndFollow("A")
	p.Says("marked as read")
	p.PressAndFollow("u")
	p.Says("unread again")
}

// TestMarksWithoutScript reads, stars and marks all with scripts switched off.
func TestMarksWithoutScript(t *testing.T) {
	s := start(t)
	items := numbered(1, 4)
	feed := publish(t, "The Tidy Times", items...)
	s.follow(feed.url, `Odd & "quoted" <b>/100%`, dedup.Policy{})
	p := browser.NewProfile(t, s.url).Page()
	p.NoScript()
	s.signIn(p)
	p.Open("/")
	p.Follow(browser.In(".articles li", items[1].title, "Read"))
	p.Says("Marked as read", items[0].title)
	p.Silent(items[1].title)
	p.Follow(browser.Named("Undo"))
	p.Says(items[1].title)
	p.Follow(browser.In(".articles li", items[2].title, "Starred"))
	p.Follow(browser.Named("Starred"))
	p.Follow(browser.Named(items[2].title))
	p.Follow(browser.CSS(".actions .read-mark"))
	p.Says("Marked as read", items[2].title)
	p.Follow(browser.CSS(".views a"))
	p.Silent(items[2].title)
	p.Follow(browser.CSS(".folder > a"))
	if got := p.Text(browser.CSS("h1")); got != `Odd & "quoted" <b>/100%` {
		t.Errorf("the folder is called %q", got)
	}
	p.Says(items[0].title)
	p.Follow(browser.Named("Mark all of this folder as read"))
	p.Says("3 articles are marked as read")
	if title := browser.Eval[string](p, "document.title"); strings.HasPrefix(title, "(") {
		t.Errorf("the title of the tab is %q, and nothing is unread", title)
	}
	p.Size(browser.Phone)
	p.Open("/all")
	p.Until(`!document.querySelector(".all-feeds a").checkVisibility({contentVisibilityAuto: true, checkVisibilityCSS: true}) || document.querySelector(".all-feeds a").getBoundingClientRect().height === 0`) // the feeds are folded away on a telephone
	p.Shot("lists.phone.light")
	p.Wide()
}
