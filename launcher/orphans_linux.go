package launcher

import "github.com/tada-run/tada-run/launcher/sandbox"

// AdoptOrphans is called by a program that lives for its run and starts nothing else: what the
// command leaves behind at level base is then counted for its limits; see [sandbox.AdoptOrphans].
func AdoptOrphans() { sandbox.AdoptOrphans(true) }
