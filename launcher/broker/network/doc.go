// Package network decides which hosts a run may reach, and answers its questions for names.
// It moves no connection itself: package sandbox asks it about every one.
//
// # Parties
//
// A Reach is what a run may reach: rules for hosts, whether it may have servers on this machine and
// reach those of its workspace, and ports that it may publish. A Gate is one run's memory of it:
// which allowed name resolved to which address. The child asks a Server for names; the Server asks
// the Gate; the Gate asks a Resolver, which talks to the name servers of this machine.
//
//	gate := network.NewGate(network.Reach{Rules: rules}, network.System())
//	v := gate.Connect(ctx, netip.MustParseAddrPort("140.82.121.3:443"))
//	if !v.OK {
//		fmt.Println(v.Why, v.Fix)
//	}
//
// # Rules
//
// A rule is a host and, after a colon, a port; without a port it is all of them:
//
//	github.com:443      one host
//	*.example.org       every name below a domain, not the domain itself
//	10.1.0.0/16:5432    addresses
//	[fd00::5]:22        one address
//
// # What counts
//
// An address counts only when it is named itself, or when an allowed name resolved to it here,
// during this run. What a name resolves to is looked at again: addresses of private networks, of
// this machine (of any of its interfaces), and the one that gives clouds' credentials away are
// refused, whatever name led to them (DNS rebinding), unless a
// rule names the address, or this machine's /etc/hosts gives it to an allowed name. A net that is
// wider than one of those ranges does not name what is in it: 0.0.0.0/0 is the internet, without
// the private networks, the credentials and this machine.
//
// Hosts that share an address cannot be told apart by it: who is allowed one site of a content
// network reaches the others of the same address.
//
// # This machine
//
// At an address of this machine counts who listens there, whatever name or number leads to it: the
// socket, by the number that the kernel gives it once (sock_diag(7)). A run notes the sockets that
// it listens with ([Servers]), outside of what it can write, and is reached by the runs of its
// workspace. About any other server somebody is asked, by the names of its programs, and an answer
// is for these; where nothing listens nobody is. All sockets count that could take the connection,
// and they are looked at again when it is there. A rule opens a server only where a person has
// written it (Rule.Local), and not where the command line names one.
//
// A run does not listen on a port of the loopback where another program does.
//
// # Names
//
// Only allowed names are asked for, in lower case, by a question of our own making, and only for
// addresses (A, AAAA); the child gets an answer of our own making too. So a question carries
// nothing out that the rules do not carry, and an answer nothing in but addresses. Other names do
// not exist (NXDOMAIN, with the extended error 18 "Prohibited" of RFC 8914 for who understands it):
// programs give up at once, where after REFUSED they would try again. Under a rule for
// *.example.org the labels in front are the child's to choose, and who runs example.org sees them.
//
// # Questions
//
// Where somebody is asked (Reach.Ask), a name that no rule allows is answered by two addresses that
// belong to no machine and stand for the name, and nothing is asked of anybody. A connection to one
// of them is a Want, as one to an address that no rule allows: it waits for the answer, and only
// after a yes the name is looked up. So there is one question for a name, with port and program,
// whatever families of addresses a program tries, and a program that only looks a name up tells
// nobody of it. A name with a domain of the search list behind it does not exist then, where it
// would have a dot without that. A yes is for the program that was named, so it makes no rule.
//
// Nobody is asked about the addresses that give this machine's credentials away. A name that leads
// to them, or to this machine, is refused after the yes. A name that leads into a private network
// is asked about once more, with the address.
//
// # Limits
//
// Names are looked up in /etc/hosts and by the servers in /etc/resolv.conf, at most three. Other
// sources (LDAP, mDNS) are not asked.
package network
