package format

import "strings"

// namespace is what a name-space URI means here, however it is spelled.
type namespace uint8

const (
	nsUnknown namespace = iota
	// nsCore is the feed's own vocabulary: no name space, one of the many URIs RSS was given, or an unknown URI
	// without prefix.
	nsCore
	nsAtom
	nsRDF
	nsDC
	nsDCTerms
	nsContent
	nsMedia
	nsITunes
	nsFeedburner
	nsSyndication
	nsAdmin
	nsXHTML // and what HTML takes in: SVG, MathML
	nsXML
)

// namespaceOf returns the meaning of a URI. Case, scheme, "www." and a trailing "/" or "#" are often wrong, and so
// do not count.
func namespaceOf(uri string) namespace {
	uri = strings.ToLower(strings.TrimSpace(uri))
	uri = strings.TrimPrefix(strings.TrimPrefix(uri, "http://"), "https://")
	uri = strings.TrimRight(strings.TrimPrefix(uri, "www."), "/#")
	switch uri {
	case "", "purl.org/rss/1.0", "my.netscape.com/rdf/simple/0.9", "channel.netscape.com/rdf/simple/0.9",
		"backend.userland.com/rss", "backend.userland.com/rss2", "backend.userland.com/rss091",
		"backend.userland.com/rss092", "backend.userland.com/rss093", "backend.userland.com/rss094",
		"blogs.law.harvard.edu/tech/rss", "cyber.law.harvard.edu/rss", "cyber.harvard.edu/rss/rss.html",
		"my.netscape.com/publish/formats/rss-0.91.dtd", "purl.org/net/rss1.1", "purl.org/rss/2.0":
		return nsCore
	case "w3.org/2005/atom", "purl.org/atom/ns", "purl.org/atom", "example.com/newformat", "example.com/necho",
		"purl.org/echo", "uri/of/echo/namespace", "purl.org/pie", "purl.org/atom/app":
		return nsAtom
	case "w3.org/1999/02/22-rdf-syntax-ns":
		return nsRDF
	case "purl.org/dc/elements/1.1", "purl.org/dc/elements/1.0", "purl.org/dc":
		return nsDC
	case "purl.org/dc/terms":
		return nsDCTerms
	case "purl.org/rss/1.0/modules/content":
		return nsContent
	case "search.yahoo.com/mrss", "search.yahoo.com/mrss/1.1", "search.yahoo.com/mrss/1.0":
		return nsMedia
	case "itunes.com/dtds/podcast-1.0.dtd", "example.com/dtds/podcast-1.0.dtd", "itunes.com/dtds/podcast-1.0":
		return nsITunes
	case "rssnamespace.org/feedburner/ext/1.0", "pheedo.com/namespace/pheedo":
		return nsFeedburner
	case "purl.org/rss/1.0/modules/syndication":
		return nsSyndication
	case "webns.net/mvcb":
		return nsAdmin
	case "w3.org/1999/xhtml", "w3.org/2000/svg", "w3.org/1998/math/mathml":
		return nsXHTML
	case "w3.org/xml/1998/namespace":
		return nsXML
	}
	return nsUnknown
}

// usual is what the usual prefixes mean where they are not declared, or declared with a URI nobody knows.
var usual = map[string]namespace{
	"atom": nsAtom, "atom10": nsAtom, "a10": nsAtom, "rdf": nsRDF, "rss": nsCore, "dc": nsDC, "dcterms": nsDCTerms,
	"content": nsContent, "media": nsMedia, "itunes": nsITunes, "feedburner": nsFeedburner, "pheedo": nsFeedburner,
	"sy": nsSyndication, "admin": nsAdmin, "xhtml": nsXHTML, "xml": nsXML,
}

// A binding gives a prefix its meaning within an element; prefix "" is the default.
type binding struct {
	prefix string
	ns     namespace
}

// lookup returns the meaning of a prefix, by the innermost declaration.
func lookup(bindings []binding, prefix string) namespace {
	for i := len(bindings) - 1; i >= 0; i-- {
		if bindings[i].prefix != prefix {
			continue
		}
		if ns := bindings[i].ns; ns != nsUnknown {
			return ns
		}
		break
	}
	if prefix == "" {
		return nsCore
	}
	return usual[prefix]
}
