package main

import (
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// settings are what a person can set. A setting has one name: the flag --max-body is the variable FEEDONCE_MAX_BODY is
// the key max-body of the file. A field's tags are all there is to a setting; see docs of `feedonce --help`.
type settings struct {
	DB string `koanf:"db" group:"store" usage:"database: a file (SQLite) or postgres://USER@HOST/NAME (default: feedonce.db in the user's data folder)"`

	Listen     string         `koanf:"listen" group:"serve" default:"127.0.0.1:8470" usage:"where to serve the pages"`
	Proxies    []netip.Prefix `koanf:"trusted-proxies" group:"serve" usage:"network of reverse proxies, such as 10.0.0.0/8, that are believed whose request they pass on (may be repeated)"`
	AuthHeader string         `koanf:"auth-header" group:"serve" usage:"header in which a trusted proxy says who signed in, such as Remote-User"`

	Hosts []string `koanf:"hosts" group:"serve" usage:"name under which the pages may be opened, besides localhost (may be repeated); * is any"`

	AllowNet  []netip.Prefix `koanf:"allow-net" group:"fetch" usage:"private network that may be fetched from, such as 192.168.1.0/24 (may be repeated)"`
	Timeout   time.Duration  `koanf:"timeout" group:"fetch" default:"20s" usage:"longest time for fetching a feed"`
	MaxBody   byteSize       `koanf:"max-body" group:"fetch" default:"10MiB" usage:"largest document that is read"`
	UserAgent string         `koanf:"user-agent" group:"fetch" usage:"User-Agent to send (default: feedonce/VERSION with the contact)"`
	Contact   string         `koanf:"contact" group:"fetch" usage:"URL at which publishers find whom to write to; part of the default User-Agent"`

	Workers     int           `koanf:"workers" group:"poll" default:"16" usage:"feeds polled at once"`
	PerHost     int           `koanf:"per-host" group:"poll" default:"2" usage:"of them from one host"`
	MinInterval time.Duration `koanf:"min-interval" group:"poll" default:"5m" usage:"shortest time between polls of a feed"`
	MaxInterval time.Duration `koanf:"max-interval" group:"poll" default:"24h" usage:"longest time between polls of a feed"`
	Step        time.Duration `koanf:"step" group:"poll" default:"5s" usage:"how often to look for feeds that are due"`
	Lease       time.Duration `koanf:"lease" group:"poll" default:"2m" usage:"after what time another worker may take over a feed from one that died"`

	URL           string `koanf:"url" group:"deliver" usage:"address under which people open the pages, such as https://feeds.example.org; messages and output feeds link there (default: the address of --listen)"`
	From          string `koanf:"from" group:"deliver" default:"feedonce" usage:"what this installation is called in messages"`
	AllowExec     bool   `koanf:"allow-exec" group:"deliver" default:"false" usage:"let destinations run commands and write files, as whoever runs this program"`
	SecretKey     string `koanf:"secret-key" group:"deliver" usage:"key that addresses and passwords of destinations are sealed with: 64 hexadecimal digits; rather set it in the environment than here"`
	SecretKeyFile string `koanf:"secret-key-file" group:"deliver" usage:"file with that key, made where it is missing (default: the database's path with .key, for PostgreSQL secrets.key in the user's configuration folder)"`

	LogLevel  slog.Level `koanf:"log-level" group:"log" default:"info" usage:"what to log: debug, info, warn or error"`
	LogFormat string     `koanf:"log-format" group:"log" default:"text" usage:"how to log: text or json"`
}

// A byteSize is a number of bytes, written such as 10MiB.
type byteSize int64

// A setting is one field of settings.
type setting struct{ name, group, def, usage, kind string }

func allSettings() []setting {
	var all []setting
	t := reflect.TypeFor[settings]()
	for i := range t.NumField() {
		f := t.Field(i)
		all = append(all, setting{f.Tag.Get("koanf"), f.Tag.Get("group"), f.Tag.Get("default"), f.Tag.Get("usage"), f.Type.Kind().String()})
	}
	return all
}

func (s setting) env() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(s.name, "-", "_"))
}

const envPrefix = "FEEDONCE_"

// addSettings gives a command the flags of these groups of settings.
func addSettings(flags *pflag.FlagSet, groups ...string) {
	for _, s := range allSettings() {
		if !slices.Contains(groups, s.group) {
			continue
		}
		switch s.kind {
		case "bool":
			flags.Bool(s.name, false, s.usage)
		case "slice":
			flags.StringSlice(s.name, nil, s.usage)
		default: // checked when all sources are merged, in one place
			flags.String(s.name, s.def, s.usage)
		}
	}
}

// check reports values that are of the right type and make no sense.
func (s settings) check(where map[string]string) error {
	bad := func(name, why string) error { return usagef("%s: %s", where[name], why) }
	switch {
	case s.Timeout <= 0:
		return bad("timeout", "must be more than nothing")
	case s.Workers < 1 || s.Workers > 1000:
		return bad("workers", "must be from 1 to 1000")
	case s.PerHost < 1 || s.PerHost > s.Workers && s.PerHost > 2:
		return bad("per-host", "must be at least 1, and no more than workers")
	case s.Step <= 0:
		return bad("step", "must be more than nothing")
	case s.MinInterval <= 0:
		return bad("min-interval", "must be more than nothing")
	case s.MaxInterval < s.MinInterval:
		return bad("max-interval", fmt.Sprintf("must not be shorter than min-interval, which is %v", s.MinInterval))
	case s.Lease < 3*s.Timeout:
		return bad("lease", fmt.Sprintf("must be at least three times timeout, which is %v: else a feed is taken from a worker that is still at it", s.Timeout))
	case s.LogFormat != "text" && s.LogFormat != "json":
		return bad("log-format", "must be text or json")
	}
	if u, err := url.Parse(s.Contact); s.Contact != "" && (err != nil || u.Host == "" && u.Scheme != "mailto") {
		return bad("contact", "must be a URL, such as https://example.org/about-our-polling")
	}
	if u, err := url.Parse(s.URL); s.URL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return bad("url", "must be an address that begins with https:// or http://")
	}
	if s.AuthHeader != "" && len(s.Proxies) == 0 {
		return bad("auth-header", "is believed of nobody: name the proxies that may say it with trusted-proxies")
	}
	if strings.TrimSpace(s.From) == "" || strings.ContainsAny(s.From, "\r\n") {
		return bad("from", "must be a name in one line")
	}
	if strings.ContainsAny(s.UserAgent+s.Contact, "\r\n") {
		return bad("user-agent", "must be one line")
	}
	return nil
}

// postgres reports whether the database is PostgreSQL.
func (s settings) postgres() bool {
	return strings.HasPrefix(s.DB, "postgres://") || strings.HasPrefix(s.DB, "postgresql://")
}

// file is the path of an SQLite database.
func (s settings) file() string {
	path, _, _ := strings.Cut(strings.TrimPrefix(s.DB, "file:"), "?")
	return path
}

// database names the database without its password.
func (s settings) database() string {
	if !s.postgres() {
		return s.file()
	}
	u, err := url.Parse(s.DB)
	if err != nil {
		return "postgres://…"
	}
	return u.Redacted()
}

// loopback reports whether only this machine can reach what listens at an address, or an error where it is none.
func loopback(listen string) (bool, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil || port == "" {
		return false, usagef("%q is no address to listen at; write HOST:PORT, such as 127.0.0.1:8470", listen)
	}
	if host == "localhost" {
		return true, nil
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback(), nil
}

// defaultDB is feedonce.db in the user's data folder: XDG_DATA_HOME or ~/.local/share, and what macOS and Windows have
// in their place.
func defaultDB(environ []string) (string, error) {
	look := func(name string) string {
		for _, line := range environ {
			if v, ok := strings.CutPrefix(line, name+"="); ok {
				return v
			}
		}
		return ""
	}
	dir := look("XDG_DATA_HOME")
	if home := look("HOME"); dir == "" && home != "" {
		dir = filepath.Join(home, ".local", "share")
		if runtime.GOOS == "darwin" {
			dir = filepath.Join(home, "Library", "Application Support")
		}
	}
	if runtime.GOOS == "windows" {
		dir = look("LocalAppData")
	}
	if dir == "" {
		return "", usagef("there is no home folder to keep the database in (HOME is not set); name a file with --db")
	}
	return filepath.Join(dir, "feedonce", "feedonce.db"), nil
}
