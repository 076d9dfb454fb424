package launcher

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/switches"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// loaders are the agents that work in the folder of a request and take variables from a file of the
// workspace: the one that asks, and those whose settings or instructions are in the workspace. What
// is in such a file may run in front of their hook.
func (r Request) loaders() (list []string) {
	asks := approval.AgentName(strings.TrimPrefix(r.Agent, "?"), r.Env)
	places := []string{r.Dir}
	if top := switches.Top(r.Dir); top != r.Dir {
		places = append(places, top)
	}
	for f := range agents.Of("loads") {
		own := asks != "" && asks == approval.AgentName(f.Agent, nil)
		if !slices.Contains(list, f.Agent) && (own || isAt(f.Agent, places)) {
			list = append(list, f.Agent)
		}
	}
	return list
}

// isAt reports whether names of an agent are in any of these folders.
func isAt(agent string, places []string) bool {
	for f := range agents.Of("later") {
		if f.Agent != agent {
			continue
		}
		names, _, _ := strings.Cut(f.Text(), ":")
		for _, name := range strings.Fields(names) {
			for _, at := range places {
				if _, err := os.Lstat(filepath.Join(at, name)); err == nil {
					return true
				}
			}
		}
	}
	return false
}
