package network

import (
	"net/netip"
	"os"
	"strings"
)

// A Stub is the Resolver of this machine: the hosts file, then the name servers.
type Stub struct {
	Hosts   string           // a file as hosts(5)
	Servers []netip.AddrPort // asked in turn
	Search  []string         // domains that resolvers put behind a name
}

// SearchDomains are the domains that resolvers put behind a name.
func (s Stub) SearchDomains() []string { return s.Search }

// System returns the resolver that /etc/hosts and /etc/resolv.conf describe.
func System() Stub {
	const file = "/etc/resolv.conf"
	return Stub{Hosts: "/etc/hosts", Servers: servers(file), Search: searched(file)}
}

// maxServers is how many name servers count (MAXNS of resolv.conf(5)).
const maxServers = 3

// servers returns the name servers of a file as resolv.conf(5); without any it is this machine's,
// as every resolver has it.
func servers(file string) []netip.AddrPort {
	var list []netip.AddrPort
	for line := range lines(file) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "nameserver" &&
			len(list) < maxServers {
			if addr, err := netip.ParseAddr(f[1]); err == nil {
				list = append(list, netip.AddrPortFrom(addr, 53))
			}
		}
	}
	if list == nil {
		list = append(list, netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 53))
	}
	return list
}

// searched returns the search list of a file as resolv.conf(5): the last one counts.
func searched(file string) (list []string) {
	for line := range lines(file) {
		if f := strings.Fields(line); len(f) >= 2 && (f[0] == "search" || f[0] == "domain") {
			list = nil
			for _, domain := range f[1:] {
				list = append(list, strings.ToLower(strings.Trim(domain, ".")))
			}
		}
	}
	return list
}

// inFile returns the addresses that a hosts file gives to a name.
func inFile(file, name string) (addrs []netip.Addr) {
	for line := range lines(file) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		for _, n := range f[1:] {
			if strings.EqualFold(strings.TrimSuffix(n, "."), name) {
				if addr, err := netip.ParseAddr(f[0]); err == nil {
					addrs = append(addrs, addr)
				}
				break
			}
		}
	}
	return addrs
}

// lines yields the lines of a file without comments. A file that cannot be read has none.
func lines(file string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		text, err := os.ReadFile(file)
		if err != nil {
			return
		}
		for line := range strings.Lines(string(text)) {
			if at := strings.IndexAny(line, "#;"); at >= 0 {
				line = line[:at]
			}
			if !yield(line) {
				return
			}
		}
	}
}
