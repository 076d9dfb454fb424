package hosts

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/shellparse"
)

// RemoteScheme marks an endpoint whose host is the name of a git remote: the name is defined in the
// repository's configuration, which a command may change only with a person's approval.
const RemoteScheme = "remote"

// Matches reports whether a name of a rule is that of a host, or has it as "*.DOMAIN".
func Matches(host, name string) bool {
	rest, wild := strings.CutPrefix(name, "*.")
	return wild && strings.HasSuffix(host, "."+rest) || name == host
}

// IsLoopback reports whether a host is this machine by name or by address.
func IsLoopback(host string) bool {
	host = strings.Trim(host, "[]")
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || host == "::1" ||
		strings.HasPrefix(host, "127.") && strings.Trim(host, "0123456789.") == ""
}

// hostIs reports whether a host is one that an entry names: itself, a name below its domain, an
// address in its net.
func hostIs(host, entry string) bool {
	if Matches(host, entry) {
		return true
	}
	net, err := netip.ParsePrefix(entry)
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && net.Contains(addr)
}

func portsOf(n shellparse.Endpoint) []int {
	if n.Port != 0 {
		return []int{n.Port}
	}
	return Ports()[n.Scheme]
}

// Cut takes the port off an entry of network.allow; 0 is every port.
func Cut(entry string) (host string, port int) {
	if inside, rest, ok := strings.Cut(strings.TrimPrefix(entry, "["), "]"); ok &&
		strings.HasPrefix(entry, "[") {
		port, _ = strconv.Atoi(strings.TrimPrefix(rest, ":"))
		return inside, port
	}
	if host, number, ok := strings.Cut(entry, ":"); ok && !strings.Contains(number, ":") {
		port, _ = strconv.Atoi(number)
		return host, port
	}
	return entry, 0
}

// Ports are those of a scheme. A site that is asked by http answers most often by naming its https.
var Ports = sync.OnceValue(func() map[string][]int {
	return map[string][]int{
		"http": {80, 443}, "https": {443}, "ws": {80, 443}, "wss": {443}, "ssh": {22}, "sftp": {22},
		"scp":     {22},
		"git+ssh": {22}, "ssh+git": {22},
		"git": {9418}, "rsync": {873, 22}, "svn": {3690}, "svn+ssh": {22}, "telnet": {23},
		"smtp":  {25},
		"smtps": {465},
		"imap":  {143}, "imaps": {993},
		"ldap": {389}, "ldaps": {636}, "postgres": {5432}, "postgresql": {5432}, "mysql": {3306},
		"redis":  {6379},
		"rediss": {6379}, "mongodb": {27017},
		"amqp": {5672}, "amqps": {5671}, "dict": {2628}, "gopher": {70},
	}
})

// Allowed reports whether an entry of network.allow names the endpoint.
func Allowed(n shellparse.Endpoint, list []string) bool {
	for _, entry := range list {
		host, port := Cut(entry)
		if hostIs(n.Host, host) && (port == 0 || slices.Contains(portsOf(n), port)) {
			return true
		}
	}
	return false
}

// CoveredBy reports whether an entry of network.allow allows no more than one of list does.
func CoveredBy(entry string, list []string) bool {
	host, port := Cut(entry)
	for _, other := range list {
		if h, p := Cut(other); (p == 0 || p == port) && hostIs(host, h) {
			return true
		}
	}
	return false
}
