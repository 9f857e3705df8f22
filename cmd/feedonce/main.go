// Command feedonce is a feed aggregator in which every article arrives exactly once, none is lost, and which can
// always say why.
//
// There is one file for each command. What commands share: settings.go (where a setting comes from), app.go (opening
// what a command needs), naming.go (which feed a person means), output.go and progress.go (what a person or a program
// sees), exit.go (what the exit code says).
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// version is set by the linker (see Makefile).
var version = ""

func main() { os.Exit(realMain()) }

func realMain() int {
	// The first signal asks for a clean end; after it, signals have their usual effect, so that a second one kills.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	a := &app{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		environ: os.Environ(),
		args:    os.Args[1:],
	}
	a.takeStandardLog()
	return a.run(ctx)
}
