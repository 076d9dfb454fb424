package pathguard

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// An Account is whose policy it is: what "~" means, who must own the files, and where
// tada-run keeps its state.
type Account struct {
	Home     string // by the passwd entry
	EnvHome  string // $HOME; where it differs, "~" means both, which can only tighten
	UID      int
	StateDir string // where it is kept now; Home/.tada is out of reach in any case
}

// A Level is security.command_level. Two files may ask for different ones; then both hold.
type Level struct {
	Always bool // every command is asked for
	Never  bool // nobody is ever asked: what would ask is denied
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

// The modes of the network.
const (
	NetList NetMode = iota // only the hosts in network.allow pass without a question
	NetOff                 // the fence has no network, except for a plan that names its hosts
	NetOn                  // the fence does not cut the network
)

var netModes = [...]string{"list", "off", "on"}

// String returns "list", "off" or "on".
func (m NetMode) String() string { return netModes[min(max(m, 0), NetOn)] }

// A Require is sandbox.require: the least fence that a run accepts. The zero value is the
// stronger one.
type Require int

// The levels of the fence, strongest first.
const (
	Strong Require = iota
	Base
)

// String returns "strong" or "base".
func (r Require) String() string {
	if r == Base {
		return "base"
	}
	return "strong"
}

// A PathRule is an entry of rules.paths.
type PathRule struct {
	Path    string // absolute, or **/ and a name at any depth; "~" is expanded
	Rights  []command.Right
	Verdict Decision
	Message string
}

// A CommandRule is an entry of rules.commands. It is held against the parsed words of a
// command, never against its text.
type CommandRule struct {
	Program string   // base name, or an absolute path
	Args    []string // the first words that are no options, in order
	Flags   []string // any of these options
	Verdict Decision
	Message string
}

// A HostRule is an entry of rules.hosts.
type HostRule struct {
	Host    string // a name, or *.name for everything below it
	Verdict Decision
	Message string
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
	NetworkReach          []string // what of it whoever contacts anybody may contact: no file but the first adds to it
	Registries            []string // package registries that their tools may contact
	NoLocalhost           bool     // servers on this machine are off limits
	Require               Require
	PrivateTmp            bool
	KeepBackground        bool // what a command leaves running goes on, until who asked for the command has ended
	Commands              []CommandRule
	Paths                 []PathRule
	Hosts                 []HostRule
	Programs              string   // entries of the command table, in its own words
	KeepEnv               []string // variables that reach the command although they would be removed
	Tools                 []string // tools of agents that are not known and need no approval
	Limits                Limits   // of all files
	Lowered               Limits   // what of them the first file does not set: others can only lower
	Approval              Approval
}

// defaults are the values of an empty configuration: row by row those of the source
// document, and for the rest what "balanced" means.
func defaults() Settings {
	return Settings{AllowShell: true, AllowTerminalTakeover: true, Protect: []string{"TODO.md"}, Network: NetOff, Require: Base, Approval: Approval{FromRisk: 3}}
}

// A Policy says what may happen. It does not change after it was made; copies share it.
// The zero Policy denies everything.
type Policy struct {
	account  Account
	set      Settings
	tree     *tree
	commands map[string][]CommandRule // by base name
	hosts    map[string][]HostRule    // by name, without "*."
	homes    []string                 // what "~" means, real paths too
	reals    []string                 // of those, the real paths alone
	states   []string
	programs command.Table
	notes    []string
	sources  map[string][]Source // by key; in no digest: where a rule is written does not decide
	digest   string
}

// Default returns the built-in policy, "balanced".
func Default(a Account) Policy {
	p, _ := compile(a, defaults(), nil) // the built-in names are constants: a test compiles them
	return p
}

// Settings returns a copy of the values that the policy was made from.
func (p Policy) Settings() Settings { return p.set }

// Notes returns what the files said in vain: an allow in a file that can only tighten.
func (p Policy) Notes() []string { return slices.Clone(p.notes) }

// Digest names the policy: SHA-256, in hex, over its settings, its account and the
// built-in tables. A plan that was approved under one digest does not run under another.
func (p Policy) Digest() string { return p.digest }

// compile puts the settings into the form that Judge asks.
func compile(a Account, s Settings, notes []string) (Policy, error) {
	p := Policy{account: a, set: s, notes: notes, commands: map[string][]CommandRule{}, hosts: map[string][]HostRule{}}
	b := builder{p: &p, tree: &tree{known: true, ids: map[ID][]mark{}}, disk: openDisk()}
	defer b.disk.close()
	b.homes()
	b.tree.homes = p.homes
	b.settings(s)
	if b.err != nil {
		return Policy{}, b.err
	}
	p.tree = b.tree
	p.programs = p.programs.Keeping()
	if s.Programs != "" {
		var err error
		if p.programs, err = command.Parse(s.Programs); err != nil {
			return Policy{}, fmt.Errorf("programs: %w", err)
		}
		p.programs = p.programs.Keeping()
	}
	p.digest = digest(a, s)
	return p, nil
}

type builder struct {
	p    *Policy
	tree *tree
	disk *disk
	err  error
}

func (b *builder) homes() {
	a := b.p.account
	for _, home := range []string{a.Home, a.EnvHome} {
		if !strings.HasPrefix(home, "/") || home == "/" {
			continue
		}
		real, _, _ := b.disk.realOf(home)
		if !slices.Contains(b.p.reals, real) {
			b.p.reals = append(b.p.reals, real)
		}
		for _, h := range []string{strings.TrimRight(home, "/"), real} {
			if !slices.Contains(b.p.homes, h) {
				b.p.homes = append(b.p.homes, h)
			}
		}
	}
	// The account's own state too, whichever one is in use: a command that may write there would
	// choose the policy of the next one.
	states := []string{"/etc/tada"}
	for _, home := range append([]string{strings.TrimRight(a.Home, "/")}, b.p.homes...) {
		if dir := home + "/.tada"; a.Home != "" && !slices.Contains(states, dir) {
			states = append(states, dir)
		}
	}
	if a.StateDir != "" && !slices.Contains(states, a.StateDir) {
		states = append(states, a.StateDir)
	}
	for _, dir := range states {
		b.put(dir, mark{kind: markState})
	}
}

func (b *builder) settings(s Settings) {
	for _, path := range s.RestrictedPaths {
		if b.err == nil && strings.Trim(path, "/*") == "" {
			b.err = fmt.Errorf("security.restricted_paths: %q covers every file, and no command could start; name the folders to keep out of reach", path)
		}
		b.put(path, mark{kind: markRestricted})
	}
	for _, path := range s.ReadOnlyPaths {
		b.put(path, mark{kind: markReadOnly})
	}
	for i := range s.Paths {
		b.put(s.Paths[i].Path, mark{kind: markRule, rule: &s.Paths[i]})
	}
	for _, c := range s.Commands {
		name := c.Program[strings.LastIndexByte(c.Program, '/')+1:]
		b.p.commands[name] = append(b.p.commands[name], c)
	}
	for _, h := range s.Hosts {
		name := strings.TrimPrefix(h.Host, "*.")
		b.p.hosts[name] = append(b.p.hosts[name], h)
	}
}

// put adds one rule under every path that it means. What the configuration names is
// resolved too, and remembered by its inode, so that neither a link nor a second name of
// the same file is a way around it.
func (b *builder) put(path string, m mark) {
	m.path = path
	for _, full := range expandHome(path, b.p.homes) {
		b.add(full, m)
		if strings.ContainsAny(full, "*?[") {
			continue
		}
		real, id, exists := b.disk.realOf(full)
		if real != full {
			b.add(real, m)
		}
		if exists && real != "/" {
			b.tree.ids[id] = append(b.tree.ids[id], m)
		}
		if m.kind == markState {
			b.p.states = append(b.p.states, real)
		}
	}
}

func (b *builder) add(path string, m mark) {
	if err := b.tree.add(path, m); err != nil && b.err == nil {
		b.err = fmt.Errorf("pattern %q: %w", m.path, err)
	}
}

// expandHome returns the paths that a rule means.
func expandHome(path string, homes []string) []string {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || rest != "" && rest[0] != '/' {
		return []string{path}
	}
	full := make([]string, 0, len(homes))
	for _, home := range homes {
		full = append(full, home+rest)
	}
	return full
}

// digest names what decides: the settings, the account, and everything built in.
func digest(a Account, s Settings) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%q %q %q\n%#v\n", builtin, a.Home, a.EnvHome, a.StateDir, s)
	return hex.EncodeToString(h.Sum(nil))
}

// builtin is the digest of the built-in tables. They change with the program only, so a
// test computes it and every start saves the work.
const builtin = "e729fd89461be2896c1560aff7a5448272dfce330917486da43394c1f9d2d2a9"

// builtinDigest computes what builtin has to be.
func builtinDigest() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %v %q\n", secretNames(), publicNames(), startupNames, laterNames, cacheTable)
	fmt.Fprintf(h, "%q %q %q %q %v\n", toolDirs, systemDirs, tempDirs, harmlessDevices, balanced)
	fmt.Fprintf(h, "%v %v %v %v\n", regenerable, regenerableEndings, deniedHazards, opaqueCells)
	fmt.Fprintf(h, "%v %v %v %v %v\n", perhapsRegenerable, append(builders, venvMakers...), harmlessLangs, sayings, decoders)
	fmt.Fprintf(h, "%v %v %v %v\n", killers, finders, vague, absentHere)
	fmt.Fprintf(h, "%v %v %v %q\n", registries, fetchers, ports, neededNames)
	return hex.EncodeToString(h.Sum(nil))
}
