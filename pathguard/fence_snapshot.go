package pathguard

import "github.com/tada-run/tada-run/pathguard/pathname"

// IsSnapshot reports whether a real path is what an agent's program saved of the person's shell.
func (p Policy) IsSnapshot(real string) bool { return pathname.IsSnapshot(real, p.homes) }
