// Package replay runs real feed histories - successive versions of feeds as publishers really changed them - through
// the product's decision and through simpler strategies, and compares what each would have shown with what is true.
//
// A history is a folder of versions NNNN.xml with manifest.tsv (number, file, …, time of the version in Unix seconds)
// and articles.tsv (which keys are one article). The folder is data nobody here wrote and is not part of the project:
// Corpus says where it is looked for. Where the proposed truth of articles.tsv is wrong, testdata/truth.tsv has the
// checked one, by keys only, with the reason.
//
// Each history is replayed in several Modes: a reader rarely sees every version. Two feeds of one publisher that carry
// the same articles are also replayed side by side, as stories (Pairs).
package replay

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
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
	Time time.Time // when the publisher committed it: taken for the time at which it was fetched
	Doc  *dedup.Document
	// Dates are the items' dates as published: part of the truth's keys where there is no guid.
	Dates []string
	Err   error
}

// feedURL is where the versions are taken to come from: relative links are resolved against it.
const feedURL = "https://feed.example.org/feed.xml"

// Load reads and parses one history below the folder with the histories.
func Load(dir, name string) (*History, error) {
	h := &History{Name: name}
	manifest := filepath.Join(dir, name, "manifest.tsv")
	rows, err := readTable(manifest)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		n, err := strconv.Atoi(r["n"])
		if err != nil {
			return nil, fmt.Errorf("%s: number of a version: %w", manifest, err)
		}
		sec, err := strconv.ParseInt(r["committed"], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: time of version %d: %w", manifest, n, err)
		}
		v := Version{N: n, Time: time.Unix(sec, 0).UTC()}
		body, err := os.ReadFile(filepath.Join(dir, name, r["file"]))
		if err != nil {
			return nil, err
		}
		doc, err := format.Parse(body, format.Options{URL: feedURL})
		if err != nil {
			v.Err = err
		} else {
			v.Doc = ingest.Items(doc, feedURL, v.Time)
			for i := range doc.Items {
				v.Dates = append(v.Dates, doc.Items[i].Published.Text)
			}
		}
		h.Versions = append(h.Versions, v)
	}
	h.Truth, err = loadTruth(filepath.Join(dir, name, "articles.tsv"), name)
	return h, err
}
