package browser

import "fmt"

// An Element says how to find something on a page.
type Element struct {
	says string // for messages
	js   string // an expression that is the element, or null
}

// CSS is the first element that a selector matches.
func CSS(selector string) Element {
	return Element{selector, "document.querySelector(" + quote(selector) + ")"}
}

// Named is the first link, button or field that is seen and that a person calls so: by its label, or by its text.
func Named(name string) Element {
	return Element{fmt.Sprintf("%q", name), named("document", name)}
}

// In is Named within the first element that has a text and that a selector matches: a row of a list.
func In(selector, text, name string) Element {
	return Element{
		fmt.Sprintf("%q in %s with %q", name, selector, text),
		named("[...document.querySelectorAll("+quote(selector)+")].find(e => e.innerText.includes("+quote(text)+"))", name),
	}
}

func named(within, name string) string {
	return `(root => root ? [...root.querySelectorAll('a[href], button, summary, input:not([type=hidden]), select, textarea')].find(e => {
		if (!e.checkVisibility()) return false
		const clean = s => (s || '').replace(/\s+/g, ' ').trim()
		return clean(e.getAttribute('aria-label')) === ` + quote(name) + ` || clean(e.innerText) === ` + quote(name) + ` ||
			[...e.labels || []].some(l => clean(l.innerText || l.textContent) === ` + quote(name) + `)
	}) || null : null)(` + within + `)`
}
