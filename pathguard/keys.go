package pathguard

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/tada-run/tada-run/pathguard/hosts"
)

// Keys returns every key of the configuration, in the order in which it is shown.
func Keys() []Key { return slices.Clone(keys()) }

// keys is the table. The order is that of the pages made from it.
var keys = sync.OnceValue(keyTable)

func keyTable() []Key {
	return []Key{
		{"security.command_level", "word", "always, dangerous, never", "dangerous",
			"Which commands need an approval. always: every command. dangerous: those that the built-in table or a rule asks about. never: none; what would ask is denied.",
			first, "always", readLevel, func(s Settings) any { return s.Level.String() }},
		{"security.restricted_paths", "list of paths", "", "[]",
			"Commands cannot read, write or list these paths or anything below them.",
			first, "[~/.aws, /srv/secret]",
			paths(func(s *Settings) *[]string { return &s.RestrictedPaths }),
			func(s Settings) any { return list(s.RestrictedPaths) }},
		{"security.readonly_paths", "list of paths", "", "[]",
			"Commands may read these paths. Writing them asks.",
			first, "[~/.ssh, ~/.gnupg]",
			paths(func(s *Settings) *[]string { return &s.ReadOnlyPaths }),
			func(s Settings) any { return list(s.ReadOnlyPaths) }},
		{"security.allow_shell", "boolean", "", "true",
			"If false, a command line must be one command of literal words: no pipes, lists, variables, redirections or patterns.",
			first, "false", boolean(func(s *Settings) *bool { return &s.AllowShell }),
			func(s Settings) any { return s.AllowShell }},
		{"security.allow_terminal_takeover", "boolean", "", "true",
			"Whether you may take the keyboard of a running session (tadactl attach --take).",
			first, "false", boolean(func(s *Settings) *bool { return &s.AllowTerminalTakeover }),
			func(s Settings) any { return s.AllowTerminalTakeover }},
		{"security.tamper_proof", "boolean", "", "false",
			"If true, nothing runs after a protected file was changed from outside until you accept or restore it. If false, the change is reported, archived and accepted. Changes of tada-run's configuration and of hook settings always wait for you.",
			first, "true", boolean(func(s *Settings) *bool { return &s.TamperProof }),
			func(s Settings) any { return s.TamperProof }},
		{"security.protect", "list of file names or patterns", "", "[TODO.md]",
			"The files of a workspace that are protected against changes from outside. tada-run's own configuration always is.",
			first, `[TODO.md, "notes/*.md"]`,
			wordList(func(s *Settings) *[]string { return &s.Protect }),
			func(s Settings) any { return list(s.Protect) }},

		{"network.default", "word", "off, list, on", "off",
			"Which hosts a command may connect to. off: those that its command line names. list: only those in network.allow. on: all.",
			first, "list", readNetMode, func(s Settings) any { return s.Network.String() }},
		{"network.allow", "list of hosts",
			"NAME, *.NAME, ADDRESS or ADDRESS/BITS, each with :PORT or without", "[]",
			"Hosts that a command may connect to even if its command line does not name them, if it uses the network at all.",
			first, `["api.example.com:443", "*.corp.example", 10.1.0.0/16]`, readReachable,
			func(s Settings) any { return list(s.NetworkAllow) }},
		{"network.localhost", "boolean", "", "true",
			"Whether a command may connect to servers on this machine, and start servers here.",
			first, "false", readLocalhost, func(s Settings) any { return !s.NoLocalhost }},
		{"network.registries", "list of words", strings.Join(hosts.Names(), ", "), "[]",
			"Package tools that may connect to their package registries.",
			first, "[npm, pip, go]", readRegistries,
			func(s Settings) any { return list(s.Registries) }},

		{"sandbox.require", "word", "base, strong", "base",
			"The weakest sandbox that a command may run in. strong needs user namespaces; where they are not available, nothing runs.",
			first, "strong", readRequire, func(s Settings) any { return s.Require.String() }},

		{"environment.keep", "list of names of variables", "NAME, or PREFIX*", "[]",
			"Environment variables to pass to commands although they are not known to be harmless. Others of that kind are removed.",
			first, `[DATABASE_URL, "MYAPP_*"]`, readKeep,
			func(s Settings) any { return list(s.KeepEnv) }},

		{"tools.allow", "list of names of tools", "NAME, or PREFIX*", "[]",
			"Tools of an agent that tada-run does not know and that a hook lets pass without approval. Commands and files among their arguments are checked all the same.",
			first, `[WebFetch, "mcp__github__*"]`, readTools,
			func(s Settings) any { return list(s.Tools) }},

		limitKey("time", "duration", "none",
			"How long a command may run. After that it is ended, with exit status 124.", "30m",
			func(l *Limits) *int64 { return (*int64)(&l.Time) }),
		limitKey("cpu", "duration", "none",
			"How much processor time all processes of a command may use together.", "10m",
			func(l *Limits) *int64 { return (*int64)(&l.CPU) }),
		limitKey("memory", "size", "auto",
			"How much memory all processes of a command may use together. A command that uses more is ended. auto is three quarters of the machine's memory, or of what the container has.", "4G", func(l *Limits) *int64 { return &l.Memory }),
		limitKey("processes", "number", "auto",
			"How many processes and threads a command may have at a time. A command that starts more is ended. auto is 4096, or 256 per processor if that is more.", "500", func(l *Limits) *int64 { return &l.Processes }),
		limitKey("inotify", "number", "auto",
			"How many inotify instances a command may have. At level strong the kernel refuses more; at base the command is ended. auto is half of what the account may have.", "32", func(l *Limits) *int64 { return &l.Inotify }),
		limitKey("inotify_watches", "number", "auto",
			"How many inotify watches a command may have, at level strong. auto is half of what the account may have.", "8192", func(l *Limits) *int64 { return &l.Watches }),
		limitKey("output", "size", "none",
			"How much a command may print. A command that prints more is ended.", "100M",
			func(l *Limits) *int64 { return &l.Output }),
		limitKey("record", "size", "256M",
			"How much of a command's output is recorded. The rest is passed on, and the transcript has only its length and hash.", "1G", func(l *Limits) *int64 { return &l.Record }),
		limitKey("record_rate", "size", "4M",
			"How much of a command's output is recorded per second, after a first burst of 16 times as much. The rest is passed on, and the transcript has only its length and hash.", "16M", func(l *Limits) *int64 { return &l.RecordRate }),
		limitKey("file_size", "size", "none",
			"How large a file may become that a command writes.", "10G",
			func(l *Limits) *int64 { return &l.FileSize }),
		limitKey("open_files", "number", "none",
			"How many files each process of a command may have open.", "1024",
			func(l *Limits) *int64 { return &l.OpenFiles }),

		{"approval.people", "number", "1 to 16", "1",
			"How many different people must approve a command of approval.from_risk or above.",
			first, "2", whole(1, maxPeople, func(a *Approval) *int { return &a.People }),
			func(s Settings) any { return max(s.Approval.People, 1) }},
		{"approval.from_risk", "number", "0 to 3", "3",
			"The risk from which approval.people and approval.self apply. Below it one approval is enough.",
			first, "2", whole(0, 3, func(a *Approval) *int { return &a.FromRisk }),
			func(s Settings) any { return s.Approval.FromRisk }},
		{"approval.self", "boolean", "", "true",
			"Whether the account that the command runs as counts as one of these people.",
			first, "false", readSelf, func(s Settings) any { return !s.Approval.NotSelf }},
		{"approval.origin", "word", "agent, quarantined", "agent",
			"quarantined: the work comes from untrusted text, so an approval is good for one run only.",
			first, "quarantined", readOrigin, func(s Settings) any { return s.Approval.origin() }},

		{"rules.commands", "list of rules", "", "[]",
			"Rules about programs. A rule that allows overrides a built-in question and nothing else.",
			first, "[{program: git, args: [push], flags: [--force], verdict: deny, message: not from here}]", readCommands, func(s Settings) any { return commandRules(s.Commands) }},
		{"rules.commands[].program", "word", "NAME or /PATH", "",
			"The program. Required.",
			first, "git", stringField(func(d *decoder) *string { return &d.commandRule.Program },
				nil), nil},
		{"rules.commands[].args", "list of words", "", "",
			"The first words after the program that are not options, in this order. If omitted: any.",
			first, "[push]", listField(func(d *decoder) *[]string { return &d.commandRule.Args }),
			nil},
		{"rules.commands[].flags", "list of words", "", "",
			"The rule applies if any of these options is given. If omitted: with any options.",
			first, "[--force, -f]", listField(func(d *decoder) *[]string { return &d.commandRule.Flags }), nil},
		{"rules.commands[].verdict", "word", verdicts, "",
			"The verdict on such a command. Required.",
			first, "deny", readVerdict, nil},
		{"rules.commands[].message", "text", "", "",
			"The reason, shown to you and the agent.",
			first, "use the release script",
			stringField(func(d *decoder) *string { return &d.message }, nil), nil},
		{"rules.paths", "list of rules", "", "[]",
			"Rules about files, matched after symlinks are resolved.",
			first, "[{path: ~/notes, access: [read, write], verdict: allow}]", readPaths,
			func(s Settings) any { return pathRules(s.Paths) }},
		{"rules.paths[].path", "path",
			"/PATH, ~/PATH, **/NAME; in a workspace's file also relative", "",
			"The file or directory, with everything below it. Patterns (* ? []) are allowed. Required.",
			first, "~/notes", stringField(func(d *decoder) *string { return &d.pathRule.Path },
				(*decoder).path), nil},
		{"rules.paths[].access", "list of words", "read, write, delete, execute", "",
			"The kinds of access. If omitted: all.",
			first, "[read, write]", readAccess, nil},
		{"rules.paths[].verdict", "word", verdicts, "",
			"The verdict on such access. Required.",
			first, "ask", readVerdict, nil},
		{"rules.paths[].message", "text", "", "",
			"The reason, shown to you and the agent.",
			first, "edit the source",
			stringField(func(d *decoder) *string { return &d.message }, nil), nil},
		{"rules.hosts", "list of rules", "", "[]",
			"Rules about the hosts that a command line names.",
			first, `[{host: "*.example.com", verdict: allow}]`, readHosts,
			func(s Settings) any { return hostRules(s.Hosts) }},
		{"rules.hosts[].host", "host", "NAME or *.NAME", "",
			"The host, or every host below a name. Required.",
			first, `"*.example.com"`,
			stringField(func(d *decoder) *string { return &d.hostRule.Host }, (*decoder).host),
			nil},
		{"rules.hosts[].verdict", "word", verdicts, "",
			"The verdict on a command that connects to it. Required.",
			first, "deny", readVerdict, nil},
		{"rules.hosts[].message", "text", "", "",
			"The reason, shown to you and the agent.",
			first, "use the mirror",
			stringField(func(d *decoder) *string { return &d.message }, nil), nil},

		{"private_tmp", "boolean", "", "false",
			"If true, each command has its own empty /tmp, /var/tmp and /dev/shm, which are deleted when it ends.",
			first, "true", boolean(func(s *Settings) *bool { return &s.PrivateTmp }),
			func(s Settings) any { return s.PrivateTmp }},
		{"background", "word", "end, keep", "end",
			"What becomes of processes that a command leaves running. end: they end with it. keep: they go on in the sandbox of the command until the agent that ran it has ended, or the session that it was run from; tadactl sessions lists them, and tadactl kill ends them. keep holds for commands that needed no approval and have no terminal. Through MCP, with --background and with --intent they always end; in a session (tada-run --session) they always go on until its end.",
			first, "keep", readBackground, func(s Settings) any { return s.background() }},
		{"programs", "text", "entries of the command table", "none",
			"Describes the arguments of programs that tada-run does not know, in the format of the command table. Has no effect in a file that can only tighten.",
			first, `"deploy: -e=_ --out=W : R*"`, readPrograms,
			func(s Settings) any { return noneIf(strings.TrimSuffix(s.Programs, "\n")) }},
		{"ai", "mapping", "", "none",
			"Ignored: a section for another program that shares the file.",
			first, "{provider: glm}", func(*decoder, *yaml.Node) error { return nil },
			func(Settings) any { return nil }},
	}
}

// LimitText is a limit as the configuration has it: "processes: 4096".
func LimitText(key string, value int64) string {
	for _, k := range keys() {
		if k.Name == "limits."+key {
			return fmt.Sprintf("%s: %v", key, limitText(k.Type, value))
		}
	}
	return ""
}
