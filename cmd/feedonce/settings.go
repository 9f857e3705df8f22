package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/v2"
	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/pflag"
)

// settings are what a person can set. A setting has one name: the flag --max-body is the variable FEEDONCE_MAX_BODY is
// the key max-body of the file. A field's tags are all there is to a setting; see docs of `feedonce --help`.
type settings struct {
	DB string `koanf:"db" group:"store" usage:"database: a file (SQLite) or postgres://USER@HOST/NAME (default: feedonce.db in the user's data folder)"`

	Listen         string `koanf:"listen" group:"serve" default:"127.0.0.1:8470" usage:"where to serve the pages"`
	InsecureListen bool   `koanf:"insecure-listen" group:"serve" default:"false" usage:"serve without accounts on an address others can reach"`

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

// loadSettings merges flags, environment, file and defaults. environ is as os.Environ gives it.
func loadSettings(flags *pflag.FlagSet, environ []string) (settings, error) {
	all := allSettings()
	k := koanf.New("\x00") // no name has parts
	defaults := source{}
	for _, s := range all {
		if s.def != "" {
			defaults[s.name] = s.def
		}
	}
	env, file, err := environment(all, environ)
	if err != nil {
		return settings{}, err
	}
	optional := file == ""
	if f, ferr := flags.GetString("config"); ferr == nil && f != "" {
		file, optional = f, false
	}
	if file == "" {
		if dir, derr := os.UserConfigDir(); derr == nil {
			file = filepath.Join(dir, "feedonce", "config.toml")
		}
	}
	fromFile, err := settingsFile(all, file, optional)
	if err != nil {
		return settings{}, err
	}
	given := source{}
	flags.Visit(func(f *pflag.Flag) {
		if !slices.ContainsFunc(all, func(s setting) bool { return s.name == f.Name }) {
			return
		}
		if many, ok := f.Value.(pflag.SliceValue); ok {
			given[f.Name] = many.GetSlice()
			return
		}
		given[f.Name] = f.Value.String()
	})
	// where says whose fault a bad value is.
	where := map[string]string{}
	for _, from := range []struct {
		source
		name func(string) string
	}{
		{defaults, func(n string) string { return "the default of " + n }},
		{fromFile, func(n string) string { return n + " in " + file }},
		{env, func(n string) string { return setting{name: n}.env() }},
		{given, func(n string) string { return "--" + n }},
	} {
		if err := k.Load(from.source, nil); err != nil {
			return settings{}, err
		}
		for name := range from.source {
			where[name] = from.name(name)
		}
	}

	var out settings
	for _, s := range all { // one by one, so that an error can say which
		if !k.Exists(s.name) {
			continue
		}
		part := koanf.New("\x00")
		if err := part.Load(source{s.name: k.Get(s.name)}, nil); err != nil {
			return settings{}, err
		}
		err := part.UnmarshalWithConf("", &out, koanf.UnmarshalConf{DecoderConfig: &mapstructure.DecoderConfig{
			Result: &out, WeaklyTypedInput: true, ErrorUnused: true, DecodeHook: decodeValue,
		}})
		if err != nil {
			return settings{}, usagef("%s is %v: %s", where[s.name], shown(k.Get(s.name)), innermost(err))
		}
	}
	if out.DB == "" {
		if out.DB, err = defaultDB(environ); err != nil {
			return settings{}, err
		}
	}
	return out, out.check(where)
}

// A source is settings from one place; it is a koanf.Provider.
type source map[string]any

func (s source) ReadBytes() ([]byte, error)    { return nil, errors.New("a source has no bytes") }
func (s source) Read() (map[string]any, error) { return s, nil }

// environment returns the settings in environment variables, and the file that FEEDONCE_CONFIG names.
func environment(all []setting, environ []string) (env source, file string, err error) {
	env = source{}
	for _, line := range environ {
		name, value, _ := strings.Cut(line, "=")
		if !strings.HasPrefix(name, envPrefix) {
			continue
		}
		i := slices.IndexFunc(all, func(s setting) bool { return s.env() == name })
		switch {
		case name == envPrefix+"CONFIG":
			file = value
		case name == envPrefix+"CORPUS" || strings.HasPrefix(name, envPrefix+"TEST_"): // for the project's own tests
		case i < 0:
			return nil, "", usagef("the environment variable %s is no setting%s; unset it, or see `feedonce --help`",
				name, alike(name, all, setting.env))
		case value == "": // as good as unset
		case all[i].kind == "slice":
			env[all[i].name] = strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
		default:
			env[all[i].name] = value
		}
	}
	return env, file, nil
}

// settingsFile reads a TOML file; an optional one may be absent.
func settingsFile(all []setting, file string, optional bool) (source, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && optional {
		return nil, nil
	}
	if err != nil {
		return nil, usagef("the settings cannot be read: %v", err)
	}
	var found source
	if err := toml.Unmarshal(text, &found); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, column := at.Position()
			return nil, usagef("%s, line %d, column %d is not valid TOML: %s", file, line, column, strings.TrimPrefix(at.Error(), "toml: "))
		}
		return nil, usagef("%s is not valid TOML: %v", file, err)
	}
	for name := range found {
		if !slices.ContainsFunc(all, func(s setting) bool { return s.name == name }) {
			return nil, usagef("%s sets %q, which is no setting%s", file, name, alike(name, all, func(s setting) string { return s.name }))
		}
	}
	return found, nil
}

// alike returns a hint at the setting that may have been meant, or "".
func alike(name string, all []setting, spell func(setting) string) string {
	fold := strings.NewReplacer("-", "", "_", "")
	want := strings.ToLower(fold.Replace(name))
	for _, s := range all {
		have := strings.ToLower(fold.Replace(spell(s)))
		if have == want || len(want) > 4 && (strings.HasPrefix(have, want) || strings.HasPrefix(want, have)) || oneApart(have, want) {
			return fmt.Sprintf(" (%s is)", spell(s))
		}
	}
	return ""
}

// oneApart reports whether one letter was changed, left out or added.
func oneApart(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) {
		return i < len(a) && a[i+1:] == b[i+1:]
	}
	return a[i:] == b[i+1:]
}

// decodeValue reads the types that mapstructure does not know.
func decodeValue(from, to reflect.Type, data any) (any, error) {
	text, ok := data.(string)
	if !ok {
		if to == reflect.TypeFor[time.Duration]() {
			return nil, errors.New("a duration has a unit, such as 20s, 5m or 24h")
		}
		return data, nil
	}
	switch to {
	case reflect.TypeFor[time.Duration]():
		d, err := time.ParseDuration(text)
		if err != nil {
			return nil, errors.New("a duration is written such as 20s, 5m or 24h")
		}
		return d, nil
	case reflect.TypeFor[byteSize]():
		n, err := humanize.ParseBytes(text)
		if err != nil || n == 0 || n > 1<<40 {
			return nil, errors.New("a size is written such as 512KiB or 10MiB, and is at most 1TiB")
		}
		return byteSize(n), nil
	case reflect.TypeFor[netip.Prefix]():
		p, err := netip.ParsePrefix(text)
		if a, aerr := netip.ParseAddr(text); err != nil && aerr == nil {
			p, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil {
			return nil, errors.New("a network is written such as 192.168.1.0/24")
		}
		return p, nil
	case reflect.TypeFor[slog.Level]():
		var l slog.Level
		if err := l.UnmarshalText([]byte(text)); err != nil {
			return nil, errors.New("a level is debug, info, warn or error")
		}
		return l, nil
	}
	return data, nil
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

func shown(v any) string { return fmt.Sprintf("%q", fmt.Sprint(v)) }

// innermost is the last clause of an error that was wrapped in lines meant for programmers.
func innermost(err error) string {
	for {
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			if inner := e.Unwrap(); inner != nil {
				err = inner
				continue
			}
		case interface{ Unwrap() []error }:
			if all := e.Unwrap(); len(all) > 0 {
				err = all[0]
				continue
			}
		}
		return err.Error()
	}
}
