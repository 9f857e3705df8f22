//go:build race

package evolve

const raceEnabled = true
