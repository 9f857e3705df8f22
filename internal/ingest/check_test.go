package ingest

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/dedup"
)

func TestAccount(t *testing.T) {
	write := &dedup.Write{}
	good := []dedup.Decision{
		{Item: 0, Outcome: dedup.New, Entry: -1, Write: write},
		{Item: 1, Outcome: dedup.Updated, Entry: 4, Write: write},
		{Item: 2, Outcome: dedup.Unchanged, Entry: 5},
		{Item: 3, Outcome: dedup.Duplicate, Entry: -1},
		{Item: 4, Outcome: dedup.Quarantined},
		{Item: 5, Outcome: dedup.Invalid},
	}
	got, err := account(len(good), good)
	if err != nil {
		t.Fatal(err)
	}
	want := feedonce.Counts{New: 1, Updated: 1, Unchanged: 1, Duplicate: 1, Quarantined: 1, Invalid: 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	for name, c := range map[string]struct {
		items int
		spoil func([]dedup.Decision) []dedup.Decision
		want  string
	}{
		"an item without a decision": {7, func(d []dedup.Decision) []dedup.Decision { return d }, "7 items have 6 decisions"},
		"a decision too many":        {5, func(d []dedup.Decision) []dedup.Decision { return d }, "5 items have 6 decisions"},
		"no outcome":                 {6, func(d []dedup.Decision) []dedup.Decision { d[2].Outcome = ""; return d }, `item 2 has the outcome ""`},
		"two for one item":           {6, func(d []dedup.Decision) []dedup.Decision { d[3].Item = 2; return d }, "decision 3 is for item 2"},
		"new and stored":             {6, func(d []dedup.Decision) []dedup.Decision { d[0].Entry = 3; return d }, "item 0 is new without"},
		"new and nothing to store":   {6, func(d []dedup.Decision) []dedup.Decision { d[0].Write = nil; return d }, "item 0 is new without"},
		"duplicate of nothing":       {6, func(d []dedup.Decision) []dedup.Decision { d[3].Entry = 0; return d }, "duplicate of nothing"},
		"update of nothing":          {6, func(d []dedup.Decision) []dedup.Decision { d[1].Entry = 0; return d }, "item 1 is updated without"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := account(c.items, c.spoil(append([]dedup.Decision(nil), good...)))
			var wrong *AccountingError
			if !errors.As(err, &wrong) || !strings.Contains(wrong.Reason, c.want) {
				t.Errorf("got %v, want an AccountingError with %q", err, c.want)
			}
		})
	}
}

func TestGuard(t *testing.T) {
	err := guard("reading", func() error { var p *dedup.Policy; _ = p.Identity; return nil })
	var fault *PanicError
	if !errors.As(err, &fault) || !strings.Contains(err.Error(), "while reading the document") || len(fault.Stack) == 0 {
		t.Errorf("got %v", err)
	}
}
