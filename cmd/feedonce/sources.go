package main

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A trySource is one feed to try: its documents in order.
type trySource struct {
	name  string
	parts []tryPart
}

// A tryPart is one document.
type tryPart struct {
	name string // URL or path
	web  bool
	at   time.Time // of a file
}

// maxFile is the largest file that is read.
const maxFile = 64 << 20

// readFile reads a file of at most maxFile bytes.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("it cannot be read: %w", err)
	case len(body) > maxFile:
		return nil, fmt.Errorf("%s is larger than %d MiB", name, maxFile>>20)
	}
	return body, nil
}

// findSources returns the feeds that arguments stand for, in the order of the arguments.
func findSources(names []string, snapshots, separate bool) ([]trySource, error) {
	var parts []tryPart
	for _, name := range names {
		found, err := findParts(name)
		if err != nil {
			return nil, err
		}
		parts = append(parts, found...)
	}
	if snapshots {
		s := trySource{name: names[0], parts: parts}
		if len(names) > 1 {
			s.name = fmt.Sprintf("%s and %d more", names[0], len(names)-1)
		}
		s.setTimes()
		return []trySource{s}, nil
	}
	var sources []trySource
	at := map[string]int{} // index in sources by what its files have in common
	for _, p := range parts {
		common := commonName(p.name)
		if i, ok := at[common]; ok && !p.web && !separate {
			sources[i].parts = append(sources[i].parts, p)
			continue
		}
		if !p.web {
			at[common] = len(sources)
		}
		sources = append(sources, trySource{name: p.name, parts: []tryPart{p}})
	}
	for i := range sources {
		s := &sources[i]
		if len(s.parts) > 1 {
			slices.SortStableFunc(s.parts, func(a, b tryPart) int { return byNumbers(a.name, b.name) })
			s.name = fmt.Sprintf("%s to %s", s.parts[0].name, filepath.Base(s.parts[len(s.parts)-1].name))
		}
		s.setTimes()
	}
	return sources, nil
}

// setTimes gives snapshots times that follow their order: those of their files, where these do.
func (s *trySource) setTimes() {
	rising := true
	for i := 1; i < len(s.parts); i++ {
		rising = rising && s.parts[i].at.After(s.parts[i-1].at)
	}
	if rising {
		return
	}
	for i := 1; i < len(s.parts); i++ {
		s.parts[i].at = s.parts[i-1].at.Add(time.Hour)
	}
}

// findParts returns the documents an argument stands for.
func findParts(name string) ([]tryPart, error) {
	if strings.Contains(name, "://") {
		return []tryPart{{name: name, web: true}}, nil
	}
	info, err := os.Stat(name)
	switch {
	case os.IsNotExist(err) && looksLikeHost(name):
		return nil, usagef("there is no file or folder %s; if it is a site, write https://%s", name, name)
	case err != nil:
		return nil, usagef("there is nothing to try: %v", err)
	case !info.IsDir():
		return []tryPart{{name: name, at: info.ModTime()}}, nil
	}
	var parts []tryPart
	err = filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != name && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || !feedFile(d.Name()):
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		parts = append(parts, tryPart{name: path, at: info.ModTime()})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("the folder cannot be read: %w", err)
	}
	if len(parts) == 0 {
		return nil, usagef("there are no feeds in the folder %s: no file there is named .xml, .rss, .rdf, .atom, .json or .feed", name)
	}
	return parts, nil
}

func looksLikeHost(name string) bool {
	return strings.Contains(name, ".") && !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "/") && !feedFile(name)
}

func feedFile(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".xml", ".rss", ".rdf", ".atom", ".json", ".feed":
		return !strings.HasPrefix(name, ".")
	}
	return false
}

var digits = regexp.MustCompile(`[0-9]+`)

// commonName is what the snapshots of one feed have in common: the folder, and the name but for its digits.
func commonName(path string) string {
	return filepath.Join(filepath.Dir(path), digits.ReplaceAllString(filepath.Base(path), "0"))
}

// byNumbers orders names by the numbers in them: 9 before 10.
func byNumbers(a, b string) int {
	na, nb := digits.FindAllString(filepath.Base(a), -1), digits.FindAllString(filepath.Base(b), -1)
	for i := range min(len(na), len(nb)) {
		x, y := strings.TrimLeft(na[i], "0"), strings.TrimLeft(nb[i], "0")
		if c := cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y)); c != 0 {
			return c
		}
	}
	return strings.Compare(a, b)
}
