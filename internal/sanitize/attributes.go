package sanitize

import (
	"html"
	"net/url"
	"slices"
	"strings"

	xhtml "golang.org/x/net/html"
)

// trackers are addresses whose pictures only count readers.
var trackers = []string{
	"feeds.feedburner.com/~r/", "pixel.wp.com/", "stats.wordpress.com/", "feedads.g.doubleclick.net/", "da.feedsportal.com/",
	"rss.feedsportal.com/", "pi.feedsportal.com/", "res3.feedsportal.com/", "ad.doubleclick.net/", "www.google-analytics.com/",
	"sb.scorecardresearch.com/", "b.scorecardresearch.com/", "tracking.feedpress.com/", "www.facebook.com/tr",
}

// attributes returns the attributes of an element as they are to be written, or ok=false where the element is
// nothing without those that it had.
func (w *writer) attributes(name string, attrs []xhtml.Attribute) (string, bool) {
	var b strings.Builder
	write := func(key, value string) {
		b.WriteByte(' ')
		b.WriteString(key)
		b.WriteString(`="`)
		b.WriteString(html.EscapeString(printable(value)))
		b.WriteByte('"')
	}
	value := func(key string) string {
		for _, a := range attrs {
			if a.Key == key && a.Namespace == "" {
				return a.Val
			}
		}
		return ""
	}
	src := ""
	for _, key := range elements[name].attrs {
		v := value(key)
		switch key {
		case "href":
			if v = w.resolve(v, true); v == "" {
				return "", false
			}
			write(key, v)
			write("rel", "noopener noreferrer nofollow")
			write("referrerpolicy", "no-referrer")
		case "src", "data-src", "data-lazy-src", "data-original":
			// Pages that load pictures by script keep the address elsewhere.
			if v = w.resolve(v, false); v != "" && src == "" {
				src = v
				write("src", v)
			}
		case "cite", "poster":
			if v = w.resolve(v, false); v != "" {
				write(key, v)
			}
		case "width", "height":
			if name == "img" && (v == "0" || v == "1" || v == "0px" || v == "1px") {
				return "", false
			}
			if isDigits(v) {
				write(key, v)
			}
		case "colspan", "rowspan", "span", "value", "start":
			if isDigits(v) {
				write(key, v)
			}
		case "reversed":
			if slices.ContainsFunc(attrs, func(a xhtml.Attribute) bool { return a.Key == "reversed" }) {
				b.WriteString(" reversed")
			}
		case "alt":
			if name == "img" {
				write(key, v) // an empty one says that the picture is decoration
			}
		default:
			if v != "" {
				write(key, v)
			}
		}
	}
	switch name {
	case "img":
		_, rest, _ := strings.Cut(src, "://")
		if src == "" || slices.ContainsFunc(trackers, func(t string) bool { return strings.HasPrefix(rest, t) }) {
			return "", false
		}
		b.WriteString(` loading="lazy" decoding="async" referrerpolicy="no-referrer"`)
	case "source":
		if src == "" {
			return "", false
		}
	case "pre", "table":
		// They scroll sideways where they are wide, and must be reached by keyboard to do so.
		if !slices.Contains(w.open, "table") {
			b.WriteString(` tabindex="0"`)
		}
	case "audio", "video":
		b.WriteString(` controls preload="none"`)
	}
	if dir := strings.ToLower(value("dir")); dir == "ltr" || dir == "rtl" || dir == "auto" {
		write("dir", dir)
	}
	if lang := value("lang"); lang != "" && len(lang) < 36 && strings.Trim(strings.ToLower(lang), "abcdefghijklmnopqrstuvwxyz0123456789-") == "" {
		write("lang", lang)
	}
	return b.String(), true
}

// resolve returns an absolute http(s) URL (or mailto: where links is true), or "" for anything else.
func (w *writer) resolve(raw string, links bool) string {
	raw = strings.TrimFunc(raw, func(r rune) bool { return r <= ' ' || r == 0xa0 })
	if raw == "" {
		return ""
	}
	// Browsers ignore these within a URL, and so "java\nscript:" is a script to them.
	raw = strings.NewReplacer("\t", "", "\n", "", "\r", "", " ", "%20").Replace(raw)
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	if w.base != nil {
		u = w.base.ResolveReference(u)
	}
	if links && strings.EqualFold(u.Scheme, "mailto") && u.Opaque != "" {
		return u.String()
	}
	if !isWeb(u) {
		return ""
	}
	return u.String()
}

func isWeb(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
