package replay

// A Mode is a way to come across a history: which versions a reader gets to see.
type Mode struct {
	Name  string
	About string
	// pick returns the indices of the versions, of n, in order; one that stands twice is fetched twice.
	pick func(n int) []int
}

// Modes are the ways in which each history is replayed.
var Modes = []Mode{
	{"every", "every version once", func(n int) []int { return every(n, 0, 1) }},
	{"second", "every second version", func(n int) []int { return every(n, 0, 2) }},
	{"fifth", "every fifth version", func(n int) []int { return every(n, 0, 5) }},
	{"middle", "from the middle on, by a reader who came late", func(n int) []int { return every(n, n/2, 1) }},
	{"twice", "every version twice, an hour apart", func(n int) (out []int) {
		for i := range n {
			out = append(out, i, i)
		}
		return out
	}},
}

func every(n, from, step int) (out []int) {
	for i := from; i < n; i += step {
		out = append(out, i)
	}
	return out
}
