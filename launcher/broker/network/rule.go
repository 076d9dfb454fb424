package network

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// A Rule allows one host, or one net, on one port or on all. The zero Rule allows nothing.
type Rule struct {
	// lower case, without the last dot; "*." and a domain for the names below it; "" when Net is
	// meant
	Name  string
	Net   netip.Prefix // the addresses; not valid when Name is meant
	Port  uint16       // 0 is every port
	Addrs []netip.Addr // what Name resolves to, when the caller knows; nil: to be looked up

	// Lead says that it is for programs that the command line itself starts, and not for what those
	// start.
	Lead bool

	// Local says that the host may be this machine: a person has named it, and knows what listens
	// there.
	Local bool

	// For are the programs that it is for, with all that they start; nil for any. Where it is not
	// nil and empty it is for none.
	For []Start
}

// A Start is a program that the command line itself starts: the file that is executed and the name
// it is executed by. The zero Start is the shell that reads the command line.
type Start struct {
	Name string // without folders
	ID   string // device and inode, as in [Program]; "" is any where the run may not write
	Deep bool   // a file that the command line executes may start it too
}

// A Reach is what a run may reach. The zero Reach is nothing.
type Reach struct {
	Rules []Rule
	// Localhost lets the run be reached on the loopback addresses of this machine, and reach the
	// TCP servers of its workspace's runs; about others a person is asked.
	Localhost bool
	// Servers has the servers of other runs; nil if none is known.
	Servers Servers
	// Barred, if not nil, reports the ports of this machine that the run must not reach, whatever
	// other rules say. It is called at each connection.
	Barred func(port uint16) bool
	// Daemons reports whether a person may be asked about a Unix socket of another program, by its
	// name and the processes that have it; nil if about none.
	Daemons func(name string, holders []Holder) bool
	// Ask, if not nil, is called for a connection that nothing here allows, and returns when it is
	// answered or ctx has ended. Names that no rule allows then resolve to addresses that represent
	// them.
	Ask func(ctx context.Context, w Want) Word
	// Starters are the names of programs that only start others, for rules with Lead and For.
	Starters []string
	// Wrappers are those of Starters that start no more than their words say, and Texts what the
	// command line has its own shells execute, as "sh -c TEXT". What is behind these may start
	// programs that are not Deep.
	Wrappers, Texts []string
	// Publish are the TCP ports on which the run may be reached from other machines.
	Publish []uint16
}

// ParseRule reads a rule; the package comment has the forms. The error names what is wrong with the
// text.
func ParseRule(text string) (Rule, error) {
	host, port, err := splitPort(strings.ToLower(strings.TrimSpace(text)))
	if err != nil {
		return Rule{}, fmt.Errorf("host %q: %w", text, err)
	}
	r := Rule{Port: port}
	if strings.Contains(host, "/") {
		if r.Net, err = netip.ParsePrefix(host); err != nil || r.Net.Addr().Is4In6() {
			return Rule{}, fmt.Errorf("host %q is not a network; write ADDRESS/BITS", text)
		}
		r.Net = r.Net.Masked()
		return r, nil
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		if addr.Zone() != "" {
			return Rule{}, fmt.Errorf("host %q: an address with a zone cannot be allowed", text)
		}
		addr = addr.Unmap()
		r.Net = netip.PrefixFrom(addr, addr.BitLen())
		return r, nil
	}
	r.Name = strings.TrimSuffix(host, ".")
	if !validName(strings.TrimPrefix(r.Name, "*.")) {
		return Rule{}, fmt.Errorf("host %q is not valid; write a name, *.NAME, or an address", text)
	}
	return r, nil
}

// splitPort cuts the port off: host, host:port, [v6], [v6]:port, v6.
func splitPort(text string) (host string, port uint16, err error) {
	host, number := text, ""
	switch {
	case strings.HasPrefix(text, "["):
		inside, rest, ok := strings.Cut(text[1:], "]")
		if !ok || rest != "" && rest[0] != ':' && rest[0] != '/' {
			return "", 0, fmt.Errorf("a bracket is not closed")
		}
		if bits, ok := strings.CutPrefix(rest, "/"); ok {
			bits, rest, ok = cutPort(bits)
			inside += "/" + bits
			if !ok {
				return inside, 0, nil
			}
			rest = ":" + rest
		}
		if host = inside; rest == "" {
			return host, 0, nil
		}
		number = rest[1:]
	case strings.Count(text, ":") == 1:
		host, number, _ = strings.Cut(text, ":")
	default:
		return text, 0, nil // no colon, or an IPv6 address
	}
	if number == "*" {
		return host, 0, nil
	}
	n, err := strconv.ParseUint(number, 10, 16)
	if err != nil || n == 0 {
		return "", 0, fmt.Errorf("%q is not a port", number)
	}
	return host, uint16(n), nil
}

func cutPort(text string) (bits, port string, ok bool) { return strings.Cut(text, ":") }

// validName reports whether a name is one that DNS can ask for: labels of letters, digits, hyphens
// and underscores, with the lengths of RFC 1035 §2.3.4.
func validName(name string) bool {
	if name == "" || len(name) > 253 {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 {
			return false
		}
		for i := range len(label) {
			c := label[i]
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
				return false
			}
		}
	}
	return true
}

// String returns the rule as ParseRule reads it.
func (r Rule) String() string {
	host := r.Name
	if r.Net.IsValid() {
		host = r.Net.Addr().String()
		if r.Net.Addr().Is6() {
			host = "[" + host + "]"
		}
		if !r.Net.IsSingleIP() {
			host += "/" + strconv.Itoa(r.Net.Bits())
		}
	}
	if r.Port == 0 {
		return host
	}
	return host + ":" + strconv.Itoa(int(r.Port))
}

// names reports whether the rule allows the name, which is in lower case without the last dot, on
// some port.
func (r Rule) names(name string) bool {
	if r.Name == "" {
		return false
	}
	if domain, wild := strings.CutPrefix(r.Name, "*"); wild {
		return len(name) > len(domain) && strings.HasSuffix(name, domain)
	}
	return name == r.Name
}

// any reports whether the rule is for any program.
func (r Rule) any() bool { return !r.Lead && r.For == nil }

// ByProgram reports whether some rule is for programs by the file that is executed.
func (r Reach) ByProgram() bool {
	return slices.ContainsFunc(r.Rules, func(rule Rule) bool { return rule.For != nil })
}

// One reports whether the rule is about one host.
func (r Rule) One() bool {
	return r.Name != "" && !r.wild() || r.Net.IsValid() && r.Net.IsSingleIP()
}

// covers reports whether the rule names an address on some port. A net that is wider than a special
// range does not name what is in that: 0.0.0.0/0 is the internet.
func (r Rule) covers(list []special, addr netip.Addr) bool {
	if !r.Net.IsValid() || !r.Net.Contains(addr) {
		return false
	}
	s, carried := find(list, addr)
	return s.what == "" || r.Net.IsSingleIP() || !carried && r.Net.Bits() >= s.net.Bits()
}

func (r Rule) wild() bool { return strings.HasPrefix(r.Name, "*.") }

func (r Rule) onPort(port uint16) bool { return r.Port == 0 || r.Port == port }
