package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/v2"
	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/pflag"
)

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
