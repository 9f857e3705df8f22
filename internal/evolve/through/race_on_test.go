//go:build race

package through

const raceEnabled = true
