package pathguard

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Template is a configuration that says what is built in anyway, for a person to start
// from.
const Template = `# tada-run configuration. Every key is optional; what stands here is the default.
security:
  # always: every command is confirmed; dangerous: only dangerous ones; never: nobody is
  # asked, and what would ask is denied
  command_level: dangerous
  # no access at all, by analysis and by the fence
  restricted_paths: []
  # reading is fine, writing asks
  readonly_paths: []
  # false: one command of literal words, no pipes, lists, variables or patterns
  allow_shell: true
  allow_terminal_takeover: true
  tamper_proof: false
  protect: [TODO.md]

# off: only the hosts that a command line names; list: only those in allow; on: no limit.
# allow: what a command that contacts anybody may reach too: [api.example.com:443, "*.corp.example", 10.1.0.0/16]
# localhost: this machine's servers, and being one; registries: package tools reach theirs: [npm, pip, go]
network: {default: off, allow: [], localhost: true, registries: []}

# the least fence that a run accepts: base or strong
sandbox: {require: base}

# true: no command sees what another left in /tmp
private_tmp: false

# variables that a command gets although they are not known to be harmless
environment: {keep: []}  # [DATABASE_URL, MYAPP_*]

# of one run; none is set: {time: 30m, cpu: 10m, memory: 4G, processes: 500, output: 100M, file_size: 10G, open_files: 1024}
limits: {}

# who answers what is asked. people: how many different ones must say yes from from_risk on (0 to 3); self: whether
# this account may be one of them; origin: quarantined for work on text from outside, which is allowed once only
approval: {people: 1, from_risk: 3, self: true, origin: agent}

# what programs do that the built-in table does not know, in its words:
# programs: |
#   deploy: -e=_ --out=W : R*

rules:
  commands: []  # - {program: git, args: [push], flags: [--force], verdict: deny, message: not from here}
  paths: []     # - {path: ~/notes, access: [read, write], verdict: allow}
  hosts: []     # - {host: "*.example.com", verdict: allow}
`

// Describe writes the policy for a person to read: its settings, and the built-in table
// with a column for each action.
func (p Policy) Describe(out io.Writer) error {
	w := bufio.NewWriter(out)
	s := p.set
	fmt.Fprintf(w, "digest                   %s\n", p.digest)
	fmt.Fprintf(w, "command_level            %s\n", s.Level)
	fmt.Fprintf(w, "restricted_paths         %s\n", strings.Join(s.RestrictedPaths, " "))
	fmt.Fprintf(w, "readonly_paths           %s\n", strings.Join(s.ReadOnlyPaths, " "))
	fmt.Fprintf(w, "allow_shell              %v\n", s.AllowShell)
	fmt.Fprintf(w, "allow_terminal_takeover  %v\n", s.AllowTerminalTakeover)
	fmt.Fprintf(w, "tamper_proof             %v\n", s.TamperProof)
	fmt.Fprintf(w, "protect                  %s\n", strings.Join(s.Protect, " "))
	fmt.Fprintf(w, "network                  %s %s\n", s.Network, strings.Join(s.NetworkAllow, " "))
	fmt.Fprintf(w, "network.localhost        %v\n", !s.NoLocalhost)
	fmt.Fprintf(w, "network.registries       %s\n", strings.Join(s.Registries, " "))
	fmt.Fprintf(w, "sandbox.require          %s\n", s.Require)
	fmt.Fprintf(w, "private_tmp              %v\n", s.PrivateTmp)
	fmt.Fprintf(w, "environment.keep         %s\n", strings.Join(s.KeepEnv, " "))
	fmt.Fprintf(w, "limits                   %s\n", s.Limits)
	fmt.Fprintf(w, "approval                 %s\n", s.Approval)
	for _, r := range s.Commands {
		fmt.Fprintf(w, "rule for commands        %s %s %s: %s %s\n", r.Program, strings.Join(r.Args, " "), strings.Join(r.Flags, " "), r.Verdict, r.Message)
	}
	for _, r := range s.Paths {
		fmt.Fprintf(w, "rule for paths           %s: %s %s\n", r.Path, r.Verdict, r.Message)
	}
	for _, r := range s.Hosts {
		fmt.Fprintf(w, "rule for hosts           %s: %s %s\n", r.Host, r.Verdict, r.Message)
	}
	for line := range strings.Lines(s.Programs) {
		fmt.Fprintf(w, "program                  %s\n", strings.TrimSuffix(line, "\n"))
	}
	fmt.Fprintf(w, "\n%-40s", "what is built in")
	for a := range actions {
		fmt.Fprintf(w, " %-14s", a)
	}
	for _, row := range Table() {
		fmt.Fprintf(w, "\n%-40s", row.Place)
		for _, c := range row.Cells {
			fmt.Fprintf(w, " %-14s", c.Decision)
		}
	}
	fmt.Fprintln(w)
	for _, n := range p.notes {
		fmt.Fprintf(w, "note: %s\n", n)
	}
	return w.Flush()
}
