package approval

import (
	_ "embed"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// terminalTable lists the programs that hold the other end of a person's terminal.
//
//go:embed terminals.txt
var terminalTable string

// A holding is how a program shows the terminal whose other end it holds. The zero value is an
// unknown program.
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

// agentFacts are the facts that identify an agent's program, with the agent's name.
func agentFacts() iter.Seq[agents.Fact] { return agents.Of("mark", "program", "script", "called") }

var terminalRows = sync.OnceValue(func() (rows []terminalRow) {
	kinds := map[string]holding{"screen": onScreen, "screen." + runtime.GOOS: onScreen,
		"relay": relayed, "mux": multiplexed}
	for line := range strings.Lines(terminalTable) {
		if f := strings.Fields(line); len(f) > 1 && f[0] != "#" {
			rows = append(rows, terminalRow{kinds[f[0]], f[1], strings.Join(f[2:], "")})
		}
	}
	return rows
})

// AgentMark returns the name in NAME=VALUE if it is a variable that an agent's program sets, or "".
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

// AgentName returns the name of the agent that asks, or "" for an unknown one. said is the name
// that it gives itself; env is its environment, in which its program may leave a mark. An agent may
// call itself differently in its hook, shell and MCP client; AgentName returns one name for all of
// them.
func AgentName(said string, env []string) string {
	// an MCP server puts this before the name of its client
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
