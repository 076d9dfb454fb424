package pathguard

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/pathguard/hosts"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// A Reach is what an allowed plan may contact, as far as the sandbox can enforce it.
type Reach struct {
	Hosts []string // HOST, HOST:PORT, *.DOMAIN:PORT, ADDRESS/BITS
	// Registries are those of the plan's package tools that the policy has, beside Hosts. One that
	// a file of the workspace names is not reached.
	Registries []Registry

	// For are the programs that a host of Hosts is for, where others of the plan do not tell whom
	// they contact. A host that is not in it is for all.
	For map[string][]Giver
	// Starters are programs that only start others, and Wrappers those of them that start no more
	// than their words say. Texts are what shells of the command line execute.
	Starters, Wrappers, Texts []string

	Localhost bool // the servers of this machine, and to be one of them
	Unknown   bool // the plan contacts a host that its text does not name
	Untold    bool // something of the plan does not tell whom it contacts
}

// configured are programs whose own configuration says the port.
var configured = []string{"ssh", "scp", "sftp", "rsync", "autossh", "mosh", "sshfs"}

// Reach derives what an allowed plan may contact: the hosts that its text names; the registries of
// the tools that it runs, where the policy lists them; and, if it contacts any host, what
// network.allow lists, where a redirect or a company's own name server may lead it. A program whose
// text does not say what it contacts may reach that list and the servers of this machine. With
// network.default list, a person has approved the hosts that the list does not have.
func (p Policy) Reach(plan *resolve.Plan) Reach {
	if p.tree == nil || plan == nil || plan.Script == nil {
		return Reach{}
	}
	j := judgement{p: &p, plan: plan, script: plan.Script, homes: p.homes, disk: walk.OpenDisk()}
	defer j.disk.Close()
	var r Reach
	j.contactsOf(&r)
	for _, k := range j.files() {
		k.contactsOf(&r)
	}
	j.fetches(&r)
	untold := j.untold()
	if untold || len(r.Hosts) > 0 || r.Localhost {
		r.Hosts = append(r.Hosts, p.set.NetworkReach...)
		for _, host := range p.set.NetworkReach {
			delete(r.For, host)
		}
	}
	r.Localhost, r.Untold = r.Localhost || untold, untold
	r.Localhost = r.Localhost && !p.set.NoLocalhost
	slices.Sort(r.Hosts)
	r.Hosts = slices.Compact(r.Hosts)
	if len(r.Registries) > 0 || len(r.For) > 0 {
		r.Starters = hosts.Starters()
	}
	if len(r.For) > 0 {
		r.Wrappers, r.Texts = hosts.Wrappers(), j.texts()
	}
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
		if !tells[i] && !closed(c) {
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
		case strings.ContainsAny(n.Host, "*/"):
			// to the sandbox it would be more than the one host that was judged
		case hosts.IsLoopback(n.Host):
			r.Localhost = true
		case n.Host != "0.0.0.0" && n.Host != "::":
			if e.Command >= 0 && e.Command < len(j.script.Commands) && n.Port == 0 &&
				slices.Contains(configured, path.Base(j.script.Commands[e.Command].Name)) {
				n.Scheme = ""
			}
			j.give(r, e.Command, hostPorts(n))
		}
	}
}

// NamesLocalhost reports whether the text of a plan names a server of this machine.
func NamesLocalhost(plan *resolve.Plan) bool {
	return slices.ContainsFunc(plan.Script.Effects, func(e shellparse.Effect) bool {
		return e.Right == command.Net && e.Net != nil && hosts.IsLoopback(e.Net.Host)
	})
}

// give takes in hosts that a command names. They are for its program alone where another command of
// the plan does not tell whom it contacts.
func (j *judgement) give(r *Reach, command int, list []string) {
	for _, host := range list {
		known := slices.Contains(r.Hosts, host)
		if !known {
			r.Hosts = append(r.Hosts, host)
		}
		givers, some := r.For[host]
		if !j.inner && !j.beside(command) || known && !some {
			delete(r.For, host)
			continue
		}
		if r.For == nil {
			r.For = map[string][]Giver{}
		}
		r.For[host] = append(givers, j.givers(command)...)
	}
}

// contacts is whom an effect contacts.
func (j *judgement) contacts(e *shellparse.Effect) (n shellparse.Endpoint, known bool) {
	if e.Net == nil {
		return n, false
	}
	n = *e.Net
	if n.Scheme == hosts.RemoteScheme { // its address is unknown
		return n, false
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
	list := hosts.Ports()[n.Scheme]
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
	var take func(p *resolve.Plan)
	take = func(p *resolve.Plan) {
		for _, g := range p.Registries {
			if slices.Contains(j.p.set.Registries, g.Name) && !slices.Contains(r.Registries, g) {
				r.Registries = append(r.Registries, g)
			}
		}
		for i := range p.Inner {
			take(p.Inner[i].Plan)
		}
	}
	take(j.plan)
}
