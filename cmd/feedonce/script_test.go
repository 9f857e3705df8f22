package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"feedonce/internal/demo"
	"feedonce/internal/store/storetest"
)

var update = flag.Bool("update", false, "rewrite the expected outputs in testdata/script")

// TestMain lets the scripts run this test binary as feedonce.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"feedonce": main})
}

// TestScript runs the commands as a person would. A script has in its environment:
//
//	SITE  a web server: what is in the folder www; /moved/X redirects to /X for good, /status/N answers N
//	TOWN  the publishers of the demo
//	PORT  a port to listen at
//
// and its own home. `ready URL` waits until URL answers, `until PATTERN COMMAND` until a command prints what
// matches, and `code N COMMAND` asserts an exit code.
func TestScript(t *testing.T) { runScripts(t, "testdata/script", "") }

// TestScriptPostgres runs the scripts that are about PostgreSQL; POSTGRES in their environment is an empty database.
func TestScriptPostgres(t *testing.T) { runScripts(t, "testdata/postgres", storetest.Postgres(t)) }

func runScripts(t *testing.T, dir, postgres string) {
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"ready": ready,
			"until": until,
			"code":  code,
		},
		Setup: func(env *testscript.Env) error {
			site := httptest.NewServer(siteHandler(filepath.Join(env.WorkDir, "www")))
			env.Defer(site.Close)
			town := httptest.NewServer(demo.NewSite(demo.Publishers(time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC), time.Hour)))
			env.Defer(town.Close)
			env.Setenv("SITE", site.URL)
			env.Setenv("TOWN", town.URL)
			env.Setenv("POSTGRES", postgres)
			port, err := freePort()
			if err != nil {
				return err
			}
			env.Setenv("PORT", port)
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("XDG_DATA_HOME", filepath.Join(env.WorkDir, "data"))
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "config"))
			env.Setenv("FEEDONCE_ALLOW_NET", "127.0.0.0/8")
			env.Setenv("TZ", "UTC")
			// The race detector waits a second at the end of each of some hundred commands, for goroutines that are still at it.
			env.Setenv("GORACE", "atexit_sleep_ms=20")
			return nil
		},
	})
}

// freePort returns a port that nobody listened at a moment ago.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}

func siteHandler(dir string) http.Handler {
	mux := http.NewServeMux()
	files := http.FileServer(http.Dir(dir))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("If-Modified-Since") // a script changes files more than once a second
		files.ServeHTTP(w, r)
	})
	mux.HandleFunc("/moved/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, strings.TrimPrefix(r.URL.Path, "/moved"), http.StatusMovedPermanently)
	})
	mux.HandleFunc("/status/{code}", func(w http.ResponseWriter, r *http.Request) {
		var status int
		if _, err := fmt.Sscan(r.PathValue("code"), &status); err != nil {
			status = http.StatusNotFound
		}
		w.WriteHeader(status)
	})
	return mux
}

// code runs a command and compares its exit code: `code 3 feedonce doctor`. Its output is there for stdout and stderr.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND...")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if exit, ok := err.(interface{ ExitCode() int }); ok {
		got = fmt.Sprint(exit.ExitCode())
	} else if err != nil {
		ts.Fatalf("%v: %v", args[1:], err)
	}
	if got != args[0] {
		ts.Fatalf("%v: exit code %s, want %s", args[1:], got, args[0])
	}
}

// ready waits until a URL answers.
func ready(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: ready URL")
	}
	again(ts, args[0]+" does not answer", func() bool {
		res, err := http.Get(args[0])
		if err != nil {
			return false
		}
		res.Body.Close()
		return true
	})
}

// until runs a command again and again until its standard output matches a pattern.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until PATTERN COMMAND...")
	}
	pattern, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	again(ts, "what was printed never matched "+args[0], func() bool {
		return ts.Exec(args[1], args[2:]...) == nil && pattern.MatchString(ts.ReadFile("stdout"))
	})
}

// again calls f until it returns true, for half a minute.
func again(ts *testscript.TestScript, failure string, f func() bool) {
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !f() {
		select {
		case <-tick.C:
		case <-deadline:
			ts.Fatalf("%s", failure)
		}
	}
}
