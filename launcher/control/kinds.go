package control

// The entries about the control of a session.
const (
	kindAttached = "ctl.attach"   // a person watches
	kindTakeover = "ctl.takeover" // a person drives from here on
	kindHandback = "ctl.handback" // and gave it back, with what happened in between
	kindLeft     = "ctl.detach"   // the driver left, and there is none
	kindFrozen   = "ctl.freeze"   // nothing runs and nothing is typed
	kindThawed   = "ctl.continue"
	kindPrivate  = "ctl.private" // what comes is committed to and not kept
	kindOpen     = "ctl.public"
	kindBarred   = "ctl.refused" // an order came from no person, or policy forbids it
)
