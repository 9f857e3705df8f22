package fetch

import (
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// maxCookies and maxCookieBytes bound what one fetch keeps; RFC 6265 section 6.1 asks for 4096 bytes a cookie.
const (
	maxCookies     = 32
	maxCookieBytes = 4096
)

// cookies are those that redirects of one fetch have set. Some publishers send a visitor to the same URL again with
// a cookie, and in a circle without. They are forgotten when the fetch ends, and sent back only to the very origin
// that set them: Domain and Path are ignored, which is stricter than RFC 6265.
type cookies []cookie

type cookie struct{ origin, name, value string }

// keep takes the cookies of a response from origin.
func (cs *cookies) keep(origin string, resp *http.Response) {
	if len(resp.Header["Set-Cookie"]) == 0 {
		return
	}
	for _, c := range resp.Cookies() {
		i := slices.IndexFunc(*cs, func(o cookie) bool { return o.origin == origin && o.name == c.Name })
		switch {
		case c.MaxAge < 0: // to be deleted
			if i >= 0 {
				*cs = slices.Delete(*cs, i, i+1)
			}
		case len(c.Name)+len(c.Value) > maxCookieBytes || !httpguts.ValidHeaderFieldValue(c.Value):
		case i >= 0:
			(*cs)[i].value = c.Value
		case len(*cs) < maxCookies:
			*cs = append(*cs, cookie{origin, c.Name, c.Value})
		}
	}
}

// header is the Cookie header for a request to origin; "" is none.
func (cs cookies) header(origin string) string {
	var b strings.Builder
	for _, c := range cs {
		if c.origin != origin {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(c.name + "=" + c.value)
	}
	return b.String()
}
