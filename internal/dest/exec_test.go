//go:build unix

package dest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"feedonce"
	"feedonce/internal/dest"
)

func shell(script string) dest.Settings {
	return dest.Settings{"command": `/bin/sh -c '` + script + `'`}
}

func TestExec(t *testing.T) {
	t.Setenv("FEEDONCE_SECRET_KEY", "topsecret")
	t.Setenv("PGPASSWORD", "topsecret")
	t.Setenv("GREETING", "hello")
	dir := t.TempDir()
	sender := openKind(t, "exec", shell(fmt.Sprintf("cat > %[1]s/in; env > %[1]s/env; echo done as $FEEDONCE_KEY", dir)))
	m := newMessage()
	m.Articles[0].Title = "$(touch " + dir + "/evil) `id` \"; rm -rf x\n\x00"
	res := sender.Send(t.Context(), m)
	if res.Outcome != dest.Sent || res.Err != nil || res.Excerpt != "done as msg_k3n8_12" {
		t.Fatalf("%+v", res)
	}
	in, err := os.ReadFile(filepath.Join(dir, "in"))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Type, ID string
		Data     struct{ Title string }
	}
	if err := json.Unmarshal(in, &got); err != nil || got.Type != "article.new" || got.ID != m.Key || got.Data.Title != m.Articles[0].Title {
		t.Errorf("standard input was %v, %+v:\n%s", err, got, in)
	}
	env, err := os.ReadFile(filepath.Join(dir, "env"))
	if err != nil || strings.Contains(string(env), "topsecret") || !strings.Contains(string(env), "GREETING=hello") || !strings.Contains(string(env), "FEEDONCE_KEY=msg_k3n8_12\n") {
		t.Errorf("the environment was %v:\n%s", err, env)
	}
	if _, err := os.Stat(filepath.Join(dir, "evil")); err == nil {
		t.Error("a title was run")
	}
}

func TestExecOutcomes(t *testing.T) {
	for script, want := range map[string]struct {
		outcome dest.Outcome
		status  int
	}{
		"exit 0":                      {dest.Sent, 0},
		"echo busy; exit 75":          {dest.Retry, 75},
		"echo no good >&2; exit 65":   {dest.Refused, 65},
		"exit 78":                     {dest.Gone, 78},
		"exit 1":                      {dest.Retry, 1},
		"exec /nonexistent/program":   {dest.Retry, 127},
		"kill -9 $$":                  {dest.Unknown, 0},
		"exec <&-; exit 0":            {dest.Sent, 0}, // reads nothing
		"sleep 3600 & exit 0":         {dest.Sent, 0}, // leaves something behind that holds its output
		"yes | head -c 20000000":      {dest.Sent, 0},
		"printf %s \\\\303; exit 75":  {dest.Retry, 75}, // half a character
		"head -c 1000000 /dev/random": {dest.Sent, 0},
	} {
		t.Run(script, func(t *testing.T) {
			if strings.HasPrefix(script, "sleep") {
				script = "sleep 3600 & echo $! ; exit 0"
			}
			m := newMessage()
			m.Articles[0].HTML = strings.Repeat("x", 100<<10) // more than a pipe holds
			res := openKind(t, "exec", shell(script)).Send(t.Context(), m)
			if res.Outcome != want.outcome || res.Status != want.status || len(res.Excerpt) > 500 || (res.Err == nil) != (want.outcome == dest.Sent) {
				t.Errorf("%+v, want %+v", res, want)
			}
			if strings.HasPrefix(script, "sleep") {
				var pid int
				if _, err := fmt.Sscan(res.Excerpt, &pid); err != nil {
					t.Fatalf("%v in %q", err, res.Excerpt)
				}
				syscall.Kill(pid, syscall.SIGKILL)
			}
		})
	}
	res := openKind(t, "exec", dest.Settings{"command": "/nonexistent/program"}).Send(t.Context(), newMessage())
	if res.Outcome != dest.Gone || !strings.Contains(res.Err.Error(), "/nonexistent/program") {
		t.Errorf("a program that is not there: %+v", res)
	}
}

// What a command has started ends with it.
func TestExecIsStoppedWithItsChildren(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ready := make(chan error, 1)
	var rest *bufio.Reader
	go func() {
		hold, err := os.OpenFile(fifo, os.O_WRONLY, 0) // else the first read would end before the command is there
		if err != nil {
			ready <- err
			return
		}
		rest = bufio.NewReader(f)
		line, err := rest.ReadString('\n')
		hold.Close()
		if err == nil && line != "ready\n" {
			err = fmt.Errorf("the command wrote %q", line)
		}
		ready <- err
		cancel()
	}()
	res := openKind(t, "exec", shell("exec 3>"+fifo+"; sleep 3600 & echo ready >&3; wait")).Send(ctx, newMessage())
	if err := <-ready; err != nil {
		t.Fatal(err)
	}
	if res.Outcome != dest.Unknown || !strings.Contains(res.Err.Error(), "stopped") {
		t.Errorf("%+v", res)
	}
	f.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := io.ReadAll(rest); err != nil {
		t.Errorf("a child of the command lives on: %v", err)
	}
}

func TestExecSettings(t *testing.T) {
	for command, says := range map[string]string{
		"":               "full path",
		"tell":           "full path",
		"./tell":         "full path",
		`/bin/tell "abc`: "quote",
		"/bin/tell \x00": "NUL",
	} {
		_, err := dest.Exec.Open(dest.Settings{"command": command}, testEnv())
		if invalid, ok := err.(*feedonce.InvalidError); !ok || invalid.Field != "command" || !strings.Contains(invalid.Reason, says) {
			t.Errorf("%q: error %v, want one that says %q", command, err, says)
		}
	}
	env := testEnv()
	env.Exec = false
	for _, k := range []*dest.Kind{dest.Exec, dest.File} {
		if _, err := k.Open(dest.Settings{"command": "/bin/true", "path": "/tmp/x"}, env); err == nil || !strings.Contains(err.Error(), "operator") {
			t.Errorf("%s where it is not allowed: %v", k.Name, err)
		}
	}
	res := openKind(t, "exec", dest.Settings{"command": `/usr/bin/printf  '%s|' "a b" '' c"d e"'f' \n` + "\n"}).Send(t.Context(), newMessage())
	if res.Excerpt != `a b||cd ef|\n|` {
		t.Errorf("arguments came as %q (%v)", res.Excerpt, res.Err)
	}
}
