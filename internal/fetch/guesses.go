package fetch

import (
	"net/url"
	"strings"
)

// usualPaths are where publishing software puts feeds, the most common first: WordPress and Ghost (feed, rss), Hugo
// (index.xml), Jekyll (feed.xml), Hexo (atom.xml), JSON Feed, RSS 1.0, Blogger.
var usualPaths = []string{
	"feed", "rss", "feed.xml", "rss.xml", "atom.xml", "index.xml", "feed.json", "index.rdf", "feeds/posts/default",
}

// guesses are the usual paths beside the page, and those at the root of its site. Beside comes first: where a site
// holds many feeds, the one of that part is meant.
func guesses(page *url.URL) []Candidate {
	dirs := []string{"/"}
	if d := directory(page.Path); d != "/" {
		dirs = []string{d, "/"}
	}
	var list []Candidate
	for _, p := range usualPaths {
		for _, d := range dirs {
			u := url.URL{Scheme: page.Scheme, Host: page.Host, Path: d + p}
			list = append(list, Candidate{URL: u.String(), Guess: true})
		}
	}
	return list
}

// directory is the path up to its last slash; a last part without a dot is taken for a directory.
func directory(p string) string {
	i := strings.LastIndexByte(p, '/')
	if i < 0 {
		return "/"
	}
	if last := p[i+1:]; last != "" && !strings.Contains(last, ".") {
		return p + "/"
	}
	return p[:i+1]
}
