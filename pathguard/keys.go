package pathguard

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/tada-run/tada-run/pathguard/hosts"
)

// Keys returns every key of the configuration, in the order in which it is shown.
func Keys() []Key { return slices.Clone(keys()) }

//go:embed table/keys.txt
var keysText string

// keys is the table.
var keys = sync.OnceValue(func() []Key {
	var all []Key
	forms := forms()
	for entry := range strings.SplitSeq(strings.TrimSuffix(keysText, "\n"), "\n\n") {
		if entry[0] == '#' {
			continue
		}
		lines := strings.Split(entry, "\n\t")
		k := Key{Since: first, About: lines[len(lines)-1]}
		k.Name, k.Type, _ = strings.Cut(lines[0], ": ")
		for _, line := range lines[1 : len(lines)-1] {
			switch label, text, _ := strings.Cut(line, ": "); label {
			case "values":
				k.Values = text
			case "default":
				k.Default = text
			case "example":
				k.Example = text
			}
		}
		if k.Name == "network.registries" {
			k.Values = strings.Join(hosts.Names(), ", ")
			k.Default = "[" + k.Values + "]"
		}
		if k.form = forms[k.Name]; k.limit != nil {
			k.bind()
		}
		all = append(all, k)
	}
	return all
})

// forms are those of all keys.
func forms() map[string]form {
	all := undoForms()
	maps.Copy(all, limitForms())
	maps.Copy(all, ruleForms())
	maps.Copy(all, map[string]form{
		"security.command_level": {
			choice(func(s *Settings, at int) { s.Level = Level{Always: at == 0, Never: at == 2} },
				"always", "dangerous", "never"),
			func(s Settings) any { return s.Level.String() }, nil},
		"security.restricted_paths": listForm((*decoder).path,
			func(s *Settings) *[]string { return &s.RestrictedPaths }),
		"security.readonly_paths": listForm((*decoder).path,
			func(s *Settings) *[]string { return &s.ReadOnlyPaths }),
		"security.allow_shell": boolean(true, func(s *Settings) *bool { return &s.AllowShell }),
		"security.allow_terminal_takeover": boolean(true,
			func(s *Settings) *bool { return &s.AllowTerminalTakeover }),
		"security.tamper_proof": boolean(true, func(s *Settings) *bool { return &s.TamperProof }),
		"security.protect":      listForm(nil, func(s *Settings) *[]string { return &s.Protect }),

		"network.default": {
			choice(func(s *Settings, at int) { s.Network = NetMode(at) }, netModes[:]...),
			func(s Settings) any { return s.Network.String() }, nil},
		"network.allow": {readReachable, func(s Settings) any { return list(s.NetworkAllow) }, nil},
		"network.localhost": boolean(false,
			func(s *Settings) *bool { return &s.NoLocalhost }),
		"network.registries": listForm((*decoder).registry,
			func(s *Settings) *[]string { return &s.Registries }),

		"sandbox.require": {
			choice(func(s *Settings, at int) { s.Require = Require(at) },
				Strong.String(), Base.String()),
			func(s Settings) any { return s.Require.String() }, nil},
		"environment.keep": listForm((*decoder).variable,
			func(s *Settings) *[]string { return &s.KeepEnv }),
		"tools.allow": listForm((*decoder).tool, func(s *Settings) *[]string { return &s.Tools }),

		"record.quota": {func(d *decoder, n *yaml.Node) (err error) {
			d.set.Transcripts, err = d.size(n)
			return err
		}, func(s Settings) any { return sizeText(s.TranscriptQuota()) }, nil},

		"approval.people": {whole(1, maxPeople, func(a *Approval) *int { return &a.People }),
			func(s Settings) any { return max(s.Approval.People, 1) }, nil},
		"approval.from_risk": {whole(0, 3, func(a *Approval) *int { return &a.FromRisk }),
			func(s Settings) any { return s.Approval.FromRisk }, nil},
		"approval.self": boolean(false, func(s *Settings) *bool { return &s.Approval.NotSelf }),
		"approval.origin": either("agent", "quarantined",
			func(s *Settings) *bool { return &s.Approval.Quarantined }),

		"fleet.offline": {
			choice(func(s *Settings, at int) { s.Approval.Offline = Decision(at) },
				decisionNames[:]...),
			func(s Settings) any { return s.Approval.Offline.String() }, nil},

		"notify":      {readNotify, func(s Settings) any { return list(s.Approval.Notify) }, nil},
		"plain":       boolean(true, func(s *Settings) *bool { return &s.Approval.Plain }),
		"private_tmp": boolean(true, func(s *Settings) *bool { return &s.PrivateTmp }),
		// what becomes of processes that a command leaves running
		"background": either("end", "keep",
			func(s *Settings) *bool { return &s.KeepBackground }),
		"programs": {readPrograms,
			func(s Settings) any { return noneIf(strings.TrimSuffix(s.Programs, "\n")) }, nil},
		"ai": {func(*decoder, *yaml.Node) error { return nil },
			func(Settings) any { return nil }, nil},
	})
	return all
}

func limitForms() map[string]form {
	return map[string]form{
		"limits.time":            {limit: func(l *Limits) *int64 { return (*int64)(&l.Time) }},
		"limits.cpu":             {limit: func(l *Limits) *int64 { return (*int64)(&l.CPU) }},
		"limits.memory":          {limit: func(l *Limits) *int64 { return &l.Memory }},
		"limits.processes":       {limit: func(l *Limits) *int64 { return &l.Processes }},
		"limits.inotify":         {limit: func(l *Limits) *int64 { return &l.Inotify }},
		"limits.inotify_watches": {limit: func(l *Limits) *int64 { return &l.Watches }},
		"limits.output":          {limit: func(l *Limits) *int64 { return &l.Output }},
		"limits.record":          {limit: func(l *Limits) *int64 { return &l.Record }},
		"limits.record_rate":     {limit: func(l *Limits) *int64 { return &l.RecordRate }},
		"limits.file_size":       {limit: func(l *Limits) *int64 { return &l.FileSize }},
		"limits.open_files":      {limit: func(l *Limits) *int64 { return &l.OpenFiles }},
	}
}

// ruleForms are those of the rules, and of the cases that try them.
func ruleForms() map[string]form {
	return map[string]form{
		"rules.commands": {readCommands, func(s Settings) any { return each(s.Commands) },
			nil},
		"rules.commands[].program": stringField((*decoder).programName,
			func(d *decoder) *string { return &d.commandRule.Program }),
		"rules.commands[].args": listField((*decoder).operand, func(d *decoder) *[]string {
			return &d.commandRule.Args
		}),
		"rules.commands[].flags": listField((*decoder).option, func(d *decoder) *[]string {
			return &d.commandRule.Flags
		}),
		"rules.commands[].verdict": {read: readVerdict},
		"rules.commands[].exact":   {read: readExact},
		"rules.commands[].options": listField((*decoder).option, func(d *decoder) *[]string {
			return &d.commandRule.Options
		}),
		"rules.commands[].answers": {read: readAnswers},
		"rules.commands[].message": stringField(nil, (*decoder).says),
		"rules.paths": {readPaths,
			func(s Settings) any { return pathRules(s.Paths) }, nil},
		"rules.paths[].path": stringField((*decoder).path,
			func(d *decoder) *string { return &d.pathRule.Path }),
		"rules.paths[].access":  {read: readAccess},
		"rules.paths[].verdict": {read: readVerdict},
		"rules.paths[].message": stringField(nil, (*decoder).says),
		"rules.hosts":           {readHosts, func(s Settings) any { return each(s.Hosts) }, nil},
		"rules.hosts[].host": stringField((*decoder).host,
			func(d *decoder) *string { return &d.hostRule.Host }),
		"rules.hosts[].verdict": {read: readVerdict},
		"rules.hosts[].message": stringField(nil, (*decoder).says),

		"expect": {readExpect, func(s Settings) any { return each(s.Expect) }, nil},
		"expect[].command": stringField(nil,
			func(d *decoder) *string { return &d.expected.Command }),
		"expect[].verdict": {read: readVerdict},
		"expect[].rule":    stringField(nil, func(d *decoder) *string { return &d.expected.Rule }),
		"expect[].dir": stringField((*decoder).path,
			func(d *decoder) *string { return &d.expected.Dir }),
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
