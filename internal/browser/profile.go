package browser

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// patience is how long anything may take that a test waits for. It is long because machines may be slow and busy; a test that
// passes never waits for it.
const patience = 30 * time.Second

// A Profile is a browser of one test's own, as a private window is: cookies and storage of its pages are shared among them and
// with nobody else.
type Profile struct {
	t    testing.TB
	base string
	ctx  context.Context
}

// NewProfile returns an empty profile that ends with the test. base is the address that the paths of its pages start with,
// "http://127.0.0.1:1234".
func NewProfile(t testing.TB, base string) *Profile {
	t.Helper()
	browser, err := theBrowser()
	if err != nil {
		t.Fatalf("a browser for tests: %v", err)
	}
	ctx, end := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	if err := chromedp.Do(ctx); err != nil {
		end()
		t.Fatalf("open a private window: %v", err)
	}
	t.Cleanup(end)
	return &Profile{t: t, base: base, ctx: ctx}
}

// Page opens an empty page in the size of Desktop, light, and without motion.
func (f *Profile) Page() *Page {
	f.t.Helper()
	p := &Page{t: f.t, base: f.base, status: 200}
	ctx, end := chromedp.NewContext(f.ctx, chromedp.WithListener(p.hear))
	p.ctx = ctx
	if _, err := chromedp.Call(ctx, audits.Enable, cdp.Empty{}); err != nil {
		end()
		f.t.Fatalf("open a page: %v", err)
	}
	f.t.Cleanup(func() {
		if f.t.Failed() {
			p.Shot("failed-" + f.t.Name())
		}
		p.Quiet()
		end()
	})
	call(p, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}) // as if its window were in front
	p.Size(Desktop)
	p.Media(Light)
	return p
}
