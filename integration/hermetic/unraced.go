//go:build !race

package hermetic

// Raced reports whether the race detector is built in.
const Raced = false
