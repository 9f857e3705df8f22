package dest

import (
	"fmt"
	"html/template"
	"path"
	"strings"
	"time"

	"feedonce"
)

// maxMailHTML is the longest content of one article that is sent whole, in bytes. Some programs show no more than 100 kB.
const maxMailHTML = 256 << 10

// A mailPage is what a mail shows.
type mailPage struct {
	Lang     string
	Title    string
	Intro    string // of a notice
	Digest   bool
	Groups   []mailGroup
	From     string
	Address  string // of the sender
	Stop     template.URL
	StopText string
}

// A mailGroup is articles of one feed, in a digest.
type mailGroup struct {
	Feed     string
	Articles []mailArticle
}

type mailArticle struct {
	Article
	Heading  string
	When     string
	Line     string // feed, author and time
	Body     template.HTML
	Plain    string
	More     string // why Body is not all
	Changed  string
	Attached []attached
	Also     string
}

type attached struct{ URL, Name, About string }

// bodies returns the text and the HTML of a message.
func (e *email) bodies(m Message) (text, html string, err error) {
	p := mailPage{Title: subject(m), Digest: m.Digest, From: oneLine(m.From, maxName), Address: e.from.Address, Stop: template.URL(e.unsubscribe)}
	p.StopText = "unsubscribe"
	if m.Kind == feedonce.DeliverNotice {
		p.Intro = strings.TrimSpace(m.Notice)
		p.Title = "A notice to the operator"
	}
	if m.Digest {
		p.Title = oneLine(m.Title, maxSubject)
		p.Intro = fmt.Sprintf("%d new articles", len(m.Articles))
		if len(m.Articles) == 1 {
			p.Intro = "One new article"
		}
	}
	where := map[string]int{}
	if len(m.Articles) > 0 {
		p.Lang = m.Articles[0].Lang
	}
	for _, a := range m.Articles {
		if a.Lang != m.Articles[0].Lang {
			p.Lang = "" // none for all of it
		}
		feed := oneLine(a.FeedName, maxName)
		i, ok := where[feed]
		if !ok {
			i = len(p.Groups)
			where[feed] = i
			p.Groups = append(p.Groups, mailGroup{Feed: feed})
		}
		p.Groups[i].Articles = append(p.Groups[i].Articles, e.article(m, a))
	}
	var t, h strings.Builder
	if err := mailText(&t, p); err != nil {
		return "", "", err
	}
	if err := mailHTML.Execute(&h, p); err != nil {
		return "", "", err
	}
	return t.String(), h.String(), nil
}

func (e *email) article(m Message, a Article) mailArticle {
	when := a.Published
	if when.IsZero() {
		when = a.FirstSeen
	}
	v := mailArticle{Article: a, Heading: heading(a), When: date(when), Also: strings.Join(names(a.Also), ", ")}
	line := []string{oneLine(a.FeedName, maxName), oneLine(a.Author, maxName), v.When}
	if m.Digest {
		line = line[1:]
	}
	for _, s := range line {
		if s != "" && v.Line != "" {
			v.Line += " · "
		}
		v.Line += s
	}
	if m.Kind == feedonce.DeliverUpdate && len(a.Changed) > 0 {
		v.Changed = "Changed: " + strings.Join(names(a.Changed), ", ") + "."
	}
	switch {
	case m.Digest || !e.full || a.HTML == "":
		v.Body, v.Plain = template.HTML(paragraph(a.Text)), a.Text
	case len(a.HTML) > maxMailHTML:
		v.Body, v.Plain = template.HTML(paragraph(a.Text)), a.Text
		v.More = "This article is too long for a mail; its own page has all of it."
	default:
		html := a.HTML
		if !e.pictures {
			html = withoutRemote(html)
		}
		v.Body, v.Plain = template.HTML(html), plainText(a.HTML)
	}
	for _, f := range a.Enclosures {
		if len(v.Attached) == 5 {
			break
		}
		if u := f.URL; strings.HasPrefix(u, "http://") || strings.HasPrefix(u, "https://") {
			v.Attached = append(v.Attached, attached{URL: u, Name: fileName(u), About: aboutFile(f)})
		}
	}
	return v
}

func names(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = oneLine(s, maxName)
	}
	return out
}

func date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2 January 2006, 15:04 UTC")
}

// paragraph is plain text as HTML.
func paragraph(s string) string {
	if s == "" {
		return ""
	}
	return "<p>" + template.HTMLEscapeString(s) + "</p>"
}

func fileName(u string) string {
	u, _, _ = strings.Cut(u, "?")
	return oneLine(path.Base(u), 60)
}

func aboutFile(f feedonce.Enclosure) string {
	about := oneLine(f.Type, 60)
	if f.Length >= 1<<20 {
		about = strings.TrimPrefix(fmt.Sprintf("%s, %d MB", about, f.Length>>20), ", ")
	}
	return about
}

// mailHTML is calm: one column, the reader's own colours, no pictures of ours. Styles are inline, as mail needs them.
var mailHTML = template.Must(template.New("mail").Parse(`<!doctype html>
<html{{with .Lang}} lang="{{.}}"{{end}}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{.Title}}</title>
</head>
<body style="margin:0;padding:0">
<div style="max-width:42em;margin:0 auto;padding:24px 16px;font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.55;overflow-wrap:break-word">
{{- if or .Digest .Intro}}
<h1 dir="auto" style="font-size:22px;line-height:1.3;margin:0 0 4px">{{.Title}}</h1>
<p dir="auto" style="margin:0 0 24px{{if .Digest}};font-size:14px;color:#767676{{end}}">{{.Intro}}</p>
{{- end}}
{{- range .Groups}}
{{- if $.Digest}}
<h2 dir="auto" style="font-size:14px;font-weight:600;color:#767676;margin:32px 0 8px;padding:0 0 4px;border-bottom:1px solid #9999">{{.Feed}}</h2>
{{- end}}
{{- range .Articles}}
<div style="margin:0 0 24px">
{{- if $.Digest}}
<h3 dir="auto" style="font-size:18px;line-height:1.35;margin:16px 0 2px">{{if .URL}}<a href="{{.URL}}" style="text-decoration:none">{{.Heading}}</a>{{else}}{{.Heading}}{{end}}</h3>
<p dir="auto" style="margin:0 0 4px;font-size:14px;color:#767676">{{.Line}}</p>
{{- else}}
<p dir="auto" style="margin:0 0 8px;font-size:14px;color:#767676">{{.Line}}</p>
<h1 dir="auto" style="font-size:24px;line-height:1.3;margin:0 0 16px">{{if .URL}}<a href="{{.URL}}" style="text-decoration:none">{{.Heading}}</a>{{else}}{{.Heading}}{{end}}</h1>
{{- end}}
{{- with .Changed}}
<p style="margin:0 0 12px;font-size:14px"><strong>{{.}}</strong></p>
{{- end}}
{{- with .Body}}
<div dir="auto">{{.}}</div>
{{- end}}
{{- with .More}}
<p style="margin:0 0 12px;font-size:14px;color:#767676">{{.}}</p>
{{- end}}
{{- range .Attached}}
<p style="margin:0 0 4px;font-size:14px">Attached: <a href="{{.URL}}">{{.Name}}</a>{{with .About}} ({{.}}){{end}}</p>
{{- end}}
{{- if or .Also .Why}}
<p dir="auto" style="margin:8px 0 0;font-size:13px;color:#767676">{{with .Also}}Also in {{.}}. {{end}}{{with .Why}}<a href="{{.}}" style="color:#767676">Why you got this</a>{{end}}</p>
{{- end}}
</div>
{{- end}}
{{- end}}
<p style="margin:32px 0 0;padding:12px 0 0;border-top:1px solid #9999;font-size:13px;color:#767676">Sent by {{.From}} · <a href="{{.Stop}}" style="color:#767676">{{.StopText}}</a></p>
</div>
</body>
</html>
`))
