package launcher

import (
	"cmp"
	"fmt"

	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse/command"
)

// effectNames sorts rights under the five words of the contract.
var effectNames = map[command.Right]string{
	command.Read: "read", command.Write: "write", command.Create: "write",
	command.Delete: "delete", command.Exec: "exec", command.Net: "net",
}

// effects are the names that the plan touches, each once, in the order of the line.
func (j *Judgement) effects() map[string][]string {
	var writes, hosts []string
	if j.client != nil {
		writes, hosts = j.client.Writes(), j.client.Hosts
	}
	return touched(j.Plan, writes, hosts)
}

// touched are the names that a plan touches, after those that are written and contacted besides.
func touched(p *pathguard.Plan, writes, hosts []string) map[string][]string {
	named := map[string][]string{"read": {}, "write": {}, "delete": {}, "exec": {}, "net": {}}
	named["write"], named["net"] = append(named["write"], writes...), append(named["net"], hosts...)
	seen := make(map[[2]string]bool, len(p.Targets)+len(p.Programs))
	add := func(kind, name string) {
		if key := [2]string{kind, name}; name != "" && !seen[key] {
			seen[key] = true
			named[kind] = append(named[kind], name)
		}
	}
	for plan := range p.All() {
		for i := range plan.Targets {
			add(effectNames[plan.Targets[i].Right], plan.Targets[i].Path())
		}
		for i := range plan.Programs {
			p := &plan.Programs[i]
			add("exec", cmp.Or(p.Real, p.Name))
		}
		for _, e := range plan.Script.Effects {
			if e.Net != nil {
				add("net", hostPort(e.Net.Host, e.Net.Port))
			}
		}
	}
	return named
}

func hostPort(host string, port int) string {
	if host == "" {
		host = "?"
	}
	if port == 0 {
		return host
	}
	return fmt.Sprintf("%s:%d", host, port)
}
