package evolve

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"feedonce/dedup"
	"feedonce/internal/evolve/prose"
)

// A Publisher is one feed in the making.
type Publisher struct {
	Kind *Archetype
	Now  time.Time // of the poll that is under way
	Poll int       // its number, from 0

	articles []*Article // newest first
	window   int        // how many of them the document has
	serial   int        // last number given to an article
	nextID   int
	host     string
	text     *prose.Writer
	rng      *rand.Rand
	rate     float64 // probability of new articles per poll
	dense    bool
	upheaval int // number of the poll in which Upheave happens
	style    int // for archetypes with several manners: any number ≥ 0, constant for the publisher
	mix      mix // for chaos
	numbered bool
	slugs    map[string]bool
	ids      map[string]bool // of articles, see Archetype.Differ
	served   []Document      // recent documents, for nodes that are behind
	memory   map[string]string
}

// NewPublisher returns feed number n of an archetype. polls is how many polls the run will have; a dense publisher
// has many times more to say.
func NewPublisher(kind *Archetype, seed uint64, n, polls int, dense bool) *Publisher {
	rng := source(seed, kind.Name, n)
	p := &Publisher{
		Kind: kind, Now: start, rng: rng, dense: dense,
		host: fmt.Sprintf("site%d.example", n), window: 12 + rng.IntN(14),
		rate: 0.04 + rng.Float64()*0.12, style: rng.IntN(1 << 20),
		slugs: map[string]bool{}, ids: map[string]bool{}, memory: map[string]string{},
	}
	if kind.Few {
		p.window = 1 + rng.IntN(5)
	}
	p.upheaval = max(2, polls*3/10+rng.IntN(max(1, polls/2)))
	p.mix = newMix(rng)
	lang := "en"
	if !kind.English && rng.IntN(2) == 0 {
		langs := prose.Languages()
		lang = langs[rng.IntN(len(langs))]
	}
	p.text = prose.NewWriter(lang, rng)
	p.numbered = lang != "en" && rng.IntN(2) == 0
	return p
}

// advance lets the hour of one poll pass: the publisher publishes, edits, and does what its archetype does.
func (p *Publisher) advance() {
	if p.Poll == 0 {
		for i := range p.window {
			p.publish(p.Now.Add(-time.Duration(p.window-i) * 9 * time.Hour))
		}
	} else {
		for range p.demand() {
			p.publish(p.Now)
		}
		p.edit()
	}
	if p.Kind.Tick != nil {
		p.Kind.Tick(p)
	}
	if p.Poll == p.upheaval && p.Kind.Upheave != nil {
		p.Kind.Upheave(p)
	}
}

// demand is how many articles are due.
func (p *Publisher) demand() int {
	switch p.Kind.Pace {
	case Daily:
		if every := p.daily(); p.Poll%every == every/3 {
			return 1
		}
		return 0
	case Busy:
		return p.window/2 + p.rng.IntN(2*p.window)
	case Brisk:
		return p.rng.IntN(4)
	}
	switch {
	case p.dense && p.chance(0.85):
		return 1 + p.rng.IntN(6)
	case !p.dense && p.chance(p.rate):
		return 1 + p.rng.IntN(6)/5
	}
	return 0
}

func (p *Publisher) daily() int {
	if p.dense {
		return 6
	}
	return 24
}

// publish writes an article and puts it on top of the list.
func (p *Publisher) publish(at time.Time) *Article {
	a := p.write(at)
	p.articles = slices.Insert(p.articles, 0, a)
	return a
}

// write writes an article that differs from every other.
func (p *Publisher) write(at time.Time) *Article {
	p.nextID++
	for range 200 {
		p.serial++
		a := &Article{
			ID: p.nextID, N: p.serial, Lang: p.text.Lang(), Author: "Staff",
			Published: at.Add(-time.Duration(p.rng.IntN(1500)) * time.Second),
		}
		if p.Kind.Compose == nil {
			steps(essay, guidNumber)(p, a)
		} else {
			p.Kind.Compose(p, a)
		}
		id := everything(p, a)
		if p.Kind.Differ != nil {
			id = p.Kind.Differ(p, a)
		}
		if !p.ids[id] {
			p.ids[id] = true
			return a
		}
	}
	panic("evolve: " + p.Kind.Name + " keeps writing the same article")
}

// everything is all that an article's readers can see.
func everything(_ *Publisher, a *Article) string {
	s := a.GUID + "\x00" + a.Link + "\x00" + a.Title + "\x00" + a.body() + "\x00" + a.Lang + "\x00"
	for _, e := range a.Enclosures {
		s += e.URL + "\x00"
	}
	if !a.Published.IsZero() {
		s += a.Published.String()
	}
	return s
}

// body is the article's content as HTML.
func (a *Article) body() string {
	var b strings.Builder
	b.WriteString(a.Head)
	for _, para := range a.Paras {
		b.WriteString("<p>")
		b.WriteString(para)
		b.WriteString("</p>\n")
	}
	b.WriteString(a.Tail)
	return b.String()
}

// visible is what the document lists now.
func (p *Publisher) visible() []*Article { return p.articles[:min(p.window, len(p.articles))] }

// edit edits one of the latest articles, now and then.
func (p *Publisher) edit() {
	probability := p.Kind.Edits
	if probability == 0 {
		probability = 0.03
	}
	if !p.chance(probability) {
		return
	}
	latest := p.visible()
	a := latest[p.rng.IntN(min(6, len(latest)))]
	p.change(a)
	a.revised(p.Now)
	if p.Kind.Revise != nil {
		p.Kind.Revise(p, a)
	}
}

// change edits the text of an article in one of the four ways that make up nearly all edits: a typing error, a
// paragraph added, a headline marked as updated, a correction.
func (p *Publisher) change(a *Article) {
	switch p.rng.IntN(4) {
	case 0:
		for range 5 {
			if len(a.Paras) == 0 {
				break
			}
			i := p.rng.IntN(len(a.Paras))
			s := p.text.Typo(a.Paras[i])
			if s == a.Paras[i] || slices.Contains(a.past, s) { // no word to misspell, or a typing error undone
				continue
			}
			a.past = append(a.past, a.Paras[i])
			a.Paras = slices.Clone(a.Paras)
			a.Paras[i] = s
			return
		}
	case 1:
		a.Paras = append(slices.Clip(a.Paras), p.text.Phrase("update")+": "+p.text.Remark(25))
		return
	case 2:
		if a.Title != "" && !strings.HasSuffix(a.Title, p.text.Phrase("updated")) {
			a.Title += " " + p.text.Phrase("updated")
			return
		}
	}
	a.Paras = append(slices.Clip(a.Paras), p.text.Phrase("correction")+": "+p.text.Remark(8))
}

// render makes an item of an article as it is now.
func (p *Publisher) render(a *Article, pos int) Item {
	it := Item{
		Item: dedup.Item{
			GUID: a.GUID, URL: a.Link, Title: a.Title, Content: a.body(),
			Author: a.Author, Lang: a.Lang, Published: a.Published, Updated: a.Updated, Enclosures: a.Enclosures,
		},
		Origin: Origin{Article: a.ID, Version: a.Version, Moves: a.Moves},
		Pos:    pos,
	}
	if p.Kind.Render != nil {
		p.Kind.Render(p, a, &it)
	}
	return it
}

func (p *Publisher) chance(probability float64) bool { return p.rng.Float64() < probability }

func (p *Publisher) oneOf(s ...string) string { return s[p.rng.IntN(len(s))] }

// hex returns n random hexadecimal digits.
func (p *Publisher) hex(n int) string {
	const digits = "0123456789abcdef"
	b := make([]byte, n)
	for i := range b {
		b[i] = digits[p.rng.IntN(16)]
	}
	return string(b)
}

// id returns n random hexadecimal digits that no other article of the feed got from it: a database's identifier.
func (p *Publisher) id(n int) string {
	for {
		id := p.hex(n)
		if k := "id\x00" + id; !p.ids[k] {
			p.ids[k] = true
			return id
		}
	}
}

// url returns an address at the publisher's host.
func (p *Publisher) url(format string, args ...any) string {
	return "https://" + p.host + fmt.Sprintf(format, args...)
}

// slug makes the last part of a link of a title: its words where they are Latin, percent-encoded or a number where
// they are not. It is unique within the feed.
func (p *Publisher) slug(title string, n int) string {
	s := fmt.Sprintf("post-%d", 20000+n*7)
	if !p.numbered {
		s = slugged(title)
	}
	for unique := s; ; unique = fmt.Sprintf("%s-%d", s, 2+p.rng.IntN(1000)) {
		if !p.slugs[unique] {
			p.slugs[unique] = true
			return unique
		}
	}
}

// slugged is a title as WordPress puts it into a link: lower case, words joined by hyphens, what is not ASCII
// percent-encoded.
func slugged(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(title) {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
			gap = b.Len() > 0
			continue
		case gap:
			b.WriteByte('-')
			gap = false
		}
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		for _, c := range []byte(string(r)) {
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	return b.String()
}
