package dest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"feedonce"
)

// Exec gives each message to a command, as JSON on its standard input. Whoever sets one up runs programs with the rights of
// this one, so it is for the operator alone.
var Exec = &Kind{
	Name:  "exec",
	About: "a command of yours, which gets the message as JSON on standard input (for operators)",
	Fields: []Field{
		{Name: "command", About: `program with its full path and arguments, such as /usr/local/bin/tell --to "the team"; no shell looks at it`, Required: true},
	},
	Rate: feedonce.Rate{PerMinute: 120, Burst: 20},
	Open: openExec,
}

const (
	exitTempFail = 75 // EX_TEMPFAIL of sysexits.h: try again
	exitDataErr  = 65 // EX_DATAERR: never this message
	exitConfig   = 78 // EX_CONFIG: no message until a person has put something right

	// maxOutput is how much of a command's output is read; the rest is thrown away, and the command not held up.
	maxOutput = 4 << 10
	// grace is how long the output of a command that has ended may be held open by others.
	grace = 2 * time.Second
)

// errOperator is why kinds that reach into this machine are not for everybody.
func errOperator(env Env, field string) error {
	if env.Exec {
		return nil
	}
	return &feedonce.InvalidError{Field: field, Reason: "reaches into the machine that feedonce runs on, and is allowed only where the operator has set allow-exec (--allow-exec, FEEDONCE_ALLOW_EXEC=true)"}
}

type execSender struct {
	env  Env
	args []string
}

func openExec(set Settings, env Env) (Sender, error) {
	if err := errOperator(env, "command"); err != nil {
		return nil, err
	}
	args, err := words(set["command"])
	if err != nil {
		return nil, &feedonce.InvalidError{Field: "command", Reason: err.Error()}
	}
	if len(args) == 0 || !filepath.IsAbs(args[0]) {
		return nil, &feedonce.InvalidError{Field: "command", Reason: "must begin with the full path of a program, such as /usr/local/bin/tell"}
	}
	return &execSender{env: env, args: args}, nil
}

// words splits a command at spaces. Within quotes, single or double, spaces are of the word; a backslash stands for itself.
func words(s string) ([]string, error) {
	var out []string
	var word strings.Builder
	in, quote := false, rune(0)
	for _, r := range s {
		switch {
		case r == 0:
			return nil, errors.New("must not have a NUL in it")
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			in, quote = true, r
		case quote == 0 && strings.ContainsRune(" \t\r\n", r):
			if in {
				out = append(out, word.String())
				word.Reset()
				in = false
			}
		default:
			in = true
			word.WriteRune(r)
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("has a quote %c that does not end", quote)
	}
	if in {
		out = append(out, word.String())
	}
	return out, nil
}

func (e *execSender) Preview(m Message) (Preview, error) {
	p, err := JSON(payload(m))
	p.Headers = [][2]string{{"command", fmt.Sprintf("%q", e.args)}, {"FEEDONCE_KEY", m.Key}}
	return p, err
}

func (e *execSender) Send(ctx context.Context, m Message) Result {
	body, err := marshal(payload(m))
	if err != nil {
		return Result{Outcome: Refused, Err: err}
	}
	cmd := exec.CommandContext(ctx, e.args[0], e.args[1:]...)
	cmd.Stdin = bytes.NewReader(append(body, '\n'))
	var out output
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = environment(m.Key)
	cmd.WaitDelay = grace
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		if ctx.Err() != nil {
			return Result{Outcome: Retry, Err: errors.New("the command was not started: " + reason(ctx.Err()))}
		}
		res := Result{Outcome: Retry, Err: fmt.Errorf("the command could not be started: %w", err)}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			res.Outcome = Gone
		}
		return res
	}
	cmd.Wait() // the process's state says more than its error
	res := Result{Excerpt: excerpt(out.String())}
	said := ""
	if res.Excerpt != "" {
		said = ": " + res.Excerpt
	}
	code := cmd.ProcessState.ExitCode()
	switch {
	case code == 0: // whatever became of its output
		res.Outcome = Sent
	case ctx.Err() != nil:
		// What it did until then nobody knows.
		res.Outcome, res.Err = Unknown, fmt.Errorf("the command was stopped: %s%s", reason(ctx.Err()), said)
	case code == -1:
		res.Outcome, res.Err = Unknown, fmt.Errorf("the command ended by %s%s", cmd.ProcessState, said)
	case code == exitDataErr:
		res.Outcome, res.Err = Refused, fmt.Errorf("the command refuses this message (exit code %d)%s", code, said)
	case code == exitConfig:
		res.Outcome, res.Err = Gone, fmt.Errorf("the command is not set up (exit code %d)%s", code, said)
	case code == exitTempFail:
		res.Outcome, res.Err = Retry, fmt.Errorf("the command wants it later (exit code %d)%s", code, said)
	default:
		// A program that fails has mostly done nothing, and a lost article is worse than one told twice.
		res.Outcome, res.Err = Retry, fmt.Errorf("the command failed (exit code %d)%s", code, said)
	}
	res.Status = max(code, 0)
	return res
}

// environment is this program's own without its settings, among which are the key for secrets and the database's password.
func environment(key string) []string {
	var out []string
	for _, line := range os.Environ() {
		if name, _, _ := strings.Cut(line, "="); !strings.HasPrefix(strings.ToUpper(name), "FEEDONCE_") && !strings.HasPrefix(strings.ToUpper(name), "PG") {
			out = append(out, line)
		}
	}
	return append(out, "FEEDONCE_KEY="+key)
}

// output keeps the beginning of what is written to it. It is safe for concurrent use.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.b.Write(p[:min(len(p), maxOutput-o.b.Len())])
	return len(p), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}
