package network

import (
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
)

// A listening is what takes connections at an address. Unknown says that it is not known.
type listening struct {
	list    []Listener
	unknown bool
}

// locals decides about the servers of this machine.
type locals struct {
	reach    Reach
	resolver Resolver

	mu  sync.Mutex
	own map[uint64]bool // the sockets that the run listens with
}

func newLocals(reach Reach, resolver Resolver) *locals {
	return &locals{reach: reach, resolver: resolver, own: map[uint64]bool{}}
}

// listens returns what takes connections at an address of this machine. All sockets count that may
// be meant: the kernel picks one of those that share a port.
func (s *locals) listens(addr netip.Addr, port uint16) (l listening) {
	list, err := s.resolver.Listeners(port)
	if err != nil {
		return listening{unknown: true}
	}
	for _, one := range list {
		if one.takes(addr) {
			l.list = append(l.list, one)
		}
	}
	return l
}

// sockets are the kernel's numbers, in order.
func (l listening) sockets() []uint64 {
	list := []uint64{}
	for _, one := range l.list {
		list = append(list, one.Socket)
	}
	slices.Sort(list)
	return list
}

// serves notes that the run listens with a socket.
func (s *locals) serves(socket uint64) {
	s.mu.Lock()
	s.own[socket] = true
	s.mu.Unlock()
	if s.reach.Servers != nil {
		s.reach.Servers.Add(socket)
	}
}

// whose returns the workspace whose run has a server, as Servers does.
func (s *locals) whose(l Listener) (workspace string, own bool) {
	s.mu.Lock()
	own = s.own[l.Socket]
	s.mu.Unlock()
	if own || s.reach.Servers == nil {
		return "", own
	}
	workspace, own = s.reach.Servers.Whose(l.Socket)
	if workspace == "" && !own && l.UID == uint32(os.Getuid()) {
		var pids []int
		for _, h := range holders(l) {
			pids = append(pids, h.PID)
		}
		return s.reach.Servers.Of(pids)
	}
	return workspace, own
}

// foreign are those that no run of the workspace has.
func (s *locals) foreign(list []Listener) []Listener {
	return slices.DeleteFunc(slices.Clone(list), func(l Listener) bool {
		_, own := s.whose(l)
		return own
	})
}

// taken reports whether another program listens on a port of the loopback.
func (s *locals) taken(port uint16) bool {
	list, err := s.resolver.Listeners(port)
	return err == nil && slices.ContainsFunc(s.foreign(list), func(l Listener) bool {
		return l.Addr.IsUnspecified() || l.Addr.Unmap().IsLoopback()
	})
}

// describe names the programs that listen, for a question.
func (s *locals) describe(l listening) string {
	if l.unknown {
		return "a server of this machine, which cannot be told"
	}
	var list []string
	for _, one := range s.foreign(l.list) {
		text := owner(one)
		if workspace, _ := s.whose(one); workspace != "" {
			text += ", a run in " + workspace
		}
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	slices.Sort(list)
	return strings.Join(list, " and ")
}

// decide decides about a server of this machine, by the sockets that take the connection.
func (s *locals) decide(addr netip.Addr, port uint16) Verdict {
	v := Verdict{Host: localName(addr), Fix: hostPort(addr.String(), port)}
	if v.Why = closed(port); v.Why != "" {
		return v
	}
	for _, r := range s.reach.Rules {
		if r.Name == "localhost" && r.onPort(port) && r.Local && addr.IsLoopback() {
			return Verdict{OK: true, Host: v.Host}
		}
	}
	if !s.reach.Localhost {
		v.Why = "servers on this machine are off limits"
		return v
	}
	l := s.listens(addr, port)
	switch {
	case !l.unknown && len(l.list) == 0:
		return Verdict{Host: v.Host, Vacant: true, Why: "nothing listens there"}
	case !l.unknown && len(s.foreign(l.list)) == 0:
		return Verdict{OK: true, Host: v.Host, Sockets: l.sockets()}
	}
	v.Why = "no run of this workspace has started that server"
	return v
}

// dnsPorts carry questions for names, which this machine's own servers would pass on to anyone.
var dnsPorts = [...]uint16{53, 853, 5353, 5355}

// closed is why nothing but a rule for the very address opens a port of this machine.
func closed(port uint16) string {
	if slices.Contains(dnsPorts[:], port) {
		return "it forwards DNS queries"
	}
	return ""
}

// localName is this machine in a question and in the record.
func localName(addr netip.Addr) string {
	if addr.IsLoopback() {
		return "localhost"
	}
	return addr.String()
}
