package approval

import (
	_ "embed"
	"iter"
	"path"
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

// AgentName is what the agent is called that asks: said is how it calls itself, env its
// environment, where its program leaves a mark. One program has several names for itself, one for
// each door; here it has one. "" for nobody known.
func AgentName(said string, env []string) string {
	agent, own := said, strings.TrimPrefix(said, "mcp/") // a server says so before the name of its client
	for f := range agentFacts() {
		switch {
		case said != "" && (f.Kind == "called" && f.Text() == own || f.Agent == own && own != agents.Any),
			said == "" && f.Kind == "mark" && f.Agent != agents.Any && slices.ContainsFunc(env, func(entry string) bool {
				value, is := strings.CutPrefix(entry, f.Text()+"=")
				return is && value != ""
			}):
			agent = f.Agent
		}
		if agent != said {
			break
		}
	}
	for f := range agentFacts() {
		if f.Kind == "called" && f.Agent == agent {
			return f.Text()
		}
	}
	return agent
}

// interpreters run a script whose name says more than theirs.
var interpreters = []string{"node", "nodejs", "bun", "deno", "python", "ruby", "perl", "java", "electron", "sh", "bash", "uv"}

// program returns the names by which a process is looked up: of its file, or where that cannot be
// read of the process.
func (p Process) program() string {
	name := strings.TrimSuffix(path.Base(p.File), " (deleted)")
	if p.File == "" {
		name = p.Name
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "."), "-wrapped") // as Nix starts programs
	return name
}

// interpreter returns the name of the interpreter without its version, "" for a program of its own.
func (p Process) interpreter() string {
	name := strings.TrimRight(p.program(), "0123456789.")
	if slices.Contains(interpreters, name) {
		return name
	}
	return ""
}

// script returns what an interpreter was told to run, a file or a module; "" for a program of its
// own.
func (p Process) script() string {
	if p.interpreter() == "" || len(p.Args) < 2 {
		return ""
	}
	for i, arg := range p.Args[1:] {
		switch {
		case arg == "-m" && i+2 < len(p.Args):
			return p.Args[i+2]
		case arg == "-c" || arg == "-e" || arg == "-p" || arg == "--eval":
			return ""
		case !strings.HasPrefix(arg, "-"):
			return arg
		}
	}
	return ""
}

// agent says which agent's program this is; "" for none.
func (p Process) agent() string {
	script := p.script()
	called := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(path.Base(script), ".js"), ".mjs"), ".py")
	for f := range agentFacts() {
		switch {
		case f.Kind == "program" && (f.Text() == p.program() || f.Text() == p.Name || script != "" && f.Text() == called),
			f.Kind == "script" && strings.Contains(script, f.Text()):
			return f.Agent
		}
	}
	return ""
}

// AgentProgram names the agent that a program is: by the file that it leads to and the words that
// it is called with, also behind the interpreter or the link by which package managers install it.
// "" is none.
func AgentProgram(file string, argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	for f := range agentFacts() {
		if f.Kind == "script" && strings.Contains(file, "/"+f.Text()) {
			return f.Agent
		}
	}
	return Process{File: file, Name: path.Base(argv[0]), Args: argv}.agent()
}

// holds says how the process shows a terminal whose other end it has.
func (p Process) holds() holding {
	name, interpreter := p.program(), p.interpreter()
	for _, row := range terminalRows() {
		switch {
		case row.part != "":
			if row.name == interpreter && slices.ContainsFunc(p.Args, func(a string) bool { return strings.Contains(a, row.part) }) {
				return row.kind
			}
		case row.name == name, p.File == "" && commName(row.name) == commName(strings.TrimSuffix(name, ":")):
			return row.kind
		}
	}
	return unknown
}

// commName is a name as the kernel keeps that of a process (15 bytes, proc_pid_comm(5)), up to what
// the process has added.
func commName(name string) string {
	name, _, _ = strings.Cut(name, ":") // "tmux: server"
	name, _, _ = strings.Cut(name, "(") // "Relay(12)"
	return name[:min(len(name), 15)]
}
