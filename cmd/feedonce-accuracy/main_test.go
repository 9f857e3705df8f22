package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"feedonce/internal/evolve"
)

func TestUnknownArchetype(t *testing.T) {
	o := options{out: &bytes.Buffer{}, only: "wordpress,nonesuch"}
	_, err := o.run()
	if err == nil || !strings.Contains(err.Error(), `"nonesuch"`) || !strings.Contains(err.Error(), "-list") {
		t.Errorf("error %v; it must name the archetype and say how to list them", err)
	}
}

func TestJSON(t *testing.T) {
	var out bytes.Buffer
	o := options{out: &out, seed: 3, only: "wordpress,guid-recycled", feeds: 1, polls: 50, json: true}
	if _, err := o.run(); err != nil {
		t.Fatal(err)
	}
	var got evolve.Figures
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v in %s", err, out.Bytes())
	}
	if got.Course != "archetypes" || got.Seed != 3 || len(got.Archetypes) != 2 || len(got.Total) != 7 {
		t.Errorf("figures of course %q, seed %d, %d archetypes, %d strategies", got.Course, got.Seed, len(got.Archetypes), len(got.Total))
	}
	if got.Total["guid only"].Drops == 0 || got.Total["guid only"].Arrivals == 0 {
		t.Errorf("guid only dropped nothing of a feed with recycled guids: %+v", got.Total["guid only"])
	}
}

func TestTables(t *testing.T) {
	var out bytes.Buffer
	o := options{out: &out, seed: 3, only: "permalink", feeds: 1, polls: 10, examples: 1}
	passed, err := o.run()
	if err != nil {
		t.Fatal(err)
	}
	if !passed || strings.Contains(out.String(), "FAILED") {
		t.Errorf("ten polls of a feed without a fault did not pass:\n%s", out.String())
	}
	for _, want := range []string{"ARCHETYPES: every archetype", "permalink", "false drops", "SlashFeed", "mistake"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

func TestThrough(t *testing.T) {
	var out bytes.Buffer
	o := options{out: &out, seed: 3, only: "permalink", feeds: 1, polls: 5, through: "both"}
	passed, err := o.run()
	if err != nil {
		t.Fatal(err)
	}
	if !passed {
		t.Errorf("five polls of a feed without a fault are decided differently:\n%s", out.String())
	}
	for _, want := range []string{"feedonce on SQLite", "feedonce on PostgreSQL"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	o.through = "mysql"
	if _, err := o.run(); err == nil || !strings.Contains(err.Error(), "sqlite, postgres or both") {
		t.Errorf("error %v; it must say what is allowed", err)
	}
}
