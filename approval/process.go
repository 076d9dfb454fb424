package approval

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A Process is a process or one of its ancestors.
type Process struct {
	PID    int
	Name   string   // in the kernel: at most 15 bytes, which the process can choose
	File   string   // the path of its program; "" if that cannot be read
	Args   []string // the first of its arguments
	Marks  []string // variables of its environment that an agent's program sets
	Device string   // its controlling terminal; "" for none
}

// String returns the name and the number of the process.
func (p Process) String() string {
	name := p.program()
	if script := p.script(); script != "" {
		name += " " + script
	}
	return fmt.Sprintf("%.64s (process %d)", shown(name), p.PID)
}

// shown removes from a name what could move a cursor.
func shown(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, name)
}

// interpreters run a script, whose name says more than theirs.
var interpreters = []string{"node", "nodejs", "bun", "deno", "python", "ruby", "perl", "java",
	"electron", "sh", "bash", "uv"}

// program returns the names by which a process is looked up: the name of its file or, if that
// cannot be read, of the process.
func (p Process) program() string {
	name := strings.TrimSuffix(path.Base(p.File), " (deleted)")
	if p.File == "" {
		name = p.Name
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "."), "-wrapped") // as Nix starts programs
	return name
}

// interpreter returns the name of the interpreter without its version, or "" for any other program.
func (p Process) interpreter() string {
	name := strings.TrimRight(p.program(), "0123456789.")
	if slices.Contains(interpreters, name) {
		return name
	}
	return ""
}

// script returns what an interpreter runs, a file or a module; "" for any other program.
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

// agent returns the agent whose program this is, or "".
func (p Process) agent() string {
	script := p.script()
	called := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(path.Base(script), ".js"),
		".mjs"), ".py")
	for f := range agentFacts() {
		switch {
		case f.Kind == "program" && (f.Text() == p.program() || f.Text() == p.Name ||
			script != "" && f.Text() == called),
			f.Kind == "script" && strings.Contains(script, f.Text()):
			return f.Agent
		}
	}
	return ""
}

// AgentProgram returns the name of the agent that a program belongs to, or "". It looks at the file
// that the program resolves to and at its arguments, also behind the interpreter or the link by
// which package managers install it.
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

// Steers reports whether the process is an agent's, or has the terminal of a person: who talks to
// it may speak for them.
func (p Process) Steers() bool {
	return AgentProgram(p.File, p.Args) != "" || p.holds() != unknown
}

// holds returns how the process shows a terminal whose other end it has.
func (p Process) holds() holding {
	name, interpreter := p.program(), p.interpreter()
	for _, row := range terminalRows() {
		switch {
		case row.part != "":
			if row.name == interpreter &&
				slices.ContainsFunc(p.Args,
					func(a string) bool { return strings.Contains(a, row.part) }) {
				return row.kind
			}
		case row.name == name, p.File == "" &&
			commName(row.name) == commName(strings.TrimSuffix(name, ":")):
			return row.kind
		}
	}
	return unknown
}

// commName is a process name as the kernel stores it (15 bytes, proc_pid_comm(5)), without what the
// process has added to it.
func commName(name string) string {
	name, _, _ = strings.Cut(name, ":") // "tmux: server"
	name, _, _ = strings.Cut(name, "(") // "Relay(12)"
	return name[:min(len(name), 15)]
}
