// Command feedonce-histories replays real feed histories - what publishers did to their feeds over the years - through the
// product's engine and six simpler strategies, and compares what each shows with what is true (see package replay).
//
// It exits with 1 when the engine misses a gate, and when there are no histories: they are not part of the project, but
// are looked for in $FEEDONCE_CORPUS/histories or, without that variable, in ../shared/corpus/histories beside the
// repository.
//
//	feedonce-histories -only flink -mode fifth     a part of it
//	feedonce-histories -only flink -look           every difference from the truth, with the evidence
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"feedonce/internal/evolve"
	"feedonce/internal/replay"
)

func main() {
	o := options{out: os.Stdout}
	flag.StringVar(&o.only, "only", "", "only histories with this in their names")
	flag.StringVar(&o.mode, "mode", "", "only this way to see a history: every, second, fifth, middle, twice")
	flag.BoolVar(&o.look, "look", false, "print every difference between the engine and the truth instead of tables")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "feedonce-histories takes no arguments, but got %q; see -help\n", flag.Args())
		os.Exit(2)
	}
	passed, err := o.run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "feedonce-histories:", err)
	}
	if err != nil || !passed {
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	out        io.Writer
	only, mode string
	look       bool
}

// run replays, and reports whether all gates were passed.
func (o *options) run() (passed bool, err error) {
	root, err := repository()
	if err != nil {
		return false, err
	}
	dir, err := replay.Corpus(root)
	if err != nil {
		return false, err
	}
	modes, err := pick(o.mode)
	if err != nil {
		return false, err
	}
	histories, err := replay.LoadAll(dir, o.only)
	if err != nil {
		return false, err
	}
	if o.look {
		for _, h := range histories {
			for _, m := range modes {
				sc := h.Replay(evolve.NewProduct(), m, func(f replay.Fault) { fmt.Fprintln(o.out, f) })
				fmt.Fprintf(o.out, "%s, %s: %+v\n\n", h.Name, m.About, sc)
			}
		}
		return true, nil
	}
	rep := replay.Run(histories, modes)
	if err := rep.WriteTables(o.out); err != nil {
		return false, err
	}
	fmt.Fprint(o.out, "\n"+replay.Legend)
	complaints := rep.Complaints()
	for _, c := range complaints {
		fmt.Fprintln(o.out, "FAILED:", c)
	}
	if len(complaints) == 0 {
		fmt.Fprintln(o.out, "All gates are passed.")
	}
	return len(complaints) == 0, nil
}

// pick is the mode with this name, or all.
func pick(name string) ([]replay.Mode, error) {
	if name == "" {
		return replay.Modes, nil
	}
	for _, m := range replay.Modes {
		if m.Name == name {
			return []replay.Mode{m}, nil
		}
	}
	return nil, fmt.Errorf("there is no mode %q; there are every, second, fifth, middle and twice", name)
}

// repository returns the root of the repository that the program was started in: the folder with go.mod.
func repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "go.mod")); err == nil {
			return d, nil
		}
		if d == filepath.Dir(d) {
			return dir, nil // outside of it: FEEDONCE_CORPUS says where to look
		}
	}
}
