package replay

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// Corpus returns the folder with the histories: FEEDONCE_CORPUS/histories or, where that is not set, shared/corpus/histories
// beside the repository, whose root is repo. The error says where it was looked for in vain.
func Corpus(repo string) (string, error) {
	dir := os.Getenv("FEEDONCE_CORPUS")
	if dir == "" {
		dir = filepath.Join(repo, "..", "shared", "corpus")
	}
	dir = filepath.Join(dir, "histories")
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return "", fmt.Errorf("there are no feed histories in %s; set FEEDONCE_CORPUS to the folder of the corpus", dir)
	}
	return dir, nil
}

// Names lists the histories below a folder, sorted.
func Names(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "manifest.tsv"))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range files {
		out = append(out, filepath.Base(filepath.Dir(f)))
	}
	sort.Strings(out)
	return out, nil
}

// LoadAll loads the histories whose names contain only; all of them where it is empty.
func LoadAll(dir, only string) ([]*History, error) {
	names, err := Names(dir)
	if err != nil {
		return nil, err
	}
	var out []*History
	for _, n := range names {
		if !strings.Contains(n, only) {
			continue
		}
		h, err := Load(dir, n)
		if err != nil {
			return nil, err
		}
		out = append(out, h)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no history in %s has %q in its name", dir, only)
	}
	return out, nil
}

// readTable reads a tab-separated file with a header: a map from column to cell for each line.
func readTable(file string) ([]map[string]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parseTable(string(data)), nil
}

// parseTable leaves out empty lines, and comments, which begin with #.
func parseTable(data string) (out []map[string]string) {
	lines := strings.Split(strings.TrimRight(data, "\n"), "\n")
	head := strings.Split(lines[0], "\t")
	for _, l := range lines[1:] {
		if l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		m := map[string]string{}
		for i, c := range strings.Split(l, "\t") {
			if i < len(head) {
				m[head[i]] = c
			}
		}
		out = append(out, m)
	}
	return out
}
