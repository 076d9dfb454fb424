//go:build !linux || !(amd64 || arm64)

package attack

// World is empty on this system.
type World struct{}

// List returns nothing: there is no sandbox.
func List() []Attack { return nil }

// Main returns false: nothing is ever started under its name.
func Main([]string) (code int, mine bool) { return 0, false }
