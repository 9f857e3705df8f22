package dedup

// Purge removes the texts of an entry, as retention does.
func (m *Memory) Purge(id EntryID) {
	e := *m.entries[id-1]
	e.Purged = true
	e.Item.Content, e.Item.Summary = "", ""
	m.entries[id-1] = &e
}

// Forget removes keys and marks of an entry, as when its keys expire.
func (m *Memory) Forget(id EntryID) {
	m.Purge(id)
	for h, k := range m.keys {
		if k.Entry == id {
			delete(m.keys, h)
		}
	}
	m.mark(id, nil)
}

// Texts processes a document and says of which of its items title, and title and text, were taken apart into words.
func (m *Memory) Texts(doc *Document) (res *Result, titles, texts []bool) {
	j := Prepare(doc, m.state, m.Policy)
	j.Decide(m.known(j.Query()))
	titles, texts = make([]bool, len(doc.Items)), make([]bool, len(doc.Items))
	for i, a := range j.of {
		if a != nil && a.f.text != nil {
			titles[i], texts[i] = a.f.text.titled, a.f.text.whole
		}
	}
	return m.Process(doc), titles, texts
}
