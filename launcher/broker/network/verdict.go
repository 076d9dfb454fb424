package network

// A Verdict says whether the run may reach what it asked for. The zero Verdict refuses.
type Verdict struct {
	OK   bool
	Host string // the name behind an address, or the address
	Why  string // why not; "" when OK
	Fix  string // the rule that would allow it; "" when none does

	// Rules are what allows it, where that is for some programs only.
	Rules []Rule

	// Sockets are those of this machine that take the connection, where it is allowed for their
	// sake; nil elsewhere. Vacant says that none takes it.
	Sockets []uint64
	Vacant  bool
}
