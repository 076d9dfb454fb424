//go:build race

package hermetic

// Raced reports whether the race detector is built in: a process then takes several times as much
// memory.
const Raced = true
