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
