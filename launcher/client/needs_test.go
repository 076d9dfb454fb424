package client

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/broker/network"
	"github.com/tada-run/tada-run/launcher/environ"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// Every fact about what agents need is of use and there once, and every agent that has any is
// recognised, has a folder, a host and a key.
func TestClientTable(t *testing.T) {
	has, seen := map[string][]string{}, map[string]bool{}
	for _, n := range needs() {
		if has[n.agent] = append(has[n.agent], n.kind); seen[n.agent+n.kind+n.words[0]] {
			t.Errorf("%s %s %s stands twice", n.agent, n.kind, n.words[0])
		}
		seen[n.agent+n.kind+n.words[0]] = true
		switch n.kind {
		case "host":
			if r, err := network.ParseRule(n.words[0]); err != nil || r.Port != 0 ||
				strings.Count(r.Name, ".") == 0 ||
				strings.HasPrefix(r.Name, "*.") && strings.Count(r.Name, ".") < 2 {
				t.Errorf("%s: host %q: %v", n.agent, n.words[0], err)
			}
		case "key":
			if !environ.IsName(n.words[0]) ||
				len(environ.Scrub([]string{n.words[0] + "=x"}, nil).Kept) > 0 {
				t.Errorf("%s: every command gets %s, or it is no variable", n.agent, n.words[0])
			}
		case "base":
			if !environ.IsName(n.words[0]) {
				t.Errorf("%s: %q is no variable", n.agent, n.words[0])
			}
		case "home":
			if !environ.IsName(n.words[0]) ||
				n.words[1] != "~" && !strings.HasPrefix(n.words[1], "~/") {
				t.Errorf("%s: home %q", n.agent, n.words)
			}
		case "copy", "link", "login", "rest":
			if !belowHome(n.agent, n.words[0]) {
				t.Errorf("%s: it would not look for %q in its own folder", n.agent, n.words[0])
			}
		case "seed":
			if !belowHome(n.agent, n.words[1]) {
				t.Errorf("%s: it would not look for %q in its own folder", n.agent, n.words[1])
			}
		}
	}
	for agent, kinds := range has {
		program := cmp.Or(agents.First(agent, "program"), agent)
		if got := approval.AgentProgram("/opt/"+program, []string{program}); got != agent {
			t.Errorf("the program %s is recognised as %q", program, got)
		}
		for _, kind := range []string{"home", "copy", "host", "key"} {
			if !slices.Contains(kinds, kind) {
				t.Errorf("%s has no %s", agent, kind)
			}
		}
	}
	for f := range agents.Of("npm") {
		if has[f.Agent] == nil {
			t.Errorf("nothing says what %s needs in a session", f.Agent)
		}
	}
}

// belowHome reports whether a name of the table is below a folder that the agent is told another
// place of.
func belowHome(agent, name string) bool {
	return slices.ContainsFunc(needsOf(agent), func(n need) bool {
		return n.kind == "home" && strings.HasPrefix(name+"/", n.words[1]+"/")
	})
}
