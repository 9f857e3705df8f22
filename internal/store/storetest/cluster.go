package storetest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"feedonce/internal/apt"
	"feedonce/internal/sqldb"
)

// serverEnv names an existing PostgreSQL server to use instead of starting one: a URL of a role that may create databases.
const serverEnv = "FEEDONCE_TEST_POSTGRES"

// A server is a PostgreSQL server for tests.
type server struct {
	dir  string   // of its socket; empty where the server is somebody else's
	base *url.URL // of a database to make others from

	databases databases
}

// theServer starts the server of this test process, once.
var theServer = sync.OnceValues(func() (*server, error) {
	if dsn := os.Getenv(serverEnv); dsn != "" {
		u, err := url.Parse(dsn)
		if err != nil {
			return nil, fmt.Errorf("%s is no URL: %w", serverEnv, err)
		}
		return &server{base: u}, nil
	}
	return startServer()
})

// foreign reports whether the server is somebody else's, and stays.
func (s *server) foreign() bool { return s.dir == "" }

// dsn returns the URL of a database of the server.
func (s *server) dsn(database string) string {
	u := *s.base
	u.Path = "/" + database
	return u.String()
}

// startServer makes a cluster in a temporary folder and starts it on a socket in it. The shell that runs it waits for
// the end of a pipe that this process holds: when the process ends, in whatever way, the cluster is stopped and removed.
func startServer() (*server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("/tmp", "feedonce-postgres-") // short, as the path of a socket must be
	if err != nil {
		return nil, err
	}
	fail := func(err error) (*server, error) {
		os.RemoveAll(dir)
		return nil, err
	}
	attr, err := postgresUser(dir)
	if err != nil {
		return fail(err)
	}
	data := filepath.Join(dir, "data")

	initdb := exec.Command(filepath.Join(bin, "initdb"), "--pgdata="+data, "--username=postgres", "--auth=trust",
		"--encoding=UTF8", "--locale=C", "--no-sync")
	initdb.Dir, initdb.SysProcAttr = dir, attr
	if out, err := initdb.CombinedOutput(); err != nil {
		return fail(fmt.Errorf("initdb: %w\n%s", err, out))
	}

	// Nothing here must survive a power cut, so nothing is flushed. Full pages are left out of the WAL, as in the steady
	// state between checkpoints, so that its bytes can be compared.
	const script = `"$0" -D "$1/data" -k "$1" -c listen_addresses= -c fsync=off -c synchronous_commit=off -c full_page_writes=off \
		-c autovacuum=off -c max_connections=200 -c shared_buffers=64MB -c jit=off >"$1/log" 2>&1 </dev/null &
server=$!
trap '' HUP INT TERM
read -r end
kill -QUIT $server
wait $server
rm -rf "$1"`
	watch := exec.Command("/bin/sh", "-c", script, filepath.Join(bin, "postgres"), dir)
	watch.Dir, watch.SysProcAttr = dir, attr
	pipe, err := watch.StdinPipe()
	if err != nil {
		return fail(err)
	}
	if err := watch.Start(); err != nil {
		return fail(fmt.Errorf("start postgres: %w", err))
	}
	s := &server{dir: dir, base: &url.URL{Scheme: "postgres", User: url.User("postgres"), Path: "/postgres",
		RawQuery: url.Values{"host": {dir}}.Encode()}}
	if err := s.wait(); err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "log"))
		pipe.Close()
		return nil, fmt.Errorf("postgres does not answer: %w\n%s", err, log)
	}
	keepOpen = append(keepOpen, pipe)
	return s, nil
}

// keepOpen keeps pipes from being collected, which would close them.
var keepOpen []any

// wait tries to connect until the server answers.
func (s *server) wait() error {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		db, err := sqldb.Open(ctx, s.dsn("postgres"))
		if err == nil {
			return db.Close()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return err
		}
	}
}

// postgresUser returns how to run the server's programs: as the user postgres where this process is root, which
// PostgreSQL refuses. The user gets the folder.
func postgresUser(dir string) (*syscall.SysProcAttr, error) {
	attr := &syscall.SysProcAttr{Setsid: true} // so that Ctrl-C does not reach it before the pipe closes
	if os.Geteuid() != 0 {
		return attr, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL does not run as root, and there is no user postgres to run it as: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return attr, os.Chown(dir, int(uid), int(gid))
}

// binaries returns the folder of PostgreSQL's programs, and installs them where there are none.
func binaries() (string, error) {
	if bin := findBinaries(); bin != "" {
		return bin, nil
	}
	out, err := apt.Install("postgresql")
	if bin := findBinaries(); bin != "" {
		return bin, nil
	}
	if err == nil {
		err = errors.New("apt-get installed it, but in an older version, or elsewhere than in PATH and /usr/lib/postgresql")
	}
	return "", fmt.Errorf("these tests need PostgreSQL 15 or newer: install it (apt-get install postgresql), or name a server in %s (postgres://user@host/); "+
		"installing it here did not work: %w\n%s", serverEnv, err, out)
}

// findBinaries looks in PATH and where Debian puts them, newest version first.
func findBinaries() string {
	candidates, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is good
	version := func(dir string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(dir))) // 0 sorts last
		return n
	}
	slices.SortFunc(candidates, func(a, b string) int { return version(b) - version(a) })
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			candidates = append([]string{filepath.Dir(path)}, candidates...)
		}
	}
	for _, dir := range candidates {
		out, err := exec.Command(filepath.Join(dir, "postgres"), "--version").Output()
		if err != nil {
			continue
		}
		fields := strings.Fields(string(out)) // postgres (PostgreSQL) 15.8 (Debian …)
		if len(fields) < 3 {
			continue
		}
		major, _, _ := strings.Cut(fields[2], ".")
		if n, err := strconv.Atoi(major); err == nil && n >= 15 {
			if _, err := os.Stat(filepath.Join(dir, "initdb")); err == nil {
				return dir
			}
		}
	}
	return ""
}
