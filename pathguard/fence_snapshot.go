package pathguard

import "github.com/tada-run/tada-run/pathguard/pathname"

// IsSnapshot reports whether a real path is what an agent's program saved of the person's shell.
func (p Policy) IsSnapshot(c *Caller, real string) bool {
	return pathname.IsSnapshot(real, p.homes, c.Moved)
}

// InCache reports whether a real path is in a cache, into which some programs write unasked.
func (p Policy) InCache(real string) (in bool) {
	builtinAt(real, p.homes, func(m mark) {
		in = in || m.kind == markCache || m.kind == markCachedCode
	})
	return in
}
