package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

// A witness is a test that fails, and is not the one that runs.
type witness struct {
	testing.TB
	mu     sync.Mutex
	errors []string
}

func (w *witness) Errorf(format string, args ...any) { w.Error(fmt.Sprintf(format, args...)) }

func (w *witness) Error(args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.errors = append(w.errors, fmt.Sprint(args...))
}

func (w *witness) said() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := strings.Join(w.errors, "\n")
	w.errors = nil
	return all
}

// serve serves a page under a strict policy, and a script beside it.
func serve(t *testing.T, body, script string) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'")
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><link rel="icon" href="/icon.svg"><title>A page</title>`+
				`<script src="/script.js" defer></script><main><h1>A page</h1>%s</main>`, body)
		case "/script.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, script)
		case "/icon.svg":
			w.Header().Set("Content-Type", "image/svg+xml")
			fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg"/>`)
		case "/next":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, `<!doctype html><html lang="en"><link rel="icon" href="/icon.svg"><title>Next</title><main><h1>The next page</h1></main>`)
		case "/favicon.ico": // which Chromium asks for where a page, such as that of a 404, names no icon
			w.WriteHeader(http.StatusNoContent)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// Whatever goes wrong on a page fails the test that opened it.
func TestTrouble(t *testing.T) {
	w := &witness{TB: t}
	f := NewProfile(w, "")
	for _, c := range []struct{ name, body, script, says string }{
		{"nothing", `<p>Fine</p>`, `document.querySelector('p').textContent = 'Better'`, ""},
		{"console", ``, `console.log('a word', 7)`, "console.log: a word 7"},
		{"exception", ``, `null.nothing`, "an exception at"},
		{"promise", ``, `Promise.reject(new Error('in vain'))`, "in vain"},
		{"inline script", `<script>document.title = 'evil'</script>`, ``, "Content-Security-Policy was broken: script-src"},
		{"inline style", `<p style="color: red">Red</p>`, ``, "Content-Security-Policy was broken: style-src"},
		{"foreign picture", `<img alt="" src="http://elsewhere.example/x.png">`, ``, "Content-Security-Policy was broken: img-src"},
		{"missing picture", `<img alt="" src="/missing.png">`, ``, "/missing.png answers 404"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.base = serve(t, c.body, c.script)
			p := f.Page()
			p.Open("/")
			p.Until("document.readyState === 'complete'")
			p.Quiet()
			if said := w.said(); c.says == "" && said != "" || !strings.Contains(said, c.says) {
				t.Errorf("it fails with %q, want %q", said, c.says)
			}
		})
	}
	f.base = serve(t, "", "")
	p := f.Page()
	p.Open("/missing")
	p.Quiet()
	if said := w.said(); !strings.Contains(said, "/missing answers 404, want 200") {
		t.Errorf("a missing page fails with %q", said)
	}
	p.OpenStatus("/missing", 404)
	p.Quiet()
	if said := w.said(); said != "" {
		t.Errorf("a page that is to be missing fails with %q", said)
	}
}

// What axe-core finds is reported with rule and element, in the scheme and size of the moment.
func TestAxe(t *testing.T) {
	w := &witness{TB: t}
	p := NewProfile(w, serve(t, `<img src="/icon.svg"><input name="q"><p><a href="/next">On</a></p>`, "")).Page()
	p.Open("/")
	p.Axe()
	said := w.said()
	for _, want := range []string{"image-alt", `<img src="/icon.svg">`, "label (critical)", "dequeuniversity.com"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	p.Axe("color-contrast")
	if said := w.said(); said != "" {
		t.Errorf("of one rule that holds it says\n%s", said)
	}
	p.Quiet()
	if said := w.said(); said != "" {
		t.Errorf("axe-core makes noise on the page:\n%s", said)
	}
}

func TestWide(t *testing.T) {
	w := &witness{TB: t}
	p := NewProfile(w, serve(t, `<pre class="long">`+strings.Repeat("0123456789", 20)+`</pre>`, "")).Page()
	p.Size(Desktop)
	p.Size(Phone)
	p.Open("/")
	p.Wide()
	if said := w.said(); !strings.Contains(said, "sideways") || !strings.Contains(said, "pre.long") {
		t.Errorf("a line that is too long gives %q", said)
	}
}

// A person's hands: what is found by name, clicked, typed and followed; and what is there without scripts.
func TestHands(t *testing.T) {
	url := serve(t, `<label for="q">Words</label><input id="q"><button>Say</button><p id="said">nothing</p><ul><li>one <a href="/next">Go</a></li><li>two <a href="/next?2">Go</a></li></ul>`,
		`document.querySelector('button').onclick = () => { document.querySelector('#said').textContent = document.querySelector('#q').value + matchMedia('(prefers-color-scheme: dark)').matches }`)
	f := NewProfile(t, url)
	p := f.Page()
	p.Open("/")
	p.Type(Named("Words"), "first")
	p.Type(Named("Words"), "hello ")
	p.Media(Dark)
	p.Click(Named("Say"))
	p.Says("hello true")
	p.Silent("first")
	p.Follow(In("li", "two", "Go"))
	if got := p.Path(); got != "/next?2" || p.Text(CSS("h1")) != "The next page" {
		t.Errorf("following leads to %s, %q", got, p.Text(CSS("h1")))
	}
	q := f.Page()
	q.NoScript()
	q.Open("/")
	q.Click(Named("Say"))
	q.Says("nothing")
	q.Follow(Named("Go"))
	q.Says("The next page")
}
