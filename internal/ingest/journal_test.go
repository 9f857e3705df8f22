package ingest

import (
	"os"
	"path/filepath"
	"testing"

	"feedonce"
)

func openJournal(t *testing.T, path string) *Journal {
	t.Helper()
	j, err := OpenJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

func wantStrikes(t *testing.T, j *Journal, want map[feedonce.FeedID]int) {
	t.Helper()
	for id, n := range want {
		if got := j.Strikes(id); got != n {
			t.Errorf("feed %d has %d strikes, want %d", id, got, n)
		}
	}
}

// Each round is a process that ends (its file is closed, nothing else) while it reads feed 7, and had read feed 8.
func TestJournalNamesTheFeedThatEndsTheProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reading")
	for round := range MaxStrikes {
		j := openJournal(t, path)
		wantStrikes(t, j, map[feedonce.FeedID]int{7: round, 8: 0})
		leave, err := j.enter(8)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := j.enter(7); err != nil {
			t.Fatal(err)
		}
		leave()
		j.Close()
	}
	j := openJournal(t, path)
	wantStrikes(t, j, map[feedonce.FeedID]int{7: MaxStrikes, 8: 0})
	if err := j.Forgive(7); err != nil {
		t.Fatal(err)
	}
	j.Close()

	// What is not touched keeps its strikes and gets none.
	openJournal(t, path).Close()
	j = openJournal(t, path)
	wantStrikes(t, j, map[feedonce.FeedID]int{7: MaxStrikes - 1})

	// A document that is read to its end takes them all back, also for a feed that is read twice at once.
	first, _ := j.enter(7)
	second, _ := j.enter(7)
	first()
	wantStrikes(t, j, map[feedonce.FeedID]int{7: MaxStrikes - 1})
	second()
	wantStrikes(t, j, map[feedonce.FeedID]int{7: 0})
	j.Close()
	wantStrikes(t, openJournal(t, path), map[feedonce.FeedID]int{7: 0})
}

func TestJournalsOfTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reading")
	one, two := openJournal(t, path), openJournal(t, path)
	if one.file.Name() == two.file.Name() {
		t.Fatalf("both journals use %s", one.file.Name())
	}
	if _, err := two.enter(5); err != nil {
		t.Fatal(err)
	}
	wantStrikes(t, one, map[feedonce.FeedID]int{5: 0})
	two.Close()
	three := openJournal(t, path)
	wantStrikes(t, three, map[feedonce.FeedID]int{5: 1})
}

func TestJournalOfGarbage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reading")
	if err := os.WriteFile(path, []byte("half a slot and something that is no slot at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	j := openJournal(t, path)
	leave, err := j.enter(1)
	if err != nil {
		t.Fatal(err)
	}
	leave()
	wantStrikes(t, j, map[feedonce.FeedID]int{1: 0})
}

func TestNilJournal(t *testing.T) {
	var j *Journal
	leave, err := j.enter(1)
	leave()
	if err != nil || j.Strikes(1) != 0 || j.Forgive(1) != nil || j.Close() != nil {
		t.Error("a nil journal does something")
	}
}
