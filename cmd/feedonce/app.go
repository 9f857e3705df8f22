package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"feedonce/internal/fetch"
	"feedonce/internal/ingest"
	"feedonce/internal/poll"
	"feedonce/internal/store"
)

// An app is one run of the program: its streams, and the settings once they are known.
type app struct {
	in       io.Reader
	out, err io.Writer
	environ  []string
	args     []string

	set     settings
	json    bool
	started bool // a command was found for the arguments, and runs
}

// run runs the command the arguments name, and returns the exit code.
func (a *app) run(ctx context.Context) int {
	root := a.root()
	root.SetArgs(a.args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	err := root.ExecuteContext(ctx)
	code := exitCode(err, a.started)
	if err != nil && err.Error() != "" && code != 130 {
		fmt.Fprintf(a.err, "feedonce: %s\n", strings.TrimSpace(err.Error()))
	}
	return code
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "feedonce",
		Short: "A feed aggregator in which every article arrives exactly once",
		Long: `feedonce polls feeds, shows every article once, loses none, and can always say why.

Begin with one of:
  feedonce demo                 watch it deal with misbehaving publishers; works offline
  feedonce try URL|FILE|FOLDER  see what is repeated in a feed; changes nothing
  feedonce serve                poll, and show the articles at http://127.0.0.1:8470

Settings come from flags, else from environment variables FEEDONCE_NAME, else from the TOML file that --config names
(default: config.toml in the folder feedonce of the user's configuration folder), else from defaults. A setting has the
same name everywhere: --max-body, FEEDONCE_MAX_BODY, max-body.

With --json, lists are one JSON object a line (NDJSON), for programs; times are RFC 3339 in UTC.

Exit codes:
  0  done
  1  could not be done
  2  called wrongly
  3  done, and found something: try found repeats, poll found feeds that cannot be read, doctor found
     a problem, import skipped outlines, dest test was not accepted, policy simulate found what would differ, explain --check a
     decision that comes out otherwise, dedup lines that cannot be read`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs, // so that RunE can say what is wrong with them
		RunE: func(cmd *cobra.Command, given []string) error {
			if len(given) == 0 {
				return cmd.Help()
			}
			hint := "`feedonce --help` lists the commands"
			if near := cmd.SuggestionsFor(given[0]); len(near) > 0 {
				hint = "perhaps " + strings.Join(near, " or ") + " was meant; " + hint
			}
			return usagef("%q is no command; %s", given[0], hint)
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			set, err := loadSettings(cmd.Flags(), a.environ)
			if err != nil {
				return err
			}
			a.set, a.started = set, true
			return nil
		},
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%v; see `%s --help`", err, cmd.CommandPath())
	})
	root.PersistentFlags().String("config", "", "TOML file with settings")
	root.AddGroup(
		&cobra.Group{ID: "run", Title: "Run:"},
		&cobra.Group{ID: "feeds", Title: "Feeds:"},
		&cobra.Group{ID: "read", Title: "Articles and decisions:"},
		&cobra.Group{ID: "tell", Title: "Telling others:"},
		&cobra.Group{ID: "people", Title: "People:"},
		&cobra.Group{ID: "care", Title: "Care:"},
	)
	for group, commands := range map[string][]*cobra.Command{
		"run":    {a.serveCommand(), a.workerCommand(), a.demoCommand(), a.tryCommand(), a.dedupCommand()},
		"feeds":  {a.addCommand(), a.rmCommand(), a.feedsCommand(), a.pollCommand(), a.policyCommand(), a.importCommand(), a.exportCommand()},
		"read":   {a.listCommand(), a.searchCommand(), a.showCommand(), a.explainCommand(), a.storiesCommand(), a.quarantineCommand(), a.splitCommand(), a.mergeCommand(), a.undoCommand()},
		"tell":   {a.destCommand(), a.deliveriesCommand(), a.tailCommand(), a.outCommand()},
		"people": {a.userCommand(), a.tokenCommand()},
		"care":   {a.backupCommand(), a.restoreCommand(), a.doctorCommand(), a.versionCommand()},
	} {
		for _, c := range commands {
			c.GroupID = group
		}
		root.AddCommand(commands...)
	}
	return root
}

// jsonFlag gives a command --json.
func (a *app) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.json, "json", false, "for programs: JSON, one object a line")
}

// withStore runs f with the open database, which must be there: a name that was typed wrongly must not become an empty
// database.
func (a *app) withStore(ctx context.Context, f func(*store.Store) error) error {
	isFile := !strings.Contains(a.set.DB, "://") || strings.HasPrefix(a.set.DB, "file:")
	if _, err := os.Stat(a.set.file()); isFile && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no database %s yet; serve, add and import make it, or name another with --db", a.set.file())
	}
	return a.withNewStore(ctx, f)
}

// withNewStore runs f with the open database, which is made where it is missing.
func (a *app) withNewStore(ctx context.Context, f func(*store.Store) error) error {
	s, err := store.Open(ctx, a.set.DB)
	if err != nil {
		return err
	}
	err = f(s)
	if cerr := s.Close(); err == nil && cerr != nil {
		err = fmt.Errorf("closing the database: %w", cerr)
	}
	return err
}

// client returns a client for the web. The caller closes it.
func (a *app) client() *fetch.Client {
	return fetch.New(fetch.Options{
		UserAgent:  a.set.UserAgent,
		ContactURL: a.set.Contact,
		Version:    programVersion(),
		Timeout:    a.set.Timeout,
		MaxBody:    int64(a.set.MaxBody),
		AllowNets:  a.set.AllowNet,
	})
}

// poller returns a poller with the settings' options.
func (a *app) poller(s *store.Store, c *fetch.Client, log *slog.Logger, journal *ingest.Journal) *poll.Poller {
	return poll.New(poll.Options{
		Store: s, Client: c, Log: log, Journal: journal,
		Workers: a.set.Workers, PerHost: a.set.PerHost,
		Step: a.set.Step, Min: a.set.MinInterval, Max: a.set.MaxInterval, Lease: a.set.Lease,
	})
}

// journal opens the journal of documents being read, by which a document that ends the whole process is found out after
// the restart: beside a SQLite database, and for PostgreSQL in the user's cache folder, under a name that no other
// database has. Polling goes on without one.
func (a *app) journal(log *slog.Logger) *ingest.Journal {
	path := a.set.file() + ".reading"
	if a.set.postgres() {
		dir, err := os.UserCacheDir()
		if err == nil {
			dir = filepath.Join(dir, "feedonce")
			err = os.MkdirAll(dir, 0o700)
		}
		if err != nil {
			log.Warn("there is no journal of documents being read", "error", err)
			return nil
		}
		path = filepath.Join(dir, fmt.Sprintf("reading-%.16x", sha256.Sum256([]byte(a.set.DB))))
	}
	j, err := ingest.OpenJournal(path)
	if err != nil {
		log.Warn("there is no journal of documents being read", "error", err)
		return nil
	}
	return j
}

// limitMemory has the garbage collector work harder before the program outgrows the half gibibyte it promises to stay
// below. GOMEMLIMIT, where it is set, has the last word.
func limitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(384 << 20)
	}
}

// logger writes to standard error, at the level of the settings.
func (a *app) logger() *slog.Logger {
	o := &slog.HandlerOptions{Level: a.set.LogLevel}
	if a.set.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(a.err, o))
	}
	return slog.New(slog.NewTextHandler(a.err, o))
}

// programVersion is what the linker was told, else what the build knows of the commit.
func programVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 7 {
			return s.Value[:7]
		}
	}
	return "dev"
}
