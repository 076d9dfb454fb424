package control

// The entries about who drives a session.
const (
	kindAttached = "ctl.attach"   // somebody watches
	kindTakeover = "ctl.takeover" // a person drives from here on
	kindHandback = "ctl.handback" // and gave it back, with what happened meanwhile
	kindLeft     = "ctl.detach"   // who drove left, and nobody drives
	kindFrozen   = "ctl.freeze"   // nothing runs and nobody types
	kindThawed   = "ctl.continue"
	kindPrivate  = "ctl.private" // what comes is committed to and not kept
	kindOpen     = "ctl.public"
	kindBarred   = "ctl.refused" // an order that is a person's came from no person, or policy forbids it
)
