package browser

import (
	"fmt"
	"strings"
)

// Wide fails the test if the page is wider than its window, and names what sticks out.
func (p *Page) Wide() {
	p.t.Helper()
	out := Eval[[]string](p, `(() => {
		const wide = Math.min(document.documentElement.clientWidth, `+fmt.Sprint(p.size.Width)+`)
		if (document.scrollingElement.scrollWidth <= wide) return []
		const name = e => e.tagName.toLowerCase() + (e.id && '#' + e.id) + [...e.classList].map(c => '.' + c).join('')
		const end = e => { const r = e.getBoundingClientRect(); return Math.max(r.right, r.left + e.scrollWidth) }
		const scrolls = e => e && (e !== document.body && e !== document.documentElement && getComputedStyle(e).overflowX !== 'visible' || scrolls(e.parentElement))
		const list = [...document.querySelectorAll('body *')].filter(e => end(e) > wide + .5 && !scrolls(e))
		return ['it is ' + document.scrollingElement.scrollWidth + ' wide in a window of ' + wide].concat(
			list.slice(-8).map(e => name(e.parentElement) + ' > ' + name(e) + ' ends at ' + Math.round(end(e)) + ': ' + e.textContent.trim().slice(0, 80)))
	})()`)
	if len(out) > 0 {
		p.t.Errorf("on %s: the page scrolls sideways:\n  %s", p.at, strings.Join(out, "\n  "))
	}
}
