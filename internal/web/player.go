package web

import (
	"net/url"
	"path"
	"strings"

	"feedonce"
)

// An enclosure as an article's page shows it.
type enclosure struct {
	link
	Kind string // "audio", "video", "image" or ""
	Type string
	Size string
}

func enclosures(list []feedonce.Enclosure) []enclosure {
	var shown []enclosure
	for _, e := range list {
		shown = append(shown, enclosure{link: linkTo(e.URL), Kind: player(e), Type: e.Type, Size: size(e.Length)})
	}
	return shown
}

// Name is the file's name, by which a person knows it.
func (e enclosure) Name() string {
	u, err := url.Parse(e.URL)
	if err != nil || e.URL == "" || path.Base(u.Path) == "/" || path.Base(u.Path) == "." {
		return e.Text
	}
	return path.Base(u.Path)
}

// byEnding says what a file is where its type is missing or says nothing.
var byEnding = map[string]string{
	".mp3": "audio", ".m4a": "audio", ".aac": "audio", ".ogg": "audio", ".oga": "audio", ".opus": "audio", ".flac": "audio", ".wav": "audio",
	".mp4": "video", ".m4v": "video", ".webm": "video", ".ogv": "video", ".mov": "video",
	".jpg": "image", ".jpeg": "image", ".png": "image", ".gif": "image", ".webp": "image", ".avif": "image",
}

// player says what can show an enclosure: "audio", "video", "image", or "" for a plain link.
func player(e feedonce.Enclosure) string {
	switch kind, _, _ := strings.Cut(strings.ToLower(e.Type), "/"); kind {
	case "audio", "video", "image":
		return kind
	case "", "application", "binary":
		if u, err := url.Parse(e.URL); err == nil {
			return byEnding[strings.ToLower(path.Ext(u.Path))]
		}
	}
	return ""
}

// size writes a number of bytes as published; "" where it is unknown.
func size(bytes int64) string {
	switch {
	case bytes <= 0:
		return ""
	case bytes < 1000:
		return plural(bytes, "byte", "bytes")
	case bytes < 1_000_000:
		return number((bytes+500)/1000) + " kB"
	}
	return number((bytes+500_000)/1_000_000) + " MB"
}
