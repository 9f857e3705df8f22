package main

import (
	"bufio"
	"bytes"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
)

// A server that says something unasked on a connection at rest is not worth a line of an ordinary log, and not on the
// terminal of whoever polls.
func TestUnsolicitedAnswerIsLoggedForDebugging(t *testing.T) {
	flags, out := log.Flags(), log.Writer()
	t.Cleanup(func() { log.SetFlags(flags); log.SetOutput(out) })
	for _, tt := range []struct {
		level slog.Level
		lines int
	}{{slog.LevelInfo, 0}, {slog.LevelDebug, 1}} {
		var errs bytes.Buffer
		a := &app{err: &errs}
		a.set.LogLevel = tt.level
		a.takeStandardLog()

		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		answered, ended := make(chan struct{}), make(chan error, 1)
		go func() {
			ended <- func() error {
				c, err := l.Accept()
				if err != nil {
					return err
				}
				defer c.Close()
				r := bufio.NewReader(c)
				if _, err := http.ReadRequest(r); err != nil {
					return err
				}
				if _, err := io.WriteString(c, "HTTP/1.1 204 No Content\r\n\r\n"); err != nil {
					return err
				}
				<-answered
				if _, err := io.WriteString(c, "surprise"); err != nil {
					return err
				}
				_, err = io.Copy(io.Discard, r) // until the client has hung up
				return err
			}()
		}()
		transport := &http.Transport{}
		res, err := (&http.Client{Transport: transport}).Get("http://" + l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		close(answered)
		if err := <-ended; err != nil && !strings.Contains(err.Error(), "reset") {
			t.Fatal(err)
		}
		transport.CloseIdleConnections()
		l.Close()
		log.SetOutput(out) // nothing is written to errs from here on
		if n := strings.Count(errs.String(), "Unsolicited response"); n != tt.lines || strings.Count(errs.String(), "\n") != tt.lines {
			t.Errorf("at level %v the log says:\n%s\nwant %d lines", tt.level, errs.String(), tt.lines)
		}
		if tt.lines > 0 && !strings.Contains(errs.String(), "level=DEBUG") {
			t.Errorf("the line is not for debugging: %s", errs.String())
		}
	}
}
