package browser

import (
	_ "embed" // axe-core
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// axe-core of Deque Systems, MPL-2.0 (testdata/axe.LICENSE), as its npm package has it.
//
//go:embed testdata/axe.min.js
var axeSource string

// A violation is a rule of axe-core that a page breaks.
type violation struct {
	ID, Impact, Help, HelpURL string
	Nodes                     []struct {
		Target         []any
		HTML           string
		FailureSummary string
	}
}

// Axe fails the test for everything that axe-core finds wrong with the page as it is now: its rules for WCAG 2.2 A and AA and its
// best practices, or only the rules named. Whether targets are large enough is asked where fingers are the pointer. It runs beside the page's own scripts, in a world that its Content-Security-Policy does
// not rule.
func (p *Page) Axe(rules ...string) {
	p.t.Helper()
	options := map[string]any{"resultTypes": []string{"violations"}, "preload": false, "rules": map[string]any{"target-size": map[string]bool{"enabled": p.size.Mobile}}}
	if len(rules) > 0 {
		options = map[string]any{"resultTypes": []string{"violations"}, "preload": false, "runOnly": map[string]any{"type": "rule", "values": rules}}
	}
	given, err := json.Marshal(options)
	if err != nil {
		p.t.Fatal(err)
	}
	frame := call(p, page.GetFrameTree, struct{}{}).FrameTree.Frame.ID
	world := call(p, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: frame, WorldName: "axe"}).ExecutionContextID
	in := func(params *runtime.EvaluateParams) { params.ContextID = world }
	if there, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("typeof axe === 'object'", in)); err != nil {
		p.t.Fatalf("on %s: axe-core: %v", p.at, err)
	} else if !there {
		p.do("load axe-core", chromedp.Evaluate[chromedp.Void](axeSource+";0", in))
	}
	found, err := chromedp.Run(p.ctx, chromedp.Evaluate[string]("axe.run(document, "+string(given)+").then(r => JSON.stringify(r.violations))", in, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("on %s: axe-core: %v", p.at, err)
	}
	var violations []violation
	if err := json.Unmarshal([]byte(found), &violations); err != nil {
		p.t.Fatalf("on %s: axe-core says %.500s: %v", p.at, found, err)
	}
	for _, v := range violations {
		var b strings.Builder
		for i, n := range v.Nodes {
			if i == 5 {
				fmt.Fprintf(&b, "\n  and %d more", len(v.Nodes)-i)
				break
			}
			fmt.Fprintf(&b, "\n  %v  %.300s\n    %s", n.Target, n.HTML, strings.ReplaceAll(n.FailureSummary, "\n", "\n    "))
		}
		p.t.Errorf("on %s: axe: %s (%s): %s\n  %s%s", p.at, v.ID, v.Impact, v.Help, v.HelpURL, b.String())
	}
}
