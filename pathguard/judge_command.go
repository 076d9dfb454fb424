package pathguard

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// commands applies the rules of the configuration to the parsed words.
func (j *judgement) commands() {
	for i := range j.script.Commands {
		c := &j.script.Commands[i]
		if c.Name == "" {
			continue
		}
		j.commandRules(i, c)
	}
}

func (j *judgement) commandRules(i int, c *shellparse.Command) {
	var best *CommandRule
	rules := j.p.commands[path.Base(c.Name)]
	for k := range rules {
		r := &rules[k]
		if r.matches(c) && (best == nil || r.Verdict < best.Verdict) {
			best = r
		}
	}
	if best == nil {
		return
	}
	j.configured("rule.command", best.Verdict, best.Message, "", words(c), c.Span, i)
	if best.Verdict == Allow {
		if j.allowed == nil {
			j.allowed = map[int]int{}
		}
		// What cannot be undone is only allowed by a rule that names the option: who allows
		// "git push" has not thought of --force.
		j.allowed[i] = 2
		if len(best.Flags) > 0 {
			j.allowed[i] = 3
		}
	}
}

// matches holds a rule against a command. A word that the text does not tell could be
// anything: it is taken to match a rule that tightens, and never one that allows.
func (r *CommandRule) matches(c *shellparse.Command) bool {
	if strings.Contains(r.Program, "/") && r.Program != c.Name {
		return false
	}
	var plain, options []string
	unknown := false
	for i, w := range c.Args {
		switch {
		case i == 0:
		case !w.Static:
			unknown = true
		case len(w.Text) > 1 && w.Text[0] == '-':
			options = append(options, w.Text)
		default:
			plain = append(plain, w.Text)
		}
	}
	if unknown && r.Verdict == Allow {
		return false
	}
	if len(plain) < len(r.Args) && !unknown {
		return false
	}
	for k, want := range r.Args {
		if k < len(plain) && plain[k] != want && !unknown {
			return false
		}
	}
	if len(r.Flags) == 0 {
		return true
	}
	return unknown || slices.ContainsFunc(r.Flags, func(flag string) bool { return hasOption(options, flag) })
}

// hasOption reports whether an option stands among the words: --name, --name=value, a
// shortened --na, or a letter inside a bundle.
func hasOption(options []string, flag string) bool {
	for _, o := range options {
		name, _, _ := strings.Cut(o, "=")
		switch {
		case name == flag:
			return true
		case strings.HasPrefix(flag, "--"):
			if len(name) > 2 && strings.HasPrefix(flag, name) {
				return true
			}
		case len(flag) == 2 && !strings.HasPrefix(o, "--") && strings.ContainsRune(o[1:], rune(flag[1])):
			return true
		}
	}
	return false
}

func words(c *shellparse.Command) string {
	text := make([]string, len(c.Args))
	for i, w := range c.Args {
		text[i] = w.Text
	}
	return strings.Join(text, " ")
}

// programs judges the files that would be executed.
func (j *judgement) programs() {
	for i := range j.plan.Programs {
		p := &j.plan.Programs[i]
		if p.Real == "" {
			continue
		}
		span := j.script.Commands[p.Command].Span
		t := Target{Right: command.Exec, Name: p.Name, Real: p.Real, Exists: p.Path != "", ID: p.ID, Mode: p.Mode, Links: p.Links, Effect: -1, Command: p.Command}
		j.target(&t)
		if p.Shadow != "" {
			j.add(Ask, "exec.shadow", p.Real, p.Shadow, span, p.Command)
		}
	}
}

// net judges who is contacted and what goes out.
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

func (j *judgement) endpoint(e *shellparse.Effect) {
	n := e.Net
	if n.Scheme == remoteScheme {
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
	case isLoopback(host) && n.Static:
	case !n.Static || host == "":
		j.add(Ask, "net.dynamic", "", n.Host, e.Span, e.Command)
	case host == "0.0.0.0" || host == "::":
		j.add(Ask, "net.listen", "", host, e.Span, e.Command)
	case n.Upload || e.Flags&command.Upload != 0:
		j.add(Ask, "net.upload", "", host, e.Span, e.Command)
	case j.p.set.Network == NetList && !allowed(shellparse.Endpoint{Scheme: n.Scheme, Host: host, Port: n.Port}, j.p.set.NetworkAllow):
		j.add(Ask, "net.list", "", host, e.Span, e.Command)
	}
}

// remoteScheme marks an endpoint whose host is the name of a git remote: it stands in the
// repository's configuration, which only a person's yes lets a command change.
const remoteScheme = "remote"

// remote judges a git remote by the host that the plan found for it, and fetching from one
// that was not found as what it is: a place that somebody configured.
func (j *judgement) remote(e *shellparse.Effect) {
	n := *e.Net
	remote := j.plan.Remotes[n.Host]
	n.Scheme, n.Host, n.Port = remote.Scheme, remote.Host, remote.Port
	name := nonEmpty(e.Net.Host, "the remote")
	switch {
	case n.Host != "":
		j.endpoint(&shellparse.Effect{Right: e.Right, Flags: e.Flags, Net: &n, Span: e.Span, Command: e.Command})
	case n.Upload || e.Flags&command.Upload != 0:
		j.add(Ask, "net.upload", "", name, e.Span, e.Command)
	case !n.Static || j.p.set.Network == NetList:
		j.add(Ask, "net.dynamic", "", name, e.Span, e.Command)
	}
}

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

func hostIn(host string, list []string) bool {
	for _, h := range list {
		if rest, wild := strings.CutPrefix(h, "*."); wild && strings.HasSuffix(host, "."+rest) || h == host {
			return true
		}
	}
	return false
}

// isLoopback reports whether a host is this machine by name or by address.
func isLoopback(host string) bool {
	host = strings.Trim(host, "[]")
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || host == "::1" || strings.HasPrefix(host, "127.") && strings.Trim(host, "0123456789.") == ""
}
