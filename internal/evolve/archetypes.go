package evolve

import "slices"

// Archetypes are all archetypes but Chaos, family by family.
func Archetypes() []*Archetype {
	return slices.Concat(sound, guidFaults, linkFaults, dateFaults, migrations, noises, memories, histories)
}
