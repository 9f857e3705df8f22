package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"feedonce/dedup"
)

// filterState is what the command dedup keeps between runs.
type filterState struct {
	Version int                      `json:"version"`
	Feeds   map[string]*dedup.Memory `json:"feeds"`

	text []byte // as it is in the file
}

// load reads the state, if there is one.
func (f *filter) load() error {
	f.state = filterState{Version: 1, Feeds: map[string]*dedup.Memory{}}
	if f.file == "" {
		return nil
	}
	text, err := os.ReadFile(f.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// What cannot be kept is better known before the work than after it.
		info, serr := os.Stat(filepath.Dir(f.file))
		if serr != nil || !info.IsDir() {
			return usagef("there is no folder %s to keep the state in", filepath.Dir(f.file))
		}
		return nil
	case err != nil:
		return fmt.Errorf("the state cannot be read: %w", err)
	}
	broken := func(why any) error {
		return fmt.Errorf("%s is no state of feedonce dedup: %v; name another file, or move this one away to begin anew", f.file, why)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return broken("it is empty")
	}
	if err := json.Unmarshal(text, &f.state); err != nil {
		return broken(err)
	}
	if f.state.Version != 1 {
		return broken(fmt.Sprintf("it has version %d, and this program knows 1", f.state.Version))
	}
	if f.state.Feeds == nil {
		f.state.Feeds = map[string]*dedup.Memory{}
	}
	f.state.text = text
	for name, mem := range f.state.Feeds {
		if mem == nil {
			return broken(fmt.Sprintf("feed %q has nothing", name))
		}
		if f.repolicy && !samePolicy(mem.Policy, f.policy) {
			mem.Change(f.policy)
			f.dirty = true
		}
	}
	return nil
}

// memory returns what was seen of a feed.
func (f *filter) memory(name string) *dedup.Memory {
	mem := f.state.Feeds[name]
	if mem == nil {
		mem = dedup.NewMemory(f.policy)
		f.state.Feeds[name] = mem
	}
	return mem
}

// save writes the state, if something was decided: the whole file, or on error nothing of it.
func (f *filter) save() error {
	if f.file == "" || !f.dirty {
		return nil
	}
	text, err := json.Marshal(f.state)
	if err != nil {
		return fmt.Errorf("the state cannot be written: %w", err)
	}
	now, err := os.ReadFile(f.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Equal(now, f.state.text) {
		return fmt.Errorf("%s was changed by another program meanwhile, and is left as that wrote it: of what was decided here, nothing is remembered since it was read last", f.file)
	}
	if err := replaceFile(f.file, text); err != nil {
		return fmt.Errorf("the state cannot be written: %w", err)
	}
	f.state.text, f.dirty = text, false
	return nil
}

// replaceFile writes a file whole: who reads it, also after a crash, finds the old text or the new one.
func replaceFile(name string, text []byte) (err error) {
	if to, lerr := filepath.EvalSymlinks(name); lerr == nil {
		name = to
	}
	mode := fs.FileMode(0o600) // it has the texts of what was read
	if info, serr := os.Stat(name); serr == nil {
		mode = info.Mode().Perm()
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	_, err = tmp.Write(text)
	err = errors.Join(err, tmp.Chmod(mode), tmp.Sync(), tmp.Close())
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), name)
}
