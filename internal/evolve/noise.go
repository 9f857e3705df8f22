package evolve

import (
	"fmt"
	"strings"
	"time"
)

// Feeds whose texts change without anybody writing.
var noises = []*Archetype{
	{
		Name: "node-footer", Family: Noise, About: "Every second poll comes from a node that adds a line to every item.",
		Render: footerNode,
	},
	{
		Name: "headline-test", Family: Noise, About: "Headlines alternate between two wordings.",
		Render: func(p *Publisher, a *Article, it *Item) {
			if a.Tag("hook") == "" {
				a.SetTag("hook", p.text.Name())
			}
			if p.Poll/2%2 == 1 {
				it.Title = a.Tag("hook") + ": " + a.Title
				it.Face += "B"
			}
		},
	},
	{
		Name: "full-or-excerpt", Family: Noise, About: "One poll in three has excerpts in place of the texts.",
		Render: func(p *Publisher, a *Article, it *Item) {
			if p.Poll%3 == 1 {
				excerpt(p, a, it, 40)
			}
		},
	},
	{
		Name: "title-counter", Family: Noise, About: "Titles end with the number of comments.",
		Render: func(p *Publisher, a *Article, it *Item) {
			it.Title = fmt.Sprintf("%s [%d comments]", a.Title, p.rng.IntN(3)+p.Poll/10)
		},
	},
	{
		Name: "relative-dates", Family: Noise, About: "Texts begin with how long ago they were posted, and the number of comments.",
		Render: func(p *Publisher, a *Article, it *Item) {
			hours := int(p.Now.Sub(a.Published) / time.Hour)
			it.Content = fmt.Sprintf("<p>Posted %d hours ago | %d comments</p>", hours, p.rng.IntN(50)) + it.Content
		},
	},
	{
		Name: "pixels", Family: Noise, About: "Texts end with a tracking pixel that is another one each time.",
		Render: pixel,
	},
	{
		Name: "mass-footer", Family: Noise, About: "One day a paragraph is added to every article.",
		Upheave: each(func(p *Publisher, a *Article) {
			a.Paras = append(a.Paras[:len(a.Paras):len(a.Paras)], p.text.Phrase("footer"))
			a.revised(p.Now)
		}),
	},
	{
		Name: "live-blog", Family: Noise, About: "The latest article grows at every third poll.",
		Tick: func(p *Publisher) {
			if a := p.visible()[0]; p.rng.IntN(3) == 0 {
				a.Paras = append([]string{p.text.Remark(20)}, a.Paras...)
				a.revised(p.Now)
			}
		},
	},
}

func footerNode(p *Publisher, _ *Article, it *Item) {
	if p.Poll%2 == 1 {
		it.Content += "<p>Read our new privacy policy.</p>"
		it.Face += "footer"
	}
}

func pixel(p *Publisher, _ *Article, it *Item) {
	it.Content = strings.TrimSuffix(it.Content, "\n") +
		fmt.Sprintf(`<img src="https://px.example/t.gif?rid=%s" width="1" height="1"/>`, p.hex(12))
}
