package browser

import (
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
)

// hear notes what goes wrong on the page. It is called by the goroutine that reads what the browser says.
func (p *Page) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		words := make([]string, len(e.Args))
		for i, a := range e.Args {
			if words[i] = strings.Trim(string(a.Value), `"`); words[i] == "" {
				words[i] = a.Description
			}
		}
		p.complain("console.%s: %s", e.Type, strings.Join(words, " "))
	case *runtime.EventExceptionThrown:
		d := e.ExceptionDetails
		what := d.Text
		if d.Exception != nil {
			what += " " + d.Exception.Description
		}
		p.complain("an exception at %s:%d: %s", d.URL, d.LineNumber+1, what)
	case *log.EventEntryAdded:
		if e.Entry.Source == "network" {
			return // told with more detail by the events of the network
		}
		p.complain("%s %s: %s %s", e.Entry.Source, e.Entry.Level, e.Entry.Text, e.Entry.URL)
	case *audits.EventIssueAdded:
		if d := e.Issue.Details.ContentSecurityPolicyIssueDetails; d != nil {
			what := d.BlockedURL
			if s := d.SourceCodeLocation; s != nil {
				what += fmt.Sprintf(" at %s:%d", s.URL, s.LineNumber+1)
			}
			p.complain("the Content-Security-Policy was broken: %s (%s) %s", d.ViolatedDirective, d.ContentSecurityPolicyViolationType, what)
		}
	case *network.EventRequestWillBeSent:
		if p.asked == nil {
			p.asked = map[network.RequestID]string{}
		}
		p.asked[e.RequestID] = e.Request.URL
	case *network.EventLoadingFailed:
		// What a page still loads when it is left is cancelled.
		if !e.Canceled && e.ErrorText != "net::ERR_ABORTED" {
			p.complain("a request failed: %s: %s %s", p.asked[e.RequestID], e.ErrorText, e.BlockedReason)
		}
	case *network.EventResponseReceived:
		status := int(e.Response.Status)
		if e.Type == network.ResourceTypeDocument {
			if status != p.status {
				p.complain("%s answers %d, want %d", e.Response.URL, status, p.status)
			}
		} else if status >= 400 {
			p.complain("%s answers %d", e.Response.URL, status)
		}
	}
}

func (p *Page) complain(format string, args ...any) {
	p.troubles = append(p.troubles, fmt.Sprintf("on %s: ", p.at)+fmt.Sprintf(format, args...))
}

// Quiet fails the test for all that went wrong on the page since it was asked last. It is also asked when the test ends.
func (p *Page) Quiet() {
	p.t.Helper()
	p.mu.Lock()
	troubles := p.troubles
	p.troubles = nil
	p.mu.Unlock()
	for _, s := range troubles {
		p.t.Error(s)
	}
}
