package replay

import (
	_ "embed"
	"strings"

	"feedonce/dedup"
)

// Truth says which items are one article.
type Truth struct {
	article map[string]string // key -> article
	byLink  map[string][]string
	byTitle map[string][]string
	Missing int // items that no key names
}

// Checked truth, where the proposal is wrong: history, key, article, why. An article may be any name; a key that is not
// listed has the proposal's. The key of a guid that is on several articles is "GUID | TITLE".
//
//go:embed testdata/truth.tsv
var checked string

func loadTruth(file, name string) (*Truth, error) {
	rows, err := table(file)
	if err != nil {
		return nil, err
	}
	t := &Truth{article: map[string]string{}, byLink: map[string][]string{}, byTitle: map[string][]string{}}
	for _, r := range rows {
		t.article[r["key"]] = "a" + r["article"]
		if r["guid"] == "" && r["link"] != "" {
			t.byLink[r["link"]] = append(t.byLink[r["link"]], r["key"])
		}
		t.byTitle[r["title"]] = append(t.byTitle[r["title"]], r["key"])
	}
	ours, err := parseTable("truth.tsv", checked)
	if err != nil {
		return nil, err
	}
	for _, r := range ours {
		if r["history"] != name {
			continue
		}
		t.article[r["key"]] = r["article"]
	}
	return t, nil
}

// Article returns the true article of an item: by its guid, else its link, else its title and date. An item that the
// truth does not know is an article of its own, by these.
func (t *Truth) Article(it *dedup.Item, dateText string) string {
	if g := strings.TrimSpace(it.GUID); g != "" {
		if a, ok := t.article[g+" | "+it.Title]; ok {
			return a // a guid on several articles: the title tells them apart
		}
		if a, ok := t.article[g]; ok {
			return a
		}
		if keys := t.byTitle[it.Title]; len(keys) == 1 {
			return t.article[keys[0]]
		}
		t.Missing++
		return "guid " + g
	}
	if a, ok := t.article[it.URL]; ok {
		return a
	}
	if keys := t.byLink[it.URL]; len(keys) == 1 {
		return t.article[keys[0]]
	}
	for _, k := range t.byTitle[it.Title] {
		if strings.HasPrefix(k, "T:") && strings.HasSuffix(k, "|"+strings.TrimSpace(dateText)) {
			return t.article[k]
		}
	}
	if keys := t.byTitle[it.Title]; len(keys) > 0 {
		same := true
		for _, k := range keys {
			same = same && t.article[k] == t.article[keys[0]]
		}
		if same {
			return t.article[keys[0]]
		}
	}
	t.Missing++
	return "item " + it.URL + " " + it.Title + " " + it.Published.String()
}
