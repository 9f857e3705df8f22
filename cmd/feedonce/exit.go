package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

// Exit codes. They are part of what programs rely on: see the help of the root command.
const (
	exitOK    = 0
	exitFail  = 1 // it could not be done
	exitUsage = 2 // it was asked for in a way that cannot be understood
	exitFound = 3 // it was done, and found something that wants attention
)

// A usageError is a command that was called wrongly.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// A foundError ends a command that did its work and found something. It has no text of its own where the command has
// said all there is to say.
type foundError struct{ text string }

func (e *foundError) Error() string { return e.text }

var errFound = &foundError{}

func exitCode(err error, started bool) int {
	var usage *usageError
	var found *foundError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &found):
		return exitFound
	case !started || errors.As(err, &usage): // what cobra finds wrong, it finds before the command starts
		return exitUsage
	case errors.Is(err, context.Canceled):
		return 130 // ended by Ctrl-C, as shells count it
	}
	return exitFail
}

// args checks the number of arguments, and says in what form they are wanted. A negative most is any number.
func args(least, most int, form string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		switch {
		case len(given) < least && form != "":
			return usagef("%s needs %s; see `%s --help`", cmd.CommandPath(), form, cmd.CommandPath())
		case most >= 0 && len(given) > most && most == 0:
			return usagef("%s takes no argument, and got %q", cmd.CommandPath(), given[0])
		case most >= 0 && len(given) > most:
			return usagef("%s takes %s, and got %d arguments; quote what has spaces", cmd.CommandPath(), form, len(given))
		}
		return nil
	}
}
