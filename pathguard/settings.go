package pathguard

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/hosts"
	"github.com/tada-run/tada-run/shellparse/command"
)

// A Level is security.command_level. Two files may ask for different ones; then both hold.
type Level struct {
	Always bool // every command is asked for
	Never  bool // what would ask is denied
}

// String returns "dangerous", "always", "never" or "always+never".
func (l Level) String() string {
	switch {
	case l.Always && l.Never:
		return "always+never"
	case l.Always:
		return "always"
	case l.Never:
		return "never"
	}
	return "dangerous"
}

// A NetMode is network.default, loosest last. The zero value is the tightest.
type NetMode int

// String returns "list", "off" or "on".
func (m NetMode) String() string { return netModes[min(max(m, 0), NetOn)] }

// The modes of the network.
const (
	NetList NetMode = iota // only the hosts in network.allow pass without a question
	NetOff                 // the sandbox has no network, except for a plan that names its hosts
	NetOn                  // the sandbox does not cut the network
)

var netModes = [...]string{"list", "off", "on"}

// A Require is sandbox.require: the weakest sandbox that a run accepts. The zero value is the
// stronger one.
type Require int

// String returns "strong" or "base".
func (r Require) String() string {
	if r == Base {
		return "base"
	}
	return "strong"
}

// The levels of the sandbox, strongest first.
const (
	Strong Require = iota
	Base
)

// A PathRule is an entry of rules.paths.
type PathRule struct {
	Path    string // absolute, or **/ and a name at any depth; "~" is expanded
	Rights  []command.Right
	Verdict Decision
	Message string
}

// A CommandRule is an entry of rules.commands. It is compared with the parsed words of a command,
// never with its text.
type CommandRule struct {
	// base name, or an absolute path
	Program string `json:"program" yaml:"program"`
	// the first words that are no options, in order
	Args []string `json:"args,omitempty" yaml:"args,omitempty"`
	// any of these options
	Flags   []string `json:"flags,omitempty" yaml:"flags,omitempty"`
	Verdict Decision `json:"verdict" yaml:"verdict"`
	// the command has exactly these words, of which "*" is any plain name, and no options but these
	Exact   bool     `json:"exact,omitempty" yaml:"exact,omitempty"`
	Options []string `json:"options,omitempty" yaml:"options,omitempty"`
	// the questions that it answers, if it allows; nil for all but the worst
	Answers []string `json:"answers,omitempty" yaml:"answers,omitempty"`
	Message string   `json:"message,omitempty" yaml:"message,omitempty"`
}

// A HostRule is an entry of rules.hosts.
type HostRule struct {
	// a name, or *.name for everything below it
	Host    string   `json:"host" yaml:"host"`
	Verdict Decision `json:"verdict" yaml:"verdict"`
	Message string   `json:"message,omitempty" yaml:"message,omitempty"`
}

// A Case is an entry of expect: what the configuration is to say about a command line.
type Case struct {
	Command string   `json:"command" yaml:"command"`
	Verdict Decision `json:"verdict" yaml:"verdict"`
	// a rule that has this verdict; "" for any
	Rule string `json:"rule,omitempty" yaml:"rule,omitempty"`
	// where it is judged; "" for an empty workspace
	Dir string `json:"dir,omitempty" yaml:"dir,omitempty"`
}

// Rules are what a configuration says about programs, files and hosts.
type Rules struct {
	Commands []CommandRule
	Paths    []PathRule
	Hosts    []HostRule
	Expect   []Case // what it is to say about command lines; it decides nothing
}

// Settings are the values of a policy as its files say them.
type Settings struct {
	Level                 Level
	RestrictedPaths       []string
	ReadOnlyPaths         []string
	AllowShell            bool
	AllowTerminalTakeover bool
	TamperProof           bool
	Protect               []string
	Network               NetMode
	NetworkAllow          []string
	// what a command that contacts any host may contact: only the first file adds to it
	NetworkReach []string
	Registries   []string // package registries that their tools may contact
	NoLocalhost  bool     // servers on this machine are off limits
	Require      Require
	PrivateTmp   bool
	// processes that a command leaves running live until the caller of the command has ended
	KeepBackground bool
	Rules
	Programs string // entries of the command table, in its own words
	// variables that reach the command although they would be removed
	KeepEnv []string
	Tools   []string // tools of agents that are not known and need no approval
	Limits  Limits   // of all files
	// what of them the first file does not set: others can only lower
	Lowered  Limits
	Approval Approval
	Keeping
}

// Keeping is what is kept of runs, by the first file.
type Keeping struct {
	Undo        Undo  // see UndoInForce
	Transcripts int64 // bytes that they may take; see TranscriptQuota
}

// defaults are the values of an empty configuration: row by row those of the source
// document, and for the rest what "balanced" means.
func defaults() Settings {
	return Settings{AllowShell: true, AllowTerminalTakeover: true, Protect: []string{"TODO.md"},
		Network: NetOff, Registries: hosts.Names(), Require: Base, Approval: Approval{FromRisk: 3, Offline: Allow}}
}

// knows reports whether the configuration names a tool, byte for byte.
func (s Settings) knows(tool string) bool {
	return slices.ContainsFunc(s.Tools, func(name string) bool {
		prefix, open := strings.CutSuffix(name, "*")
		return name == tool || open && strings.HasPrefix(tool, prefix)
	})
}

// defaultQuota is some ten million runs of a few lines, or some thousand long sessions.
const defaultQuota = 4 << 30

// TranscriptQuota is how many bytes transcripts may take together.
func (s Settings) TranscriptQuota() int64 { return cmp.Or(s.Transcripts, defaultQuota) }

// UndoInForce is what is kept of runs, with the defaults.
func (s Settings) UndoInForce() Undo { return s.Undo.inForce() }

// LimitsOf returns what limits a run on a machine with these defaults; zero is no limit. What only
// a file says that cannot loosen is never above the default.
func (s Settings) LimitsOf(machine Limits) Limits {
	l := s.Limits
	for i, v := range l.fields() {
		at := *machine.fields()[i]
		if *v == 0 || *s.Lowered.fields()[i] != 0 && at > 0 && at < *v {
			*v = at
		}
		if *v == Unlimited {
			*v = 0
		}
	}
	return l
}
