package pathguard

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/pathguard/hosts"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// net judges which hosts are contacted and what is sent.
func (j *judgement) net() {
	for _, port := range j.plan.Caller.Publish {
		j.add(Ask, "net.listen", "", strconv.Itoa(int(port)), shellparse.Span{}, -1)
	}
	for i := range j.script.Effects {
		e := &j.script.Effects[i]
		if e.Right != command.Net {
			continue
		}
		if e.Net == nil {
			j.add(Ask, "net.dynamic", "", "", e.Span, e.Command)
			continue
		}
		j.endpoint(e)
	}
}

// anyHost reports whether the sandbox has the machine's network, and binds no server to the
// loopback.
func (j *judgement) anyHost() bool {
	return j.p.set.Network == NetOn || slices.ContainsFunc(j.script.Effects,
		func(e shellparse.Effect) bool {
			return e.Right == command.Net && (e.Net == nil || !e.Net.Static)
		})
}

func (j *judgement) endpoint(e *shellparse.Effect) {
	n := e.Net
	if n.Scheme == hosts.RemoteScheme {
		j.remote(e)
		return
	}
	host := strings.ToLower(strings.TrimSuffix(n.Host, "."))
	rule := j.hostRule(host)
	if rule != nil {
		j.configured("rule.host", rule.Verdict, rule.Message, "", host, e.Span, e.Command)
		if rule.Verdict == Allow && n.Static {
			return
		}
	}
	switch {
	case hosts.IsLoopback(host) && n.Static:
	case !n.Static || host == "":
		j.add(Ask, "net.dynamic", "", n.Host, e.Span, e.Command)
	case host == "0.0.0.0" || host == "::":
		j.add(Ask, "net.listen", "", host, e.Span, e.Command)
	case n.Upload || e.Flags&command.Upload != 0:
		j.add(Ask, upload, "", cmp.Or(n.Repository, host), e.Span, e.Command)
	case j.p.set.Network == NetList &&
		!hosts.Allowed(shellparse.Endpoint{Scheme: n.Scheme, Host: host, Port: n.Port},
			j.p.set.NetworkAllow):
		j.add(Ask, "net.list", "", host, e.Span, e.Command)
	}
}

// remote judges a git remote whose address is unknown: fetching from it counts as contacting a
// configured place.
func (j *judgement) remote(e *shellparse.Effect) {
	n, name := *e.Net, cmp.Or(e.Net.Host, "the remote")
	switch {
	case j.pushesBack(e):
	case n.Upload || e.Flags&command.Upload != 0:
		j.add(Ask, upload, "", name+notRead, e.Span, e.Command)
	case !n.Static || j.p.set.Network == NetList:
		j.add(Ask, "net.dynamic", "", name, e.Span, e.Command)
	}
}

// notRead is said of a name that only the configuration of a repository explains.
const notRead = " (its address is not known)"

// hostRule finds the strictest rule for a host: its own name, and *.name of every domain
// above it.
func (j *judgement) hostRule(host string) *HostRule {
	var best *HostRule
	for name, own := host, true; name != ""; own = false {
		rules := j.p.hosts[name]
		for i := range rules {
			r := &rules[i]
			wild := strings.HasPrefix(r.Host, "*.")
			if wild == !own && (best == nil || r.Verdict < best.Verdict) {
				best = r
			}
		}
		_, name, _ = strings.Cut(name, ".")
	}
	return best
}
