package broker

// A Guard is what stays out of reach, or as it is in the writable trees, of a run that shares the
// machine's mounts.
type Guard struct {
	Trees []string // the writable trees in which something is guarded
	Hide  []string // is not read, changed, moved or removed
	Keep  []string // is not changed, moved or removed
	// Far is hidden outside of the trees. Landlock sees to that, but not to watches.
	Far []string
	// Lead are other folders, on the way to something hidden: the run may list them, and nothing
	// that is hidden in them. Links in the names are resolved.
	Lead []string
	// Ruled are the entries of guarded directories on which Landlock grants all rights.
	Ruled map[Identity]bool
	// Spares are for what the run makes in guarded directories; nil for none.
	Spares *Spares
}

// An Identity distinguishes an object from all others that exist at the same time.
type Identity struct{ Dev, Ino uint64 }

// reads reports whether opens for reading are answered too.
func (g *Guard) reads() bool { return g != nil && len(g.Hide) > 0 }
