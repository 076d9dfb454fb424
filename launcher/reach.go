package launcher

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher/broker/network"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard"
)

// A reached is what the run may contact, and why that is so.
type reached struct {
	mode  sandbox.Network
	reach network.Reach
	hosts []string // of reach, as they were written
	// those of package registries, with whose they are
	registries []pathguard.Registry
	asks       bool // a person is asked about other hosts
	// whose a host of hosts is, where it is for some programs only
	givers map[string][]pathguard.Giver
	// the proxies that make the connections for the programs, from the caller's environment
	proxies []string
}

// contacts derives what the run may contact. If a person has approved a plan that contacts hosts
// that its text does not name, that is any host.
func (j *Judgement) contacts() reached {
	r := reached{asks: j.asksConnections()}
	if j.policy.Settings().Network == pathguard.NetOn && j.Verdict.Class != pathguard.ReadOnly {
		r.mode = sandbox.Full
		return r
	}
	plan := j.policy.Reach(j.Plan)
	if plan.Unknown && j.Verdict.Decision == pathguard.Ask && j.spoke("net.dynamic") {
		r.mode = sandbox.Full
		return r
	}
	r.hosts, r.registries, r.givers = plan.Hosts, plan.Registries, plan.For
	persons := j.policy.Settings().NetworkReach
	if j.client != nil {
		r.hosts, persons = slices.Concat(r.hosts, j.client.Hosts),
			slices.Concat(persons, j.client.Hosts)
	}
	r.reach.Starters, r.reach.Wrappers, r.reach.Texts = plan.Starters, plan.Wrappers, plan.Texts
	for _, host := range r.hosts {
		if rule, err := network.ParseRule(host); err == nil {
			// a name that the sandbox cannot treat as a host is out of its reach
			if givers, some := plan.For[host]; some {
				rule.For = startsOf(givers)
			}
			rule.Local = slices.Contains(persons, host)
			r.reach.Rules = append(r.reach.Rules, rule)
		}
	}
	for _, g := range r.registries {
		if rule, err := network.ParseRule(g.Host); err == nil && !g.Asks {
			rule.Lead, rule.Local = true, true
			r.reach.Rules = append(r.reach.Rules, rule)
		}
	}
	r.takeProxies(proxiesOf(j.environ.vars))
	r.reach.Localhost = plan.Localhost
	r.reach.Publish = append(r.reach.Publish, j.Request.Publish...)
	if len(r.reach.Rules) > 0 || r.reach.Localhost || len(r.reach.Publish) > 0 ||
		r.asks && (plan.Untold || len(pathguard.Daemons(j.Script, "")) > 0) {
		r.mode = sandbox.Hosts
	}
	return r
}

// startsOf are the programs of a rule. None are none, where nil would be any.
func startsOf(givers []pathguard.Giver) []network.Start {
	list := make([]network.Start, 0, len(givers))
	for _, g := range givers {
		list = append(list, network.Start(g))
	}
	return list
}

// takeProxies adds the proxies, but only for the programs that may reach some host: a program that
// may use a proxy may connect anywhere.
func (r *reached) takeProxies(proxies []string) {
	var led, some bool
	starts := []network.Start{}
	for _, rule := range r.reach.Rules {
		led, some = led || rule.Lead, some || rule.For != nil
		if !rule.Lead && rule.For == nil {
			led, some = false, false
			break
		}
		starts = append(starts, rule.For...)
	}
	if len(r.reach.Rules) == 0 {
		return
	}
	for _, proxy := range proxies {
		rule, err := network.ParseRule(proxy)
		if err != nil || !rule.One() {
			continue
		}
		r.proxies = append(r.proxies, proxy)
		rule.Local = true
		if rule.Lead = led; led || !some {
			r.reach.Rules = append(r.reach.Rules, rule)
		}
		if rule.Lead = false; some {
			rule.For = starts
			r.reach.Rules = append(r.reach.Rules, rule)
		}
	}
}

func (j *Judgement) spoke(rule string) bool {
	return slices.ContainsFunc(j.Verdict.Reasons,
		func(r pathguard.Reason) bool { return r.Rule == rule })
}

// proxyVars are the variables by which programs find their proxy. Which one is meant depends on the
// program and on the address, so each counts.
var proxyVars = []string{"https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "all_proxy",
	"ALL_PROXY"}

// proxiesOf returns the HOST:PORT of each of the caller's proxies.
func proxiesOf(env map[string]string) (list []string) {
	for _, name := range proxyVars {
		if proxy := proxyOf(env[name]); proxy != "" && !slices.Contains(list, proxy) {
			list = append(list, proxy)
		}
	}
	return list
}

// proxyOf returns the HOST:PORT of a proxy's address, "" of none.
func proxyOf(address string) string {
	if address == "" {
		return ""
	}
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		scheme, rest = "http", address
	}
	rest, _, _ = strings.Cut(rest, "/")
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	if i := strings.LastIndexByte(rest, ':'); i < 0 || strings.HasSuffix(rest, "]") {
		rest += proxyPort(strings.TrimRight(scheme, "ah45")) // socks5h
	}
	return rest
}

// proxyPort is what curl(1) takes when the address has no port.
func proxyPort(scheme string) string {
	switch scheme {
	case "http", "socks":
		return ":1080"
	case "https":
		return ":443"
	}
	return ""
}

// giverNames are the programs that a host is for.
func giverNames(givers []pathguard.Giver) string {
	var names []string
	for _, g := range givers {
		if name := cmp.Or(g.Name, "the shell"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if names == nil {
		return "each program asks"
	}
	return strings.Join(names, ", ")
}

// labelled are the hosts, those that are for some programs only with whose they are.
func (r reached) labelled() []string {
	var list []string
	for _, host := range r.hosts {
		if givers, some := r.givers[host]; some {
			host += " (" + giverNames(givers) + ")"
		}
		list = append(list, host)
	}
	for _, g := range r.registries {
		if !g.Asks {
			list = append(list, r.registryText(g))
		}
	}
	return list
}

// registryText is a host of a registry with the program that asks it and the setting that names it.
func (r reached) registryText(g pathguard.Registry) string {
	switch {
	case g.Asks && r.asks:
		return fmt.Sprintf("%s (%s; %s names it: asks)", g.Host, g.Tool, g.From)
	case g.Asks:
		return fmt.Sprintf("%s (%s; %s names it: refused)", g.Host, g.Tool, g.From)
	case g.From != "":
		return fmt.Sprintf("%s (%s, %s)", g.Host, g.Tool, g.From)
	}
	return fmt.Sprintf("%s (%s)", g.Host, g.Tool)
}
