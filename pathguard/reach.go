package pathguard

import (
	"net/netip"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// A Reach is what a plan that was allowed may contact, as the launcher's fence can hold it to that.
type Reach struct {
	Hosts     []string // HOST, HOST:PORT, *.DOMAIN:PORT, ADDRESS/BITS
	Localhost bool     // the servers of this machine, and to be one of them
	Unknown   bool     // the plan contacts somebody whom its text does not tell
}

// ports are those of a scheme. A site that is asked by http answers most often by naming its https.
var ports = map[string][]int{
	"http": {80, 443}, "https": {443}, "ws": {80, 443}, "wss": {443}, "ssh": {22}, "sftp": {22}, "scp": {22},
	"git+ssh": {22}, "ssh+git": {22},
	"git": {9418}, "rsync": {873, 22}, "svn": {3690}, "svn+ssh": {22}, "telnet": {23}, "smtp": {25}, "smtps": {465},
	"imap": {143}, "imaps": {993},
	"ldap": {389}, "ldaps": {636}, "postgres": {5432}, "postgresql": {5432}, "mysql": {3306}, "redis": {6379},
	"rediss": {6379}, "mongodb": {27017},
	"amqp": {5672}, "amqps": {5671}, "dict": {2628}, "gopher": {70},
}

// configured are programs whose own configuration says the port.
var configured = names{"ssh", "scp", "sftp", "rsync", "autossh", "mosh", "sshfs"}

// registries are the hosts that package tools fetch from when nothing else is configured.
// network.registries lets a tool reach its own.
var registries = map[string][]string{
	"npm":   {"registry.npmjs.org:443"},
	"yarn":  {"registry.yarnpkg.com:443", "registry.npmjs.org:443"},
	"jsr":   {"jsr.io:443", "npm.jsr.io:443", "deno.land:443"},
	"pip":   {"pypi.org:443", "files.pythonhosted.org:443"},
	"conda": {"conda.anaconda.org:443", "repo.anaconda.com:443"},
	"go":    {"proxy.golang.org:443", "sum.golang.org:443"},
	"cargo": {"index.crates.io:443", "static.crates.io:443", "crates.io:443"},
	"gem":   {"rubygems.org:443", "index.rubygems.org:443"},
	"php":   {"repo.packagist.org:443", "packagist.org:443"},
	"maven": {"repo.maven.apache.org:443", "repo1.maven.org:443", "plugins.gradle.org:443", "services.gradle.org:443"},
	"nuget": {"api.nuget.org:443"},
	"hex":   {"repo.hex.pm:443", "hex.pm:443"},
	"apt":   {"deb.debian.org:80", "deb.debian.org:443", "security.debian.org:80", "archive.ubuntu.com:80", "security.ubuntu.com:80", "*.archive.ubuntu.com:80"},
	"apk":   {"dl-cdn.alpinelinux.org:443"},
}

// fetchers are the programs that ask each registry.
var fetchers = map[string][]string{
	"npm": {"npm"}, "npx": {"npm"}, "pnpm": {"npm"}, "pnpx": {"npm"}, "yarn": {"yarn"}, "yarnpkg": {"yarn"},
	"bun": {"npm"}, "bunx": {"npm"}, "deno": {"jsr", "npm"}, "corepack": {"npm", "yarn"},
	"pip": {"pip"}, "pip3": {"pip"}, "pipx": {"pip"}, "uv": {"pip"}, "uvx": {"pip"}, "poetry": {"pip"}, "pdm": {"pip"},
	"pipenv": {"pip"}, "tox": {"pip"}, "nox": {"pip"},
	"conda": {"conda"}, "mamba": {"conda"}, "micromamba": {"conda"}, "go": {"go"}, "cargo": {"cargo"}, "gem": {"gem"},
	"bundle": {"gem"}, "bundler": {"gem"},
	"composer": {"php"}, "mvn": {"maven"}, "gradle": {"maven"}, "gradlew": {"maven"}, "mvnw": {"maven"},
	"dotnet": {"nuget"}, "nuget": {"nuget"}, "mix": {"hex"},
	"apt": {"apt"}, "apt-get": {"apt"}, "apk": {"apk"},
}

// Reach derives whom a plan that was allowed may contact: the hosts that its text names; the
// registries of the tools that it runs, where the policy lists them; if it contacts anybody, what
// network.allow lists, where a redirect or a company's own name server may lead it; and for a
// program that does not tell whom it contacts, that list and this machine's servers. With
// network.default list a person has said yes to the hosts that the list does not have.
func (p Policy) Reach(plan *Plan) Reach {
	if p.tree == nil || plan == nil || plan.Script == nil {
		return Reach{}
	}
	j := judgement{p: &p, plan: plan, script: plan.Script, homes: p.homes, disk: openDisk()}
	defer j.disk.close()
	var r Reach
	j.contactsOf(&r)
	for _, k := range j.files() {
		k.contactsOf(&r)
	}
	j.fetches(&r)
	untold := j.untold()
	if untold || len(r.Hosts) > 0 || r.Localhost {
		r.Hosts = append(r.Hosts, p.set.NetworkReach...)
	}
	r.Localhost = r.Localhost || untold
	r.Localhost = r.Localhost && !p.set.NoLocalhost
	slices.Sort(r.Hosts)
	r.Hosts = slices.Compact(r.Hosts)
	return r
}

// untold reports whether something of the plan does not tell whom it contacts: code, and programs
// that run it.
func (j *judgement) untold() bool {
	if len(j.script.Opaque) > 0 || len(j.script.Codes) > 0 {
		return true
	}
	tells := map[int]bool{}
	for i := range j.script.Effects {
		if e := &j.script.Effects[i]; e.Right == command.Net && e.Net != nil {
			tells[e.Command] = true
		}
	}
	for i := range j.script.Commands {
		c := &j.script.Commands[i]
		if !tells[i] && !(c.Builtin || c.Known && (c.ReadOnly || exactPrograms.has(c.Name))) {
			return true
		}
	}
	return false
}

// contactsOf takes in whom the text names.
func (j *judgement) contactsOf(r *Reach) {
	for i := range j.script.Effects {
		e := &j.script.Effects[i]
		if e.Right != command.Net {
			continue
		}
		switch n, known := j.contacts(e); {
		case !known || !n.Static:
			r.Unknown = true
		case strings.ContainsAny(n.Host, "*/"): // to the fence it would be more than the one host that was judged
		case isLoopback(n.Host):
			r.Localhost = true
		case n.Host != "0.0.0.0" && n.Host != "::":
			if e.Command >= 0 && e.Command < len(j.script.Commands) && n.Port == 0 && configured.has(path.Base(j.script.Commands[e.Command].Name)) {
				n.Scheme = ""
			}
			r.Hosts = append(r.Hosts, hostPorts(n)...)
		}
	}
}

// contacts is whom an effect contacts, the host of a git remote included.
func (j *judgement) contacts(e *shellparse.Effect) (n shellparse.Endpoint, known bool) {
	if e.Net == nil {
		return n, false
	}
	n = *e.Net
	if n.Scheme == remoteScheme {
		remote := j.plan.Remotes[n.Host]
		n.Scheme, n.Host, n.Port = remote.Scheme, remote.Host, remote.Port
	}
	n.Host = strings.ToLower(strings.TrimSuffix(strings.Trim(n.Host, "[]"), "."))
	return n, n.Host != ""
}

// hostPorts is a host with the ports that its scheme means. Without either it is every port: a tool
// that names only a host is trusted with its own protocol.
func hostPorts(n shellparse.Endpoint) []string {
	host := n.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	list := ports[n.Scheme]
	if n.Port != 0 {
		list = []int{n.Port}
	}
	if len(list) == 0 {
		return []string{host}
	}
	out := make([]string, len(list))
	for i, port := range list {
		out[i] = host + ":" + strconv.Itoa(port)
	}
	return out
}

// fetches takes in the registries that the policy lets the plan's tools use.
func (j *judgement) fetches(r *Reach) {
	if len(j.p.set.Registries) == 0 {
		return
	}
	for i := range j.script.Commands {
		name := j.script.Commands[i].Name
		for _, registry := range fetchers[name[strings.LastIndexByte(name, '/')+1:]] {
			if slices.Contains(j.p.set.Registries, registry) {
				r.Hosts = append(r.Hosts, registries[registry]...)
			}
		}
	}
}

// allowed reports whether an entry of network.allow names the endpoint.
func allowed(n shellparse.Endpoint, list []string) bool {
	for _, entry := range list {
		host, port := cutPort(entry)
		if hostIs(n.Host, host) && (port == 0 || slices.Contains(portsOf(n), port)) {
			return true
		}
	}
	return false
}

// coveredBy reports whether an entry of network.allow allows no more than one of list does.
func coveredBy(entry string, list []string) bool {
	host, port := cutPort(entry)
	for _, other := range list {
		if h, p := cutPort(other); (p == 0 || p == port) && hostIs(host, h) {
			return true
		}
	}
	return false
}

// hostIs reports whether a host is one that an entry names: itself, a name below its domain, an
// address in its net.
func hostIs(host, entry string) bool {
	if host == entry || hostIn(host, []string{entry}) {
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
	return ports[n.Scheme]
}

// cutPort takes the port off an entry of network.allow; 0 is every port.
func cutPort(entry string) (host string, port int) {
	if inside, rest, ok := strings.Cut(strings.TrimPrefix(entry, "["), "]"); ok && strings.HasPrefix(entry, "[") {
		port, _ = strconv.Atoi(strings.TrimPrefix(rest, ":"))
		return inside, port
	}
	if host, number, ok := strings.Cut(entry, ":"); ok && !strings.Contains(number, ":") {
		port, _ = strconv.Atoi(number)
		return host, port
	}
	return entry, 0
}
