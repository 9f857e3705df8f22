//go:build !race

package evolve

const raceEnabled = false
