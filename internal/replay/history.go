// Package replay runs real feed histories - successive versions of feeds as publishers really changed them - through
// the decision, and compares what would have been shown with what is true.
//
// A history is a folder of versions NNNN.xml with manifest.tsv (number, file, …, time of the version in Unix seconds)
// and articles.tsv (which keys are one article). The folder is data nobody here wrote and is not part of the project;
// where the proposed truth of articles.tsv is wrong, testdata/truth.tsv has the checked one, by keys only.
package replay

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"feedonce/dedup"
	"feedonce/internal/format"
	"feedonce/internal/ingest"
)

// A History is one feed over time.
type History struct {
	Name     string
	Versions []Version
	Truth    *Truth
}

// A Version is one state of the feed. Doc is nil where it could not be read; Err says why.
type Version struct {
	N    int
	Time time.Time
	Doc  *dedup.Document
	// Dates are the items' dates as published: part of the truth's keys where there is no guid.
	Dates []string
	Err   error
}

// Corpus returns the folder with the histories: FEEDONCE_CORPUS/histories, or shared/corpus/histories beside the
// repository; "" where there is none.
func Corpus(repo string) string {
	dir := os.Getenv("FEEDONCE_CORPUS")
	if dir == "" {
		dir = filepath.Join(repo, "..", "shared", "corpus")
	}
	dir = filepath.Join(dir, "histories")
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return ""
	}
	return dir
}

// Names lists the histories below a folder.
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

// Load reads and parses one history.
func Load(dir, name string) (*History, error) {
	h := &History{Name: name}
	rows, err := table(filepath.Join(dir, name, "manifest.tsv"))
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		v := Version{}
		v.N, _ = strconv.Atoi(r["n"])
		sec, _ := strconv.ParseInt(r["committed"], 10, 64)
		v.Time = time.Unix(sec, 0).UTC()
		body, err := os.ReadFile(filepath.Join(dir, name, r["file"]))
		if err != nil {
			return nil, err
		}
		const url = "https://feed.example.org/feed.xml"
		doc, err := format.Parse(body, format.Options{URL: url})
		if err != nil {
			v.Err = err
		} else {
			v.Doc = ingest.Items(doc, url, v.Time)
			for i := range doc.Items {
				v.Dates = append(v.Dates, doc.Items[i].Published.Text)
			}
		}
		h.Versions = append(h.Versions, v)
	}
	h.Truth, err = loadTruth(filepath.Join(dir, name, "articles.tsv"), name)
	return h, err
}

// table reads a tab-separated file with a header.
func table(file string) ([]map[string]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parseTable(file, string(data))
}

func parseTable(file, data string) (out []map[string]string, err error) {
	lines := strings.Split(strings.TrimRight(data, "\n"), "\n")
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s: empty", file)
	}
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
	return out, nil
}
