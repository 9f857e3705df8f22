//go:build linux || darwin

package dest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/dest"
)

// ids returns the IDs of a file's lines, "?" for one that is no JSON.
func ids(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(b)) {
		var p struct{ ID, Type string }
		if !strings.HasSuffix(line, "\n") || json.Unmarshal([]byte(line), &p) != nil {
			p.ID = "?"
		}
		out = append(out, p.ID)
	}
	return out
}

func numbered(n int) dest.Message {
	m := newMessage()
	m.Key = fmt.Sprintf("msg_k3n8_%d", n)
	return m
}

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "articles.ndjson")
	sender := openKind(t, "file", dest.Settings{"path": path})
	send := func(m dest.Message) {
		t.Helper()
		if res := sender.Send(t.Context(), m); res.Outcome != dest.Sent || res.Err != nil {
			t.Fatalf("%+v", res)
		}
	}
	m := numbered(1)
	m.Articles[0].Title = "two\nlines\u2028and a \x00"
	send(m)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o007 != 0 {
		t.Errorf("the file is %v, %v: others may read it", info.Mode(), err)
	}
	send(numbered(2))
	// A crash left half a line.
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(`{"type":"article.new","id":"msg_k3`)
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	send(numbered(3))
	if d := cmp.Diff([]string{"msg_k3n8_1", "msg_k3n8_2", "?", "msg_k3n8_3"}, ids(t, path)); d != "" {
		t.Errorf("lines (-want +got):\n%s", d)
	}
	// The file is rotated, and then emptied in place.
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	send(numbered(4))
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	digest := numbered(5)
	other := article()
	other.Entry = 8
	digest.Digest, digest.Title, digest.Articles = true, "Morning", append(digest.Articles, other)
	send(digest)
	send(dest.Message{Key: "msg_k3n8_6", Kind: feedonce.DeliverNotice, Created: now, Notice: "Look here."})
	if d := cmp.Diff([]string{"msg_k3n8_5_7", "msg_k3n8_5_8", "msg_k3n8_6"}, ids(t, path)); d != "" {
		t.Errorf("lines after rotation (-want +got):\n%s", d)
	}
}

func TestFileWithManyWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "articles.ndjson")
	const writers, each = 8, 25
	var wait sync.WaitGroup
	for w := range writers {
		sender := openKind(t, "file", dest.Settings{"path": path})
		wait.Go(func() {
			for i := range each {
				m := numbered(w*each + i)
				m.Articles[0].HTML = strings.Repeat("x", 10<<10)
				if res := sender.Send(t.Context(), m); res.Outcome != dest.Sent {
					t.Errorf("%+v", res)
				}
				if i == each/2 && w == 0 {
					os.Rename(path, path+".1")
				}
			}
		})
	}
	wait.Wait()
	seen := map[string]int{}
	for _, id := range append(ids(t, path), ids(t, path+".1")...) {
		seen[id]++
	}
	for n := range writers * each {
		if id := numbered(n).Key; seen[id] != 1 {
			t.Errorf("line %s is there %d times", id, seen[id])
		}
	}
	if len(seen) != writers*each {
		t.Errorf("%d different lines, want %d", len(seen), writers*each)
	}
}

func TestFileThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	locked := filepath.Join(dir, "locked")
	f, err := os.Create(locked)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		path    string
		outcome dest.Outcome
		says    string
	}{
		"locked":    {locked, dest.Retry, "lock"},
		"folder":    {dir, dest.Gone, "is no file"},
		"device":    {"/dev/full", dest.Gone, "is no file"},
		"no folder": {filepath.Join(dir, "none", "x"), dest.Gone, "folder"},
	} {
		res := openKind(t, "file", dest.Settings{"path": c.path}).Send(ended, newMessage())
		if res.Outcome != c.outcome || res.Err == nil || !strings.Contains(res.Err.Error(), c.says) {
			t.Errorf("%s: %+v, want %s and %q", name, res, c.outcome, c.says)
		}
	}
	if info, err := f.Stat(); err != nil || info.Size() != 0 {
		t.Errorf("the locked file was written to: %v bytes, %v", info.Size(), err)
	}
	for _, path := range []string{"", "x", "../x", "/tmp/../x", "/tmp/x/", "/tmp/\x00"} {
		if _, err := dest.File.Open(dest.Settings{"path": path}, testEnv()); err == nil {
			t.Errorf("path %q is allowed", path)
		}
	}
}

// A disk that is full in the middle of a line: what was written is taken back. The limit on file sizes stands in for the disk,
// in a process of its own.
func TestFileOnAFullDisk(t *testing.T) {
	if path := os.Getenv("FEEDONCE_TEST_FULL"); path != "" {
		signal.Ignore(syscall.SIGXFSZ)
		m := numbered(2)
		m.Articles[0].HTML = strings.Repeat("x", 100<<10)
		res := openKind(t, "file", dest.Settings{"path": path}).Send(t.Context(), m)
		if res.Outcome != dest.Retry || res.Err == nil {
			t.Errorf("%+v", res)
		}
		return
	}
	path := filepath.Join(t.TempDir(), "articles.ndjson")
	if res := openKind(t, "file", dest.Settings{"path": path}).Send(t.Context(), numbered(1)); res.Outcome != dest.Sent {
		t.Fatalf("%+v", res)
	}
	cmd := exec.Command("/bin/sh", "-c", `ulimit -f 16 && exec "$0" "$@"`, os.Args[0], "-test.run=^TestFileOnAFullDisk$", "-test.v")
	cmd.Env = append(os.Environ(), "FEEDONCE_TEST_FULL="+path)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestFileOnAFullDisk") {
		t.Errorf("%v:\n%s", err, out)
	}
	if d := cmp.Diff([]string{"msg_k3n8_1"}, ids(t, path)); d != "" {
		t.Errorf("lines (-want +got):\n%s", d)
	}
}
