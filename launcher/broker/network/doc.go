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
// Hosts that share an address cannot be distinguished by it: a run that may reach one site of a
// content network reaches the others at the same address.
//
// # This machine
//
// At an address of this machine the listening socket counts, whatever name or number leads to it:
// by the number that the kernel gives it once (sock_diag(7)). A run notes the sockets that it
// listens with ([Servers]), outside of what it can write, and the runs of its workspace may reach
// it. For any other server a person is asked, by the names of its programs, and an answer is for
// these; if nothing listens there is no question. All sockets count that could take the connection,
// and they are checked again once it exists. A rule opens a server only if a person has written it
// (Rule.Local), and not if the command line names one.
//
// A run does not listen on a port of the loopback where another program does.
//
// # Names
//
// Only allowed names are looked up, in lower case, by a question that we make ourselves, and only
// for addresses (A, AAAA); the child gets an answer that we make ourselves too. So a question
// carries nothing out that the rules do not carry, and an answer nothing in but addresses. Other
// names do not exist (NXDOMAIN, with the extended error 18 "Prohibited" of RFC 8914 for clients
// that understand it): programs give up at once, where after REFUSED they would try again. Under a
// rule for *.example.org the labels in front are the child's to choose, and the owner of
// example.org sees them.
//
// # Questions
//
// If a person is asked (Reach.Ask), a name that no rule allows resolves to two addresses that
// belong to no machine and represent the name, and no lookup is sent. A connection to one of them
// is a Want, like one to an address that no rule allows: it waits for the answer, and only after an
// approval the name is looked up. So there is one question for a name, with port and program,
// whatever families of addresses a program tries, and a mere lookup sends the name to no one. A
// name with a domain of the search list behind it does not exist then, if it would have a dot
// without that domain. An approval is for the program that was named, so it makes no rule.
//
// The Unix socket of a program outside is a Want too, with what listens there and what the table
// daemons.txt knows of it; a socket that libraries try by themselves is not.
//
// There is no question about the addresses that give this machine's credentials away. A name that
// leads to them, or to this machine, is refused after the approval. For a name that leads into a
// private network there is a second question, with the address.
//
// # Limits
//
// Names are looked up in /etc/hosts and by the servers in /etc/resolv.conf, at most three. Other
// sources (LDAP, mDNS) are not used.
package network
