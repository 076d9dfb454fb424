package approval

import (
	_ "embed"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// terminalTable says which programs hold the other end of a person's terminal.
//
//go:embed terminals.txt
var terminalTable string

// A holding is how a program shows the terminal whose other end it holds. The zero value is a
// program that nothing is known of.
type holding int

const (
	unknown holding = iota
	onScreen
	relayed
	multiplexed
)

type terminalRow struct {
	kind       holding
	name, part string
}

// agentFacts are those by which an agent's program is recognised, and what it is called.
func agentFacts() iter.Seq[agents.Fact] { return agents.Of("mark", "program", "script", "called") }

var terminalRows = sync.OnceValue(func() (rows []terminalRow) {
	kinds := map[string]holding{"screen": onScreen, "relay": relayed, "mux": multiplexed}
	for line := range strings.Lines(terminalTable) {
		if f := strings.Fields(line); len(f) > 1 && f[0] != "#" {
			rows = append(rows, terminalRow{kinds[f[0]], f[1], strings.Join(f[2:], "")})
		}
	}
	return rows
})

// AgentMark returns the name of an entry NAME=VALUE of an environment that an agent's program sets,
// else "".
func AgentMark(entry string) string {
	name, value, _ := strings.Cut(entry, "=")
	if value == "" {
		return ""
	}
	for f := range agentFacts() {
		if f.Kind == "mark" && f.Text() == name {
			return name
		}
	}
	return ""
}

// isSet reports whether a variable has a value.
func isSet(name string, env []string) bool {
	return slices.ContainsFunc(env, func(entry string) bool {
		value, is := strings.CutPrefix(entry, name)
		return is && len(value) > 1 && value[0] == '='
	})
}

// AgentName is what the agent is called that asks: said is how it calls itself, env its
// environment, where its program leaves a mark. One program has several names for itself, one for
// each door; here it has one. "" for an unknown one.
func AgentName(said string, env []string) string {
	// a server says so before the name of its client
	agent, own := said, strings.TrimPrefix(said, "mcp/")
	facts := agentFacts()
	if said == "" {
		facts = agents.Of("mark")
	}
	for f := range facts {
		if said == "" && f.Agent != agents.Any && isSet(f.Text(), env) ||
			said != "" && (f.Kind == "called" && f.Text() == own ||
				f.Agent == own && own != agents.Any) {
			agent = f.Agent
		}
		if agent != said {
			break
		}
	}
	if called := agents.First(agent, "called"); called != "" {
		return called
	}
	return agent
}
