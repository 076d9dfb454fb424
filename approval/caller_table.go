package approval

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// agentTable says by what an agent's program is recognised, one fact a line:
//
//	AGENT  mark NAME       a variable that it sets in the environment of what it starts
//	AGENT  program NAME    its own program, by the name of the file or of the process
//	AGENT  script PART     what an interpreter runs, by a part of the path
//	AGENT  called NAME     what it is called where it asks; the first is the one that is shown, AGENT where there is none
const agentTable = `
claude    mark     CLAUDECODE
claude    called   claude-code
claude    called   claude-ai
claude    program  claude
claude    script   @anthropic-ai/claude-code/
codex     mark     CODEX_CI
codex     called   codex
codex     called   codex-mcp-client
codex     mark     CODEX_THREAD_ID
codex     program  codex
codex     script   @openai/codex/
gemini    mark     GEMINI_CLI
gemini    called   gemini
gemini    called   gemini-cli
gemini    called   gemini-cli-mcp-client
gemini    program  gemini
gemini    script   @google/gemini-cli/
opencode  mark     OPENCODE
opencode  program  opencode
opencode  script   opencode-ai/
cursor    mark     CURSOR_AGENT
cursor    called   cursor
cursor    called   cursor-vscode
cursor    program  cursor-agent
cursor    script   cursor-agent/
qwen      mark     QWEN_CODE
qwen      called   qwen
qwen      called   qwen-code
qwen      called   qwen-cli-mcp-client
qwen      program  qwen
qwen      script   @qwen-code/qwen-code/
copilot   mark     COPILOT_CLI
copilot   mark     COPILOT_AGENT_SESSION_ID
copilot   program  copilot
copilot   called   copilot
copilot   called   copilot-cli
copilot   called   github-copilot-developer
copilot   script   @github/copilot/
aider     program  aider
aider     script   aider/__main__.py
goose     mark     GOOSE_TERMINAL
goose     program  goose
crush     mark     CRUSH
crush     program  crush
amp       program  amp
amp       script   @sourcegraph/amp/
augment   mark     AUGMENT_AGENT
augment   program  auggie
augment   script   @augmentcode/auggie/
cline     mark     CLINE_ACTIVE
cline     program  cline
cline     script   @cline/
trae      mark     TRAE_AI_SHELL_ID
trae      program  trae-cli
kilo      program  kilocode
kilo      script   @kilocode/
kiro      program  kiro-cli
droid     program  droid
kimi      program  kimi
openhands program  openhands
plandex   program  plandex
gptme     program  gptme
iflow     program  iflow
any       mark     AI_AGENT
any       mark     AGENT
`

// terminalTable says which programs hold the other end of a person's terminal, one a line:
//
//	screen NAME [PART]     shows it to a person, or carries it to where one is; with PART, when an argument has it
//	relay  NAME            has a terminal of its own, and passes on what is typed there
//	mux    NAME            shows it on the terminals of those who are attached to it
//
// Anything may call itself so: the table tells ordinary agents from ordinary people, not a program
// that lies.
const terminalTable = `
screen  gnome-terminal-server
screen  kgx
screen  ptyxis
screen  ptyxis-agent
screen  konsole
screen  yakuake
screen  dolphin
screen  kate
screen  xfce4-terminal
screen  mate-terminal
screen  lxterminal
screen  qterminal
screen  deepin-terminal
screen  io.elementary.terminal
screen  pantheon-terminal
screen  cosmic-term
screen  blackbox
screen  tilix
screen  tilda
screen  sakura
screen  terminology
screen  kitty
screen  alacritty
screen  foot
screen  wezterm-gui
screen  wezterm-mux-server
screen  ghostty
screen  rio
screen  contour
screen  warp-terminal
screen  warp
screen  tabby
screen  xterm
screen  urxvt
screen  urxvtd
screen  rxvt
screen  st
screen  mlterm
screen  eterm
screen  zutty
screen  havoc
screen  pterm
screen  cool-retro-term
screen  python  terminator
screen  python  guake
screen  python  jupyter
screen  java    com.intellij
screen  java    jetbrains
screen  idea
screen  goland
screen  pycharm
screen  webstorm
screen  clion
screen  rider
screen  phpstorm
screen  rubymine
screen  rustrover
screen  datagrip
screen  studio
screen  jetbrains_client
screen  code
screen  code-insiders
screen  code-oss
screen  codium
screen  vscodium
screen  cursor
screen  windsurf
screen  node    ptyHost
screen  node    code-server
screen  zed
screen  zed-editor
screen  zed-remote-server
screen  emacs
screen  nvim
screen  vim
screen  sshd
screen  sshd-session
screen  sshd-auth
screen  dropbear
screen  mosh-server
screen  etserver
screen  etterminal
screen  tailscaled
screen  teleport
screen  ssm-session-worker
screen  telnetd
screen  in.telnetd
screen  login
screen  agetty
screen  getty
screen  ttyd
screen  gotty
screen  shellinaboxd
screen  cockpit-bridge
screen  conmon
screen  containerd-shim
screen  containerd-shim-runc-v2
screen  flatpak-session-helper
screen  SessionLeader
screen  Relay
screen  screen
screen  zellij
screen  dtach
screen  abduco
relay   script
relay   asciinema
relay   python  asciinema
relay   ttyrec
relay   tlog-rec-session
relay   tlog-rec
relay   luit
relay   rlwrap
relay   sudo
relay   su
relay   doas
relay   run0
relay   systemd-run
relay   machinectl
mux     tmux
`

// A holding is how a program shows the terminal whose other end it holds. The zero value is a
// program that nothing is known of.
type holding int

const (
	unknown holding = iota
	onScreen
	relayed
	multiplexed
)

type fact struct{ agent, kind, text string }

type terminalRow struct {
	kind       holding
	name, part string
}

var agentFacts = sync.OnceValue(func() (facts []fact) {
	for line := range strings.Lines(agentTable) {
		if f := strings.Fields(line); len(f) == 3 {
			facts = append(facts, fact{f[0], f[1], f[2]})
		}
	}
	return facts
})

var terminalRows = sync.OnceValue(func() (rows []terminalRow) {
	kinds := map[string]holding{"screen": onScreen, "relay": relayed, "mux": multiplexed}
	for line := range strings.Lines(terminalTable) {
		if f := strings.Fields(line); len(f) > 1 {
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
	for _, f := range agentFacts() {
		if f.kind == "mark" && f.text == name {
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
	for _, f := range agentFacts() {
		switch {
		case said != "" && (f.kind == "called" && f.text == own || f.agent == own && own != "any"),
			said == "" && f.kind == "mark" && f.agent != "any" && slices.ContainsFunc(env, func(entry string) bool {
				value, is := strings.CutPrefix(entry, f.text+"=")
				return is && value != ""
			}):
			agent = f.agent
		}
		if agent != said {
			break
		}
	}
	for _, f := range agentFacts() {
		if f.kind == "called" && f.agent == agent {
			return f.text
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
	for _, f := range agentFacts() {
		switch {
		case f.kind == "program" && (f.text == p.program() || f.text == p.Name || script != "" && f.text == called),
			f.kind == "script" && strings.Contains(script, f.text):
			return f.agent
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
	for _, f := range agentFacts() {
		if f.kind == "script" && strings.Contains(file, "/"+f.text) {
			return f.agent
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
