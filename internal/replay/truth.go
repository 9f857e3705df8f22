package replay

import (
	_ "embed"
	"strings"

	"feedonce/dedup"
)

// Truth says which items of a history are one article.
type Truth struct {
	article map[string]string // key -> article
	byLink  map[string][]string
	byTitle map[string][]string
	links   map[string][]string // article -> keys and links it had, for pairs of feeds
}

// checked is our truth where the proposal is wrong, one line a key: history, key, article, why. An article may have any
// name; a key that is not listed has the proposal's article, which is "a" and its number. A key is a guid, else a link,
// else "T:TITLE|DATE"; of a guid that several articles have, it is "GUID | TITLE".
//
//go:embed testdata/truth.tsv
var checked string

func loadTruth(file, history string) (*Truth, error) {
	rows, err := readTable(file)
	if err != nil {
		return nil, err
	}
	t := &Truth{article: map[string]string{}, byLink: map[string][]string{}, byTitle: map[string][]string{}, links: map[string][]string{}}
	for _, r := range rows {
		t.article[r["key"]] = "a" + r["article"]
		if r["guid"] == "" && r["link"] != "" {
			t.byLink[r["link"]] = append(t.byLink[r["link"]], r["key"])
		}
		t.byTitle[r["title"]] = append(t.byTitle[r["title"]], r["key"])
	}
	for _, r := range parseTable(checked) {
		if r["history"] == history {
			t.article[r["key"]] = r["article"]
		}
	}
	for _, r := range rows {
		art := t.article[r["key"]]
		t.links[art] = append(t.links[art], r["key"], r["link"])
	}
	return t, nil
}

// Article returns the true article of an item: by its guid, else its link, else its title and its date as published. ok
// is false for an item that the truth does not know; then it is an article of its own, by these.
func (t *Truth) Article(it *dedup.Item, date string) (article string, ok bool) {
	if g := strings.TrimSpace(it.GUID); g != "" {
		if a, ok := t.article[g+" | "+it.Title]; ok {
			return a, true // a guid on several articles: the title tells them apart
		}
		if a, ok := t.article[g]; ok {
			return a, true
		}
		if a, ok := t.oneOf(t.byTitle[it.Title]); ok {
			return a, true
		}
		return "guid " + g, false
	}
	if a, ok := t.article["T:"+it.Title+"|"+strings.TrimSpace(date)]; ok {
		return a, true
	}
	if a, ok := t.article[it.URL]; ok {
		return a, true
	}
	if a, ok := t.oneOf(t.byLink[it.URL]); ok {
		return a, true
	}
	if a, ok := t.oneOf(t.byTitle[it.Title]); ok {
		return a, true
	}
	return "item " + it.URL + " " + it.Title + " " + strings.TrimSpace(date), false
}

// oneOf returns the article that all keys name.
func (t *Truth) oneOf(keys []string) (article string, ok bool) {
	for i, k := range keys {
		if i > 0 && t.article[k] != article {
			return "", false
		}
		article = t.article[k]
	}
	return article, len(keys) > 0
}
