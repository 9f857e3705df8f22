package evolve

import "fmt"

// Articles made from a form, which differ in a name or a number: the hardest to tell apart.

func serialGUID(prefix string) step {
	return func(_ *Publisher, a *Article) { a.GUID = fmt.Sprintf("%s-%d", prefix, a.N) }
}

func weather(p *Publisher, a *Article) {
	a.Title = "Daily weather"
	a.Link = p.url("/weather/berlin")
	a.Paras = []string{fmt.Sprintf("Today in Berlin it will be %s with a high of %d and a low of %d degrees.",
		p.oneOf("sunny", "cloudy", "rainy"), 18+p.rng.IntN(3), 9+p.rng.IntN(2))}
}

func release(p *Publisher, a *Article) {
	a.Title = fmt.Sprintf("v1.%d.%d", a.N/10, a.N%10)
	a.Link = fmt.Sprintf("https://github.com/o/%s/releases/tag/%s", p.host, a.Title)
	a.GUID = fmt.Sprintf("tag:github.com,2008:Repository/%d/%s", 4000+p.style, a.Title)
	a.Paras = []string{p.oneOf("Bug fixes and performance improvements.", "Bug fixes.", "Full Changelog: see commits")}
}

func whatsNew(p *Publisher, a *Article) {
	a.Title = "What's new"
	a.Link = p.url("/changelog")
	a.Paras = p.text.Paragraphs(1)
}

func episode(p *Publisher, a *Article) {
	a.Title = fmt.Sprintf("Episode %d", a.N)
	if p.chance(0.5) {
		a.Title = fmt.Sprintf("%d - %s", a.N, p.text.Headline())
	}
	a.Paras = []string{"Thanks for listening! Support us on Patreon."}
	a.Link = p.url("/")
	a.Enclosures = audio(fmt.Sprintf("https://cdn.%s/ep/%s.mp3", p.host, p.hex(8)))
	a.GUID = fmt.Sprintf("%s-%d", p.hex(12), a.N)
}

func advisory(p *Publisher, a *Article) {
	product := p.oneOf("openssl", "curl", "nginx", "zlib", "sudo")
	id := fmt.Sprintf("CVE-2026-%d", 10000+a.N*3+p.rng.IntN(3))
	a.Title = id + " " + product
	a.Link = p.url("/cve/%s", id)
	a.GUID = a.Link
	a.Paras = []string{fmt.Sprintf("A %s vulnerability was found in %s before %d.%d.%d. A remote attacker could use this "+
		"issue to crash the application. The highest threat from this vulnerability is to system availability.",
		p.oneOf("use-after-free", "integer overflow"), product, p.rng.IntN(3), p.rng.IntN(20), p.rng.IntN(10))}
}

func comment(p *Publisher, a *Article) {
	a.Title = "Comment on " + p.oneOf("Hello World", "Rust vs Go", "My setup") + " by " + p.oneOf("Anna", "Bob", "Chen")
	a.Paras = []string{p.oneOf("Thanks!", "Great post, thank you.", "+1", "I disagree.", "")}
	if a.Paras[0] == "" {
		a.Paras[0] = p.text.Paragraph()
	}
	a.Link = p.url("/post/#comment-%d", 500+a.N)
	a.GUID = p.url("/?p=1#comment-%d", 500+a.N)
}

func status(p *Publisher, a *Article) {
	a.Paras = []string{p.oneOf("Good morning!", "Good night.", "New post up", "", "")}
	if a.Paras[0] == "" {
		a.Paras[0] = p.text.Remark(12 + 8*p.rng.IntN(2))
	}
	a.Link = p.url("/@me/%d", 110000000+a.N*997)
}

func vacancy(p *Publisher, a *Article) {
	city := p.oneOf("Berlin", "Munich", "Paris", "Oslo", "Lyon", "Graz")
	role := p.oneOf("Backend Engineer", "Designer", "QA Analyst")
	a.Title = role + " (" + city + ")"
	if p.chance(0.33) {
		a.Title = role
	}
	a.Paras = []string{
		"We are looking for a " + role + " to join our growing team in " + city + ".",
		"You will work with a talented and diverse group of people to build products that our customers love. We offer a " +
			"competitive salary, flexible working hours and a modern office. To apply please send your CV and a short " +
			"cover letter.",
	}
	a.Link = p.url("/jobs/%d", 70000+a.N*11)
	a.GUID = fmt.Sprintf("job-%d", 70000+a.N*11)
}

func submission(p *Publisher, a *Article) {
	a.Title = p.text.Headline()
	a.Slug = p.slug(a.Title, a.N)
	a.Link = fmt.Sprintf("https://blog%d.example/%s", p.rng.IntN(99), a.Slug)
	if a.N > 10 && p.chance(1.0/12) {
		old := p.articles[p.rng.IntN(min(len(p.articles), 25))]
		a.Title, a.Link = old.Title, old.Link
	}
	a.GUID = fmt.Sprintf("https://news.ycombinator.com/item?id=%d", 40000000+a.N*13)
	a.Tail = `<a href="` + a.GUID + `">Comments</a>`
}

func earnings(p *Publisher, a *Article) {
	company := p.oneOf("Acme", "Globex", "Initech", "Hooli", "Vandelay", "Wonka", "Tyrell", "Aperture")
	quarter := p.rng.IntN(4)
	a.Title = fmt.Sprintf("%s reports Q%d results", company, quarter+1)
	a.Paras = []string{
		fmt.Sprintf("%s today announced financial results for the %s quarter of fiscal year %d. Revenue was $%d.%d million, "+
			"%s %d percent compared to the prior year.", company, []string{"first", "second", "third", "fourth"}[quarter],
			2018+p.rng.IntN(8), 100+p.rng.IntN(900), p.rng.IntN(10), p.oneOf("up", "down"), 1+p.rng.IntN(40)),
		fmt.Sprintf("Net income was $%d million and diluted earnings per share were $%d.%02d. The company expects revenue for "+
			"the next quarter in the range of $%d million to $%d million. A conference call to discuss the results will be "+
			"held today at 2 p.m. Pacific time.", 10+p.rng.IntN(90), p.rng.IntN(5), p.rng.IntN(100), 100+p.rng.IntN(400),
			500+p.rng.IntN(500)),
	}
	a.Link = p.url("/press/%d", 300100+a.N)
	a.GUID = fmt.Sprintf("pr%d", 300100+a.N)
}

func offer(p *Publisher, a *Article) {
	a.Title = "Price alert: " + p.oneOf("RTX 4080", "iPhone 15", "Kindle", "PS5", "AirPods")
	a.Paras = []string{fmt.Sprintf("The price dropped to $%d.%02d (was $%d.%02d) at %s. Limited stock, offer valid until %d %s.",
		50+p.rng.IntN(900), p.rng.IntN(100), 1000+p.rng.IntN(500), p.rng.IntN(100), p.oneOf("Amazon", "BestBuy", "Walmart"),
		1+p.rng.IntN(28), p.oneOf("Jan", "Feb", "Mar"))}
	a.Link = p.url("/deals")
	if p.style%2 == 0 {
		a.GUID = fmt.Sprintf("deal-%d", a.N)
	}
}

func earthquake(p *Publisher, a *Article) {
	km, city := 1+p.rng.IntN(200), p.oneOf("Ridgecrest, CA", "Hilo, Hawaii", "Tonopah, Nevada", "Adak, Alaska")
	a.Title = fmt.Sprintf("M %d.%d - %d km %s of %s", 2+p.rng.IntN(5), p.rng.IntN(10), km, p.oneOf("N", "S", "E", "W", "NNE"), city)
	a.Paras = []string{fmt.Sprintf("An earthquake occurred %d km from %s at a depth of %d.%d km.", km, city, p.rng.IntN(100),
		p.rng.IntN(10))}
	id := "us7000" + p.id(5)
	a.Link = "https://earthquakes.example/event/" + id
	a.GUID = "urn:earthquake:us:" + id
}
