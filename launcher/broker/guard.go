package broker

// A Guard is what stays out of reach or as it is in the writable trees of a run that shares the
// machine's mounts.
type Guard struct {
	Trees []string // the writable trees in which something is guarded
	Hide  []string // is not read, changed, moved or removed
	Keep  []string // is not changed, moved or removed
	// Ruled are the entries of guarded directories on which Landlock grants all rights.
	Ruled map[Identity]bool
	// Spares are for what the run makes in guarded directories; nil for none.
	Spares *Spares
}

// An Identity tells an object from all others that are there at the same time.
type Identity struct{ Dev, Ino uint64 }

// reads reports whether opens for reading are answered too.
func (g *Guard) reads() bool { return g != nil && len(g.Hide) > 0 }
