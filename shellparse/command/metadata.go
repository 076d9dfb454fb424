package command

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// metadataNames and metadataNets give the credentials of the machine to every program inside it
// that asks.
var (
	metadataNames = []string{"metadata", "metadata.google.internal", "metadata.azure.internal"}
	metadataNets  = []netip.Prefix{
		netip.MustParsePrefix("169.254.169.254/32"), netip.MustParsePrefix("169.254.170.0/24"),
		netip.MustParsePrefix("100.100.100.200/32"), netip.MustParsePrefix("fd00:ec2::254/128"),
	}
)

// isMetadata reports whether a host is one of those, however it is spelled.
func isMetadata(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	if slices.Contains(metadataNames, host) {
		return true
	}
	addr, ok := address(host)
	return ok && slices.ContainsFunc(metadataNets,
		func(n netip.Prefix) bool { return n.Contains(addr) })
}

// address reads an address as the C library does (inet_aton(3)): 0xa9fea9fe and 0251.0376.43518 are
// 169.254.169.254. One of IPv6 that carries one of IPv4 is that one.
func address(host string) (netip.Addr, bool) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return carried(addr.WithZone("").Unmap()), true
	}
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var sum uint64
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 0, 32) // the last part is all that is left
		last := i == len(parts)-1
		if err != nil || strings.ContainsAny(part, "_obOB") &&
			!strings.HasPrefix(strings.ToLower(part), "0x") || !last && n > 255 || last &&
			n >= 1<<(8*(4-i)) {
			return netip.Addr{}, false
		}
		if last {
			sum |= n
		} else {
			sum |= n << (8 * (3 - i))
		}
	}
	return netip.AddrFrom4([4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}),
		true
}

// carriers are the ranges of IPv6 that carry an address of IPv4, and where: NAT64, 6to4, translated
// and compatible addresses (RFC 6052, 3056, 7915, 4291).
var carriers = []struct {
	net netip.Prefix
	at  int
}{{netip.MustParsePrefix("64:ff9b::/96"), 12}, {netip.MustParsePrefix("2002::/16"), 2},
	{netip.MustParsePrefix("::ffff:0:0:0/96"), 12}, {netip.MustParsePrefix("::/96"), 12}}

func carried(addr netip.Addr) netip.Addr {
	for _, c := range carriers {
		if c.net.Contains(addr) {
			b := addr.As16()
			return netip.AddrFrom4([4]byte(b[c.at:]))
		}
	}
	return addr
}
