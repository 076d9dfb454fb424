package launcher

import "github.com/tada-run/tada-run/launcher/environ"

// A surroundings is an environment with what is derived from it. It is shared by judgements
// and does not change: a server judges thousands of lines for the same caller.
type surroundings struct {
	environ.Environ
	from []string
	dir  string
	vars map[string]string
	sum  string // of what every plan binds

	bound map[string]string // what that is
	loose map[string]string // what a plan binds only where its text names it: see perCall
}
