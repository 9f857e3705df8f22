package web

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"path"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"feedonce"
)

//go:embed templates/*.html
var templateFiles embed.FS

// pages are the templates by name, each with the layout and the parts. They are parsed when the first server is made, and not by
// commands that make none.
var pages = sync.OnceValue(func() map[string]*template.Template {
	base := template.Must(template.New("").Funcs(template.FuncMap{
		"asset":    assetPath,
		"number":   number,
		"plural":   plural,
		"clip":     clip,
		"sentence": sentence,
		"len64":    func(list any) int64 { return int64(reflect.ValueOf(list).Len()) },
		"add64":    func(a, b int64) int64 { return a + b },
		"int64":    func(n int) int64 { return int64(n) },
		"next":     func(n int) int { return n + 1 },
		"tab":      func(which string, admin bool) tab { return tab{which, admin} },
		"pair":     func(a, b any) [2]any { return [2]any{a, b} },
	}).ParseFS(templateFiles, "templates/layout.html", "templates/parts*.html"))
	all, err := templateFiles.ReadDir("templates")
	if err != nil {
		panic(err) // they are compiled in
	}
	m := map[string]*template.Template{}
	for _, file := range all {
		name := strings.TrimSuffix(file.Name(), path.Ext(file.Name()))
		if name != "layout" && !strings.HasPrefix(name, "parts") {
			m[name] = template.Must(template.Must(base.Clone()).ParseFS(templateFiles, "templates/"+file.Name()))
		}
	}
	return m
})

// A tab is which page of several stands open; Admin: with those for administrators.
type tab struct {
	Which string
	Admin bool
}

// page is what the layout needs; every page's data has it.
type page struct {
	Title   string
	Section string // of the navigation: "articles", "feeds", "decisions", "dashboard", "destinations", "add", "account"
	Notice  string // what was just done
	Undo    *backForm
	Program string        // its version
	User    feedonce.User // who is signed in; zero: nobody
	Side    *sidebar      // beside pages for reading; nil: none
	live
}

// live is where new articles are announced.
type live struct {
	Live  bool
	After int64  // the decision that the page is up to date with
	Seen  int64  // the change that it is up to date with
	Fresh string // asks /counts.json what came since, in a query
	Here  string
}

func (s *server) page(r *http.Request, title, section string) page {
	return page{Title: title, Section: section, Program: s.Version, Notice: notice(r), User: user(r)}
}

func (s *server) render(w http.ResponseWriter, name string, data any) error {
	return s.renderStatus(w, http.StatusOK, name, data)
}

// renderStatus renders a whole page before a byte of it is sent, so that an error gives an error page.
func (s *server) renderStatus(w http.ResponseWriter, status int, name string, data any) error {
	var b bytes.Buffer
	if err := s.pages[name].ExecuteTemplate(&b, "layout", data); err != nil {
		if name == "fail" {
			s.Log.Error("the error page could not be made", "error", err)
			http.Error(w, "Something went wrong. The log of the server says what.", http.StatusInternalServerError)
			return nil
		}
		return err
	}
	html := atBase(Base(s.URL), b.Bytes())
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(html)))
	w.WriteHeader(status)
	w.Write(html) //nolint:errcheck // the visitor left
	return nil
}

// number writes a count with thousands apart: 12,345.
func number(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural writes a count with its noun: "1 article", "12 articles".
func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + many
}

// clip shortens text of unknown length for a place where it would push everything else away.
func clip(s string, runes int) string {
	if utf8.RuneCountInString(s) <= runes {
		return s
	}
	cut := []rune(s)[:runes-1]
	return strings.TrimRightFunc(string(cut), unicode.IsSpace) + "…"
}

// sentence makes a clause a sentence.
func sentence(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	s = string(unicode.ToUpper(r)) + s[n:]
	if !strings.ContainsAny(s[len(s)-1:], ".!?") && !strings.HasSuffix(s, "…") {
		s += "."
	}
	return s
}
