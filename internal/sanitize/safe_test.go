package sanitize

import (
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"
)

// mustBeSafe parses what HTML made as a browser does, within a container, and looks at every node.
func mustBeSafe(t *testing.T, in, out string) {
	t.Helper()
	doc, err := xhtml.Parse(strings.NewReader(`<!doctype html><body><main><div id="container">` + out + `</div><p id="after">after</p></main>`))
	if err != nil {
		t.Fatalf("HTML(%.200q) = %.500q: %v", in, out, err)
	}
	fail := func(what string) {
		t.Helper()
		t.Fatalf("%s\nin:  %.500q\nout: %.1000q", what, in, out)
	}
	containers, after := 0, 0
	var walk func(n *xhtml.Node, inside bool)
	walk = func(n *xhtml.Node, inside bool) {
		switch {
		case n.Type == xhtml.ElementNode && n.Namespace != "":
			fail("foreign element " + n.Data)
		case n.Type == xhtml.ElementNode && inside:
			if _, ok := elements[n.Data]; !ok {
				fail("element " + n.Data)
			}
			for _, a := range n.Attr {
				switch a.Key {
				case "href", "src", "poster", "cite":
					if !strings.HasPrefix(a.Val, "https://") && !strings.HasPrefix(a.Val, "http://") && !(a.Key == "href" && strings.HasPrefix(a.Val, "mailto:")) {
						fail("dangerous URL " + a.Key + "=" + a.Val)
					}
				case "rel", "referrerpolicy", "title", "alt", "width", "height", "loading", "decoding", "controls", "preload", "type", "colspan",
					"rowspan", "span", "scope", "start", "reversed", "value", "datetime", "dir", "lang", "tabindex":
				default:
					fail("attribute " + a.Key)
				}
			}
		case n.Type == xhtml.CommentNode:
			fail("comment")
		}
		for _, a := range n.Attr {
			if a.Key == "id" {
				switch a.Val {
				case "container":
					containers++
					if n.Parent.Data != "main" {
						fail("container moved into " + n.Parent.Data)
					}
				case "after":
					after++
					if n.Parent.Data != "main" || n.FirstChild.Type != xhtml.TextNode {
						fail("what follows the article is within " + n.Parent.Data + ", or formatted by it")
					}
				}
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			container := len(n.Attr) > 0 && n.Attr[0].Val == "container"
			if n.Data == "main" && n.Type == xhtml.ElementNode && c.Type == xhtml.ElementNode && (len(c.Attr) == 0 || c.Attr[0].Val != "container" && c.Attr[0].Val != "after") {
				fail("element " + c.Data + " broke out of the container")
			}
			walk(c, inside || container)
		}
	}
	walk(doc, false)
	if containers != 1 || after != 1 {
		fail("the page around the article is in disorder")
	}
}
