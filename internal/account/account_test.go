package account

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/argon2"

	"feedonce"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

const password = "correct horse battery"

// A house is accounts over a store, with pages that sign in and out, and say who somebody is.
type house struct {
	*Accounts
	t       *testing.T
	handler http.Handler
}

func newHouse(t *testing.T, st *store.Store, o Options) *house {
	t.Helper()
	o.Store = st
	h := &house{Accounts: New(o), t: t}
	mux := http.NewServeMux()
	say := func(w http.ResponseWriter, err error) {
		switch {
		case errors.Is(err, ErrTooMany):
			w.WriteHeader(http.StatusTooManyRequests)
		case errors.Is(err, ErrWrong), errors.Is(err, ErrLink):
			w.WriteHeader(http.StatusForbidden)
		case err != nil:
			t.Errorf("%v", err)
			w.WriteHeader(http.StatusInternalServerError)
		}
	}
	mux.HandleFunc("/in", func(w http.ResponseWriter, r *http.Request) {
		_, err := h.SignIn(w, r, r.FormValue("name"), r.FormValue("password"))
		say(w, err)
	})
	mux.HandleFunc("/link", func(w http.ResponseWriter, r *http.Request) {
		_, err := h.UseLink(r.Context(), r.FormValue("secret"))
		say(w, err)
	})
	mux.HandleFunc("/out", func(w http.ResponseWriter, r *http.Request) { say(w, h.SignOut(r.Context())) })
	mux.HandleFunc("/confirm", func(w http.ResponseWriter, r *http.Request) {
		u, err := h.User(r)
		if err == nil {
			err = h.Confirm(w, r, u, r.FormValue("password"))
		}
		say(w, err)
	})
	mux.HandleFunc("/who", func(w http.ResponseWriter, r *http.Request) {
		u, err := h.User(r)
		if err != nil && !errors.Is(err, feedonce.ErrNotFound) {
			t.Errorf("who: %v", err)
		}
		io.WriteString(w, u.Name) //nolint:errcheck // a recorder
	})
	h.handler = h.Handler(mux)
	return h
}

func (h *house) update(f func(*store.Tx) error) {
	h.t.Helper()
	if err := h.Store.Update(h.t.Context(), f); err != nil {
		h.t.Fatal(err)
	}
}

// add adds a user with the password.
func (h *house) add(name string) (u feedonce.User) {
	h.t.Helper()
	hash, err := HashPassword(h.t.Context(), password)
	if err != nil {
		h.t.Fatal(err)
	}
	h.update(func(tx *store.Tx) (err error) {
		u, err = tx.AddUser(feedonce.User{Name: name, Role: feedonce.RoleAdmin, Password: hash, Created: time.Now()})
		return err
	})
	return u
}

// ask sends a request with a cookie, if any, and returns the answer and the cookie that it sets, if any.
func (h *house) ask(path string, cookie *http.Cookie, change ...func(*http.Request)) (*http.Response, *http.Cookie) {
	h.t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	if cookie != nil {
		r.AddCookie(&http.Cookie{Name: cookie.Name, Value: cookie.Value})
	}
	for _, f := range change {
		f(r)
	}
	w := httptest.NewRecorder()
	h.handler.ServeHTTP(w, r)
	res := w.Result()
	for _, c := range res.Cookies() {
		if c.Name == CookieName {
			return res, c
		}
	}
	return res, nil
}

func (h *house) who(cookie *http.Cookie, change ...func(*http.Request)) string {
	h.t.Helper()
	res, _ := h.ask("/who", cookie, change...)
	b, err := io.ReadAll(res.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(b)
}

// enter signs in, and returns the cookie.
func (h *house) enter(name string) *http.Cookie {
	h.t.Helper()
	res, cookie := h.ask("/in?name="+name+"&password="+strings.ReplaceAll(password, " ", "+"), nil)
	if res.StatusCode != http.StatusOK || cookie == nil {
		h.t.Fatalf("%s could not sign in: %d", name, res.StatusCode)
	}
	return cookie
}

func TestSignIn(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		h := newHouse(t, st, Options{})
		ann := h.add("Ann")
		right := strings.ReplaceAll(password, " ", "+")
		for path, want := range map[string]int{
			"/in?name=ANN&password=" + right:                               200,
			"/in?name=ann&password=wrong+horse+battery":                    403,
			"/in?name=ann&password=":                                       403,
			"/in?name=ann&password=" + right + "+":                         403,
			"/in?name=nobody&password=" + right:                            403,
			"/in?name=&password=" + right:                                  403,
			"/in?name=%00&password=" + right:                               403,
			"/in?name=ann&password=" + strings.Repeat("a", maxPassword+1):  403,
			"/in?name=" + strings.Repeat("n", 5000) + "&password=" + right: 403,
			"/in?name=ann'+or+1=1&password=" + right:                       403,
		} {
			res, cookie := h.ask(path, nil)
			if res.StatusCode != want || (cookie != nil) != (want == 200) {
				t.Errorf("%.60s: %d, cookie %v; want %d", path, res.StatusCode, cookie, want)
			}
		}
		// Who has no password signs in by none, not by an empty one either.
		h.update(func(tx *store.Tx) error {
			_, err := tx.AddUser(feedonce.User{Name: "bare", Role: feedonce.RoleReader, Created: time.Now()})
			return err
		})
		if res, _ := h.ask("/in?name=bare&password=", nil); res.StatusCode != 403 {
			t.Errorf("without a password: %d", res.StatusCode)
		}
		cookie := h.enter("ann")
		if got := h.who(cookie); got != "Ann" {
			t.Errorf("who: %q", got)
		}
		h.ask("/out", cookie)
		if got := h.who(cookie); got != "" {
			t.Errorf("after signing out: %q", got)
		}
		// Whoever may not sign in loses access at once, and gets it back with their session gone.
		cookie = h.enter("ann")
		h.add("other")
		h.update(func(tx *store.Tx) error { return Forbid(tx, ann, true, time.Now()) })
		if got := h.who(cookie); got != "" {
			t.Errorf("forbidden: %q", got)
		}
		if res, _ := h.ask("/in?name=ann&password="+right, nil); res.StatusCode != 403 {
			t.Errorf("forbidden, and can sign in: %d", res.StatusCode)
		}
		h.update(func(tx *store.Tx) error { return Forbid(tx, ann, false, time.Now()) })
		if got := h.who(cookie); got != "" {
			t.Errorf("allowed again, with the session of before: %q", got)
		}
		h.enter("ann")
		// Only the flag, as another process sets it: the session is there, and opens nothing.
		cookie = h.enter("ann")
		h.update(func(tx *store.Tx) error {
			u, err := tx.User(ann.ID)
			u.Disabled = time.Now()
			return errors.Join(err, tx.SetUser(u))
		})
		if got := h.who(cookie); got != "" {
			t.Errorf("disabled: %q", got)
		}
		h.update(func(tx *store.Tx) error { return tx.RemoveUser(ann.ID) })
		if got := h.who(cookie); got != "" {
			t.Errorf("removed: %q", got)
		}
	})
}

// A session that somebody knew before its user signed in is worth nothing after.
func TestSessionFixation(t *testing.T) {
	h := newHouse(t, storetest.Open(t, storetest.SQLite(t)), Options{})
	h.add("ann")
	ben := h.add("ben")
	first := h.enter("ben")
	right := strings.ReplaceAll(password, " ", "+")
	res, second := h.ask("/in?name=ann&password="+right, first)
	if res.StatusCode != 200 || second == nil || second.Value == first.Value {
		t.Fatalf("the token is the same after signing in: %d %v", res.StatusCode, second)
	}
	if a, b := h.who(first), h.who(second); a != "" || b != "ann" {
		t.Errorf("by the token of before it is %q, by the new one %q", a, b)
	}
	// One that a stranger made up is not taken over.
	_, third := h.ask("/in?name=ann&password="+right, &http.Cookie{Name: CookieName, Value: "chosen-by-a-stranger"})
	if third == nil || third.Value == "chosen-by-a-stranger" {
		t.Errorf("the token of a stranger is used: %v", third)
	}
	// By an address that signs in once, too.
	link, err := SignInLink(t.Context(), h.Store, ben.ID)
	if err != nil {
		t.Fatal(err)
	}
	_, fourth := h.ask("/link?secret="+strings.TrimPrefix(link, LinkPath), second)
	if fourth == nil || fourth.Value == second.Value || h.who(second) != "" || h.who(fourth) != "ben" {
		t.Errorf("by a link: %v, %q, %q", fourth, h.who(second), h.who(fourth))
	}
	// What is stored is no token.
	err = h.Store.View(t.Context(), func(tx *store.Tx) error {
		sessions, err := tx.Sessions(ben.ID, time.Now())
		for _, s := range sessions {
			if strings.Contains(s.Hash, fourth.Value) || h.who(&http.Cookie{Name: CookieName, Value: s.Hash}) != "" {
				t.Errorf("a session is stored by its token")
			}
		}
		if len(sessions) != 1 {
			t.Errorf("ben has %d sessions", len(sessions))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestCookie(t *testing.T) {
	for _, o := range []Options{{}, {Secure: true, Path: "/sub/"}} {
		h := newHouse(t, storetest.Open(t, storetest.SQLite(t)), o)
		h.add("ann")
		c := h.enter("ann")
		path := o.Path
		if path == "" {
			path = "/"
		}
		if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Secure != o.Secure || c.Path != path || c.Domain != "" || c.MaxAge <= 0 || len(c.Value) < 43 {
			t.Errorf("with %+v: %+v", o, c)
		}
	}
}

func TestLimits(t *testing.T) {
	h := newHouse(t, storetest.Open(t, storetest.SQLite(t)), Options{})
	h.add("ann")
	right := strings.ReplaceAll(password, " ", "+")
	from := func(address string) func(*http.Request) { return func(r *http.Request) { r.RemoteAddr = address } }
	var last int
	for range maxAttempts + 1 {
		res, _ := h.ask("/in?name=nobody&password="+right, nil, from("192.0.2.1:1000"))
		last = res.StatusCode
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("attempt %d: %d", maxAttempts+1, last)
	}
	if res, _ := h.ask("/in?name=ann&password="+right, nil, from("192.0.2.1:1001")); res.StatusCode != http.StatusTooManyRequests {
		t.Errorf("with the right password, from where too many came: %d", res.StatusCode)
	}
	if res, _ := h.ask("/in?name=ann&password="+right, nil, from("192.0.2.2:1000")); res.StatusCode != http.StatusOK {
		t.Errorf("from elsewhere: %d", res.StatusCode)
	}
	// What a client says of where it is does not count, as nothing in front of it is trusted.
	res, _ := h.ask("/in?name=ann&password="+right, nil, from("192.0.2.1:1000"), func(r *http.Request) { r.Header.Set("X-Forwarded-For", "192.0.2.77") })
	if res.StatusCode != http.StatusTooManyRequests {
		t.Errorf("with an invented X-Forwarded-For: %d", res.StatusCode)
	}
	// One IPv6 network is one guesser.
	for i := range maxAttempts + 1 {
		res, _ = h.ask("/in?name=nobody&password=x", nil, from("[2001:db8::"+string(rune('a'+i%6))+string(rune('0'+i%10))+"]:1000"))
	}
	if res.StatusCode != http.StatusTooManyRequests {
		t.Errorf("from many addresses of one network: %d", res.StatusCode)
	}
}

func TestConfirm(t *testing.T) {
	h := newHouse(t, storetest.Open(t, storetest.SQLite(t)), Options{})
	h.add("ann")
	right := strings.ReplaceAll(password, " ", "+")
	cookie := h.enter("ann")
	for range maxAttempts {
		if res, _ := h.ask("/confirm?password=wrong", cookie); res.StatusCode != http.StatusForbidden {
			t.Fatalf("a wrong password: %d", res.StatusCode)
		}
	}
	if res, _ := h.ask("/confirm?password="+right, cookie); res.StatusCode != http.StatusTooManyRequests {
		t.Errorf("after too many: %d", res.StatusCode)
	}
	ben := h.add("ben")
	cookie = h.enter("ben")
	if res, _ := h.ask("/confirm?password="+right, cookie); res.StatusCode != http.StatusOK {
		t.Errorf("the right one: %d", res.StatusCode)
	}
	// Who came by an address that signs in once may have forgotten it.
	link, err := SignInLink(t.Context(), h.Store, ben.ID)
	if err != nil {
		t.Fatal(err)
	}
	_, cookie = h.ask("/link?secret="+strings.TrimPrefix(link, LinkPath), nil)
	if res, _ := h.ask("/confirm?password=", cookie); res.StatusCode != http.StatusOK {
		t.Errorf("by an address that signs in: %d", res.StatusCode)
	}
	// Signing in by password ends that.
	_, cookie = h.ask("/in?name=ben&password="+right, cookie)
	if res, _ := h.ask("/confirm?password=", cookie); res.StatusCode != http.StatusForbidden {
		t.Errorf("after signing in: %d", res.StatusCode)
	}
}

func TestLinks(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		h := newHouse(t, st, Options{})
		// To set up: once, and only while there is nobody.
		one, err := SetUpLink(t.Context(), st)
		if err != nil || !strings.HasPrefix(one, SetUpPath) {
			t.Fatalf("%q, %v", one, err)
		}
		two, err := SetUpLink(t.Context(), st)
		if err != nil || two == one {
			t.Fatalf("%q, %v", two, err)
		}
		ctx, err := h.sessions.Load(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.SetUp(ctx, strings.TrimPrefix(one, SetUpPath), "ann", "short"); !isInvalid(err) {
			t.Errorf("a short password: %v", err)
		}
		if _, err := h.SetUp(ctx, strings.TrimPrefix(one, SetUpPath), "", password); !isInvalid(err) {
			t.Errorf("no name: %v", err)
		}
		// A link to set up signs nobody in.
		if _, err := h.UseLink(ctx, strings.TrimPrefix(one, SetUpPath)); !errors.Is(err, ErrLink) {
			t.Errorf("as a link that signs in: %v", err)
		}
		ann, err := h.SetUp(ctx, strings.TrimPrefix(one, SetUpPath), "ann", password)
		if err != nil || !ann.Admin() {
			t.Fatalf("%+v, %v", ann, err)
		}
		for _, used := range []string{one, two, SetUpPath + "INVENTED"} {
			if _, err := h.SetUp(ctx, strings.TrimPrefix(used, SetUpPath), "eve", password); !errors.Is(err, ErrLink) {
				t.Errorf("set up twice: %v", err)
			}
			if _, err := h.Link(t.Context(), strings.TrimPrefix(used, SetUpPath)); !errors.Is(err, ErrLink) {
				t.Errorf("a link to set up, when there is somebody: %v", err)
			}
		}
		if again, err := SetUpLink(t.Context(), st); again != "" || err != nil {
			t.Errorf("%q, %v", again, err)
		}
		// To sign in: once, in time, and not for who may not.
		use := func(secret string) int {
			t.Helper()
			res, _ := h.ask("/link?secret="+secret, nil)
			return res.StatusCode
		}
		link := func() string {
			t.Helper()
			path, err := SignInLink(t.Context(), st, ann.ID)
			if err != nil {
				t.Fatal(err)
			}
			return strings.TrimPrefix(path, LinkPath)
		}
		secret := link()
		if a, b := use(secret), use(secret); a != 200 || b != 403 {
			t.Errorf("used twice: %d, %d", a, b)
		}
		late, hash := NewSecret()
		h.update(func(tx *store.Tx) error { return tx.PutLink(hash, ann.ID, time.Now().Add(-time.Second)) })
		if got := use(late); got != 403 {
			t.Errorf("after a day: %d", got)
		}
		if got := use(""); got != 403 {
			t.Errorf("without a secret: %d", got)
		}
		h.add("other")
		secret = link()
		h.update(func(tx *store.Tx) error {
			ann.Disabled = time.Now()
			return tx.SetUser(ann)
		})
		if got := use(secret); got != 403 {
			t.Errorf("for who may not sign in: %d", got)
		}
		// Setting a password ends links and other sessions.
		h.update(func(tx *store.Tx) error { return Forbid(tx, ann, false, time.Now()) })
		secret = link()
		other := h.enter("ann")
		if err := h.SetPassword(ctx, ann.ID, "another password"); err != nil {
			t.Fatal(err)
		}
		if got := use(secret); got != 403 || h.who(other) != "" {
			t.Errorf("after the password was changed: link %d, other session %q", got, h.who(other))
		}
	})
}

func isInvalid(err error) bool {
	var invalid *feedonce.InvalidError
	return errors.As(err, &invalid)
}

func TestClient(t *testing.T) {
	a := New(Options{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}})
	for _, c := range []struct{ remote, said, want string }{
		{"192.0.2.1:99", "", "192.0.2.1"},
		{"192.0.2.1:99", "198.51.100.7", "192.0.2.1"},                // nothing is believed of who is no proxy
		{"10.0.0.1:99", "198.51.100.7", "198.51.100.7"},              // what the proxy says
		{"10.0.0.1:99", "203.0.113.9, 198.51.100.7", "198.51.100.7"}, // not what the client told the proxy
		{"10.0.0.1:99", "203.0.113.9, 198.51.100.7, 10.0.0.2", "198.51.100.7"},
		{"10.0.0.1:99", "10.9.9.9, 10.0.0.2", "10.9.9.9"},
		{"10.0.0.1:99", "", "10.0.0.1"},
		{"10.0.0.1:99", "nonsense", "10.0.0.1"},
		{"10.0.0.1:99", "198.51.100.7, nonsense", "10.0.0.1"},
		{"[fd00::1]:99", "2001:db8::5", "2001:db8::5"},
		{"[::ffff:10.0.0.1]:99", "198.51.100.7", "198.51.100.7"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = c.remote
		if c.said != "" {
			r.Header.Set("X-Forwarded-For", c.said)
		}
		if got := a.Client(r); got != c.want {
			t.Errorf("from %s, said %q: %s, want %s", c.remote, c.said, got, c.want)
		}
	}
}

// TestHeader believes who signed in from a trusted proxy, and from nobody else.
func TestHeader(t *testing.T) {
	h := newHouse(t, storetest.Open(t, storetest.SQLite(t)), Options{Header: "Remote-User", Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
	h.add("ann")
	says := func(remote, name string) func(*http.Request) {
		return func(r *http.Request) {
			r.RemoteAddr = remote
			r.Header.Set("Remote-User", name)
			r.Header.Set("X-Forwarded-For", "10.0.0.1")
		}
	}
	for _, c := range []struct{ remote, name, want string }{
		{"10.0.0.1:1", "ann", "ann"}, {"10.0.0.1:1", "nobody", ""}, {"10.0.0.1:1", "", ""}, {"192.0.2.1:1", "ann", ""}, {"127.0.0.1:1", "ann", ""},
	} {
		if got := h.who(nil, says(c.remote, c.name)); got != c.want {
			t.Errorf("%s says %q: it is %q, want %q", c.remote, c.name, got, c.want)
		}
	}
	without := newHouse(t, h.Store, Options{Proxies: h.Proxies})
	if got := without.who(nil, says("10.0.0.1:1", "ann")); got != "" {
		t.Errorf("without the setting it is %q", got)
	}
}

// TestUnknownNamesCostAsMuch compares what is computed, not how long it takes: a hash with the same parameters for every name.
func TestUnknownNamesCostAsMuch(t *testing.T) {
	stored, err := HashPassword(t.Context(), password)
	if err != nil {
		t.Fatal(err)
	}
	parameters := func(hash string) string { return strings.Join(strings.Split(hash, "$")[:4], "$") }
	if a, b := parameters(stored), parameters(nobody()); a != b {
		t.Errorf("a password is hashed by %s, and for nobody by %s", a, b)
	}
	h := newHouse(t, storetest.Open(t, storetest.SQLite(t)), Options{})
	h.add("ann")
	nobody() // is made once
	for _, name := range []string{"ann", "nobody"} {
		before := hashed.Load()
		h.ask("/in?name="+name+"&password=wrong", nil)
		if n := hashed.Load() - before; n != 1 {
			t.Errorf("a wrong password for %s is hashed %d times", name, n)
		}
	}
}

func TestPasswordHash(t *testing.T) {
	hash, err := HashPassword(t.Context(), password)
	if err != nil {
		t.Fatal(err)
	}
	other, err := HashPassword(t.Context(), password)
	if err != nil || hash == other {
		t.Errorf("two hashes of a password are the same: %v", err)
	}
	for given, want := range map[string]bool{password: true, password + " ": false, "": false, strings.ToUpper(password): false} {
		if got, err := checkPassword(t.Context(), hash, given); got != want || err != nil {
			t.Errorf("%q: %v, %v", given, got, err)
		}
	}
	// A hash of other parameters is read by its own: RFC 9106's function with m=64, t=1, p=2.
	const salt, key = "c2FsdHNhbHRzYWx0c2FsdA", "saltsaltsaltsalt"
	weak := "$argon2id$v=19$m=64,t=1,p=2$" + salt + "$" + base64.RawStdEncoding.EncodeToString(argon2.IDKey([]byte(password), []byte(key), 1, 64, 2, 32))
	if got, err := checkPassword(t.Context(), weak, password); !got || err != nil {
		t.Errorf("of other parameters: %v, %v", got, err)
	}
	for _, bad := range []string{"", "x", "$argon2i$v=19$m=64,t=1,p=2$" + salt + "$" + salt, "$argon2id$v=1$m=64,t=1,p=2$" + salt + "$" + salt, "$argon2id$v=19$m=,t=1,p=2$" + salt + "$" + salt,
		"$argon2id$v=19$m=64,t=0,p=2$" + salt + "$" + salt, "$argon2id$v=19$m=64,t=1,p=0$" + salt + "$" + salt, "$argon2id$v=19$m=64,t=1,p=2$" + salt + "$", "$argon2id$v=19$m=64,t=1,p=2$!$" + salt} {
		if got, err := checkPassword(t.Context(), bad, password); got || err == nil {
			t.Errorf("the hash %q is taken for one: %v", bad, err)
		}
	}
	for _, p := range []string{"", "123456789", strings.Repeat("a", maxPassword+1)} {
		if _, err := HashPassword(t.Context(), p); !isInvalid(err) {
			t.Errorf("a password of %d bytes: %v", len(p), err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range cap(atOnce) {
		atOnce <- struct{}{}
	}
	if _, err := HashPassword(ended, password); !errors.Is(err, context.Canceled) {
		t.Errorf("who left while others' were hashed: %v", err)
	}
	for range cap(atOnce) {
		<-atOnce
	}
}

func TestTokens(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		h := newHouse(t, st, Options{})
		ann := h.add("ann")
		h.add("ben")
		var api feedonce.Token
		var secret, word string
		h.update(func(tx *store.Tx) (err error) {
			if api, secret, err = NewToken(tx, feedonce.Token{User: ann.ID, Kind: feedonce.TokenAPI, Name: " script ", Write: true, Created: time.Now()}); err != nil {
				return err
			}
			_, word, err = NewToken(tx, feedonce.Token{User: ann.ID, Kind: feedonce.TokenApp, Name: "phone", Created: time.Now()})
			return err
		})
		if !strings.HasPrefix(secret, tokenPrefix) || len(secret) < 26 || api.Name != "script" {
			t.Errorf("%+v, %q", api, secret)
		}
		ask := func(set func(*http.Request)) (string, bool) {
			t.Helper()
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			set(r)
			u, tok, err := h.Program(r)
			if err != nil && !errors.Is(err, feedonce.ErrNotFound) {
				t.Error(err)
			}
			return u.Name, tok.Write
		}
		bearer := func(s string) func(*http.Request) { return func(r *http.Request) { r.Header.Set("Authorization", s) } }
		basic := func(name, s string) func(*http.Request) { return func(r *http.Request) { r.SetBasicAuth(name, s) } }
		for i, c := range []struct {
			set   func(*http.Request)
			name  string
			write bool
		}{
			{bearer("Bearer " + secret), "ann", true}, {bearer("bearer  " + secret), "ann", true}, {basic("Ann", word), "ann", false},
			{bearer("Bearer " + word), "", false}, {basic("ann", secret), "", false}, {basic("ben", word), "", false}, {basic("", word), "", false},
			{basic("ann", password), "", false}, {bearer(secret), "", false}, {bearer("Bearer "), "", false}, {bearer(""), "", false}, {bearer("Bearer " + strings.ToLower(secret)), "", false},
		} {
			if name, write := ask(c.set); name != c.name || write != c.write {
				t.Errorf("case %d: %q, %v", i, name, write)
			}
		}
		h.update(func(tx *store.Tx) error {
			tokens, err := tx.Tokens(ann.ID)
			if len(tokens) != 2 || tokens[0].Used.IsZero() || tokens[1].Used.IsZero() {
				t.Errorf("when they were used: %+v", tokens)
			}
			return errors.Join(err, Forbid(tx, ann, true, time.Now()))
		})
		if name, _ := ask(bearer("Bearer " + secret)); name != "" {
			t.Errorf("of who may not sign in: %q", name)
		}
		h.update(func(tx *store.Tx) error {
			return errors.Join(Forbid(tx, ann, false, time.Now()), tx.DropToken(ann.ID, api.ID))
		})
		if name, _ := ask(bearer("Bearer " + secret)); name != "" {
			t.Errorf("removed: %q", name)
		}
		if name, _ := ask(basic("ann", word)); name != "ann" {
			t.Errorf("the other one: %q", name)
		}
		for _, bad := range []feedonce.Token{{User: ann.ID, Kind: feedonce.TokenAPI}, {User: ann.ID, Kind: "other", Name: "x"}, {User: ann.ID, Kind: feedonce.TokenApp, Name: strings.Repeat("n", 101)}} {
			if err := st.Update(t.Context(), func(tx *store.Tx) error { _, _, err := NewToken(tx, bad); return err }); !isInvalid(err) {
				t.Errorf("%+v: %v", bad, err)
			}
		}
	})
}
