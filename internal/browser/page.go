package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// A Page is a tab. Its methods fail the test where they cannot do what they say. One goroutine at a time uses it.
type Page struct {
	t    testing.TB
	base string
	ctx  context.Context
	size Size

	mu       sync.Mutex
	at       string // the address that was opened last
	status   int    // of the documents to come
	asked    map[network.RequestID]string
	troubles []string
}

// A Size is that of a window, in CSS pixels.
type Size struct {
	Name          string
	Width, Height int64
	Mobile        bool // touched, with scroll bars that take no room
}

// Sizes that pages are tested in.
var (
	Desktop = Size{Name: "desktop", Width: 1280, Height: 900}
	Phone   = Size{Name: "phone", Width: 390, Height: 844, Mobile: true}
)

// A Scheme is what a person prefers: "light" or "dark".
type Scheme string

// The two schemes.
const (
	Light Scheme = "light"
	Dark  Scheme = "dark"
)

// For hands the page to a part of the test: what goes wrong on it from now on fails that. What went wrong before fails whose it was.
func (p *Page) For(t testing.TB) {
	p.t.Helper()
	p.Quiet()
	p.t = t
}

// do runs actions with a deadline.
func (p *Page) do(what string, actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.t.Fatalf("on %s: %s: %v", p.at, what, err)
	}
}

// call sends a command of the protocol.
func call[P, R any](p *Page, cmd cdp.Command[P, R], params P) R {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	r, err := chromedp.Call(ctx, cmd, params)
	if err != nil {
		p.t.Fatalf("on %s: %s: %v", p.at, cmd.Method, err)
	}
	return r
}

// Size changes the size of the window.
func (p *Page) Size(s Size) {
	p.t.Helper()
	p.size = s
	call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: s.Width, Height: s.Height, DeviceScaleFactor: 1, Mobile: s.Mobile})
}

// Media changes the colour scheme that is preferred. Motion is always reduced, so that nothing is seen half-way.
func (p *Page) Media(s Scheme) {
	p.t.Helper()
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: string(s)}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
}

// NoScript switches off the scripts of pages that are opened from now on.
func (p *Page) NoScript() {
	p.t.Helper()
	call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

// Open opens a path and waits until it is loaded. It must answer 200.
func (p *Page) Open(path string) { p.t.Helper(); p.OpenStatus(path, 200) }

// OpenStatus opens a path that answers with a status.
func (p *Page) OpenStatus(path string, status int) {
	p.t.Helper()
	p.mu.Lock()
	p.at, p.status = path, status
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.NavigateResponse(p.base+path)); err != nil {
		p.t.Fatalf("open %s: %v", path, err)
	}
	p.mu.Lock()
	p.status = 200
	p.mu.Unlock()
}

// Path returns the path and query of the address that the page has now.
func (p *Page) Path() string {
	p.t.Helper()
	return Eval[string](p, "location.pathname + location.search")
}

// Follow clicks on something that leads to another page, and waits until that is loaded. It must answer 200.
func (p *Page) Follow(on Element) {
	p.t.Helper()
	p.Wait(on)
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	x, y := p.middle(on)
	if _, err := chromedp.RunResponse(ctx, chromedp.MouseClickXY(x, y)); err != nil {
		p.t.Fatalf("on %s: follow %s: %v", p.at, on.says, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at += " > " + on.says
}

// Click clicks on something that leads nowhere else.
func (p *Page) Click(on Element) {
	p.t.Helper()
	p.Wait(on)
	x, y := p.middle(on)
	p.do("click on "+on.says, chromedp.MouseClickXY(x, y))
}

// middle scrolls to an element and returns where to click; something else must not be there.
func (p *Page) middle(on Element) (x, y float64) {
	p.t.Helper()
	got := Eval[struct {
		X, Y float64
		By   string
	}](p, `(e => {
		e.scrollIntoView({block: 'center', behavior: 'instant'})
		const r = e.getClientRects()[0], X = r.x + r.width / 2, Y = r.y + r.height / 2
		const top = document.elementFromPoint(X, Y)
		return {X, Y, By: !top || e.contains(top) || top.contains(e) ? '' : top.outerHTML.slice(0, 200)}
	})(`+on.js+`)`)
	if got.By != "" {
		p.t.Fatalf("on %s: %s is covered by %s", p.at, on.says, got.By)
	}
	return got.X, got.Y
}

// Type replaces what stands in a field by text, key by key.
func (p *Page) Type(into Element, text string) {
	p.t.Helper()
	p.Click(into)
	Eval[bool](p, "("+into.js+".select(), true)")
	p.Press(text)
}

// Press presses keys, one after the other; names of other keys are in package kb of chromedp.
func (p *Page) Press(keys string) {
	p.t.Helper()
	p.do(fmt.Sprintf("press %q", keys), chromedp.KeyEvent(keys))
}

// PressAndFollow presses keys that lead to another page, and waits until that is loaded.
func (p *Page) PressAndFollow(keys string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if _, err := chromedp.RunResponse(ctx, chromedp.KeyEvent(keys)); err != nil {
		p.t.Fatalf("on %s: press %q: %v", p.at, keys, err)
	}
}

// Wait waits until an element is seen on the page.
func (p *Page) Wait(e Element) {
	p.t.Helper()
	p.until(e.says+" is on the page", "!!"+e.js+"?.checkVisibility()")
}

// Gone waits until an element is not seen on the page.
func (p *Page) Gone(e Element) {
	p.t.Helper()
	p.until(e.says+" is not on the page", "!"+e.js+"?.checkVisibility()")
}

// Says waits until all texts stand on the page, where they are seen, without regard to spaces.
func (p *Page) Says(texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		p.until(fmt.Sprintf("%q stands on the page", text), "document.body.innerText.replace(/\\s+/g, ' ').includes("+quote(text)+")")
	}
}

// Silent fails the test if one of the texts stands on the page now.
func (p *Page) Silent(texts ...string) {
	p.t.Helper()
	seen := Eval[string](p, "document.body.innerText.replace(/\\s+/g, ' ')")
	for _, text := range texts {
		if strings.Contains(seen, text) {
			p.t.Errorf("on %s: %q stands on the page, and should not:\n%s", p.at, text, seen)
		}
	}
}

// Until waits until an expression of JavaScript is true.
func (p *Page) Until(expression string) {
	p.t.Helper()
	p.until(expression, expression)
}

func (p *Page) until(what, expression string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	tick := time.NewTicker(15 * time.Millisecond)
	defer tick.Stop()
	for {
		// An error is a page that is on its way to another, or one that is not what is waited for.
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression))
		if err == nil && ok {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			seen, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string]("location.href + '\\n' + document.body.innerText"))
			p.t.Fatalf("on %s: waited in vain until %s (%v); the page is\n%s", p.at, what, err, seen)
		}
	}
}

// Text returns the text of an element as it is seen.
func (p *Page) Text(of Element) string {
	p.t.Helper()
	p.Wait(of)
	return Eval[string](p, of.js+".innerText.trim()")
}

// Eval evaluates JavaScript on the page.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("on %s: %s: %v", p.at, expression, err)
	}
	return v
}

// Shot writes a picture of the whole page to the folder named by FEEDONCE_SHOTS, if there is one.
func (p *Page) Shot(name string) {
	p.t.Helper()
	dir := os.Getenv("FEEDONCE_SHOTS")
	if dir == "" {
		return
	}
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	beyond := true
	shot, err := chromedp.Call(ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{CaptureBeyondViewport: &beyond})
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		name = strings.Trim(strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
				return r
			}
			return '_'
		}, name), "_")
		err = os.WriteFile(filepath.Join(dir, name[:min(len(name), 120)]+".png"), shot.Data, 0o644)
	}
	if err != nil {
		p.t.Errorf("on %s: a picture for FEEDONCE_SHOTS: %v", p.at, err)
	}
}

// quote writes a string as JavaScript.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings can be written
	}
	return string(b)
}
