package main

import (
	"os"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// Every setting is described in the README, under the name of its flag, with its default.
func TestSettingsAreDocumented(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range allSettings() {
		row := ""
		for _, line := range strings.Split(string(readme), "\n") {
			if strings.HasPrefix(line, "| `"+s.name+"` |") {
				row = line
			}
		}
		switch {
		case row == "":
			t.Errorf("the README does not list the setting %q", s.name)
		case s.def != "" && !strings.Contains(row, "`"+s.def+"`"):
			t.Errorf("the README does not say that the default of %s is %s: %s", s.name, s.def, row)
		}
		if s.usage == "" || s.group == "" {
			t.Errorf("setting %q has no usage or group", s.name)
		}
	}
}

func TestDefaults(t *testing.T) {
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	addSettings(flags, "store", "serve", "fetch", "poll", "deliver", "log")
	flags.String("config", os.DevNull, "")
	set, err := loadSettings(flags, []string{"HOME=/home/jo"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "/home/jo/.local/share/feedonce/feedonce.db"; os.PathSeparator == '/' && set.DB != want && !strings.HasSuffix(set.DB, "/Library/Application Support/feedonce/feedonce.db") {
		t.Errorf("the database is %s, want %s", set.DB, want)
	}
	if set.Listen != "127.0.0.1:8470" || set.MaxBody != 10<<20 || set.Timeout.Seconds() != 20 || len(set.Proxies) != 0 || len(set.AllowNet) != 0 {
		t.Errorf("defaults: %+v", set)
	}
	if _, err := loadSettings(flags, nil); err == nil || !strings.Contains(err.Error(), "--db") {
		t.Errorf("without a home folder: error %v, want one that names --db", err)
	}
}

func TestDatabaseHidesPassword(t *testing.T) {
	got := settings{DB: "postgres://jo:secret@db.example/feeds"}.database()
	if strings.Contains(got, "secret") || !strings.Contains(got, "db.example") {
		t.Errorf("the database is called %q", got)
	}
}

func TestLoopback(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1:80": true, "127.9.9.9:80": true, "[::1]:80": true, "localhost:80": true,
		"0.0.0.0:80": false, ":80": false, "[::]:80": false, "192.168.1.1:80": false, "example.org:80": false, "127.0.0.1.example.org:80": false,
	} {
		if got, err := loopback(address); err != nil || got != want {
			t.Errorf("loopback(%q) = %v, %v, want %v", address, got, err, want)
		}
	}
	for _, address := range []string{"", "127.0.0.1", "127.0.0.1:", "nonsense"} {
		if _, err := loopback(address); err == nil {
			t.Errorf("loopback(%q): no error", address)
		}
	}
}
