package hosts

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// registriesText has the registries that are known, the programs that ask them, and where a user
// names others. It says itself how it is read.
//
//go:embed registries.txt
var registriesText string

// A Registry is where package tools fetch from.
type Registry struct {
	Name     string
	Hosts    []string // HOST:PORT, when nothing else is configured
	Tools    []Tool
	Settings []Setting
}

// A Tool are programs and the subcommands with which they ask a registry.
type Tool struct{ Programs, Verbs []string }

// A Setting is a place that names hosts of a registry. Those that a file of the workspace names,
// such as a lock file, are shown beforehand and asked about.
type Setting struct {
	File string // as registries.txt spells it; "" for the environment
	Keys []string
	Vars map[string]string // by key, the variable by which the tool takes the same
}

// table is read when it is first asked for.
var table registries

type registries struct {
	once sync.Once
	list []Registry
}

// take reads a line of the table.
func (t *registries) take(line string) {
	words := strings.Fields(line)
	if len(words) == 0 || line[0] != '\t' && !isName(words[0]) {
		return
	}
	if line[0] != '\t' {
		t.list = append(t.list, Registry{Name: words[0], Hosts: words[1:]})
		return
	}
	g := &t.list[len(t.list)-1]
	if words[0] == "=" {
		file := strings.TrimPrefix(words[1], "env")
		s := Setting{File: file, Vars: map[string]string{}}
		for _, word := range words[2:] {
			key, variable, gives := strings.Cut(word, ">")
			if s.Keys = append(s.Keys, key); gives {
				s.Vars[key] = variable
			}
		}
		g.Settings = append(g.Settings, s)
		return
	}
	g.Tools = append(g.Tools, tool(line))
}

func tool(line string) Tool {
	programs, verbs, _ := strings.Cut(line, ":")
	return Tool{strings.Fields(programs), strings.Fields(verbs)}
}

// Registries are all that are known, in the order of their table.
func Registries() []Registry {
	table.once.Do(func() {
		for line := range strings.Lines(registriesText) {
			table.take(line)
		}
	})
	return table.list
}

// optionsWithValue are options before a subcommand, each followed by a word that is its value.
func optionsWithValue() []string { return wordsOf("options ") }

// Starters are programs that only start others.
func Starters() []string { return wordsOf("starters ") }

// Wrappers are those of Starters that start no more than their words say.
func Wrappers() []string { return wordsOf("wrappers ") }

// wordsOf are the words of the lines that begin so.
func wordsOf(begin string) (list []string) {
	for line := range strings.Lines(registriesText) {
		if rest, ok := strings.CutPrefix(line, begin); ok {
			list = append(list, strings.Fields(rest)...)
		}
	}
	return list
}

// Asked returns the registries that a command asks, which has this program and these arguments. An
// argument that is not known is "". Own says that the program is a file of the workspace.
func Asked(program string, args []string, own bool) (list []*Registry) {
	program = program[strings.LastIndexByte(program, '/')+1:]
	asks := func(t Tool) bool { return t.has(program, own) && t.does(verb(args)) }
	if !anyTool(program, asks) {
		return nil
	}
	all := Registries()
	for i := range all {
		if slices.ContainsFunc(all[i].Tools, asks) {
			list = append(list, &all[i])
		}
	}
	return list
}

// anyTool reports whether is says so of a tool that has the program. Most commands ask no registry,
// and to read the whole table takes longer than the rest of what is looked at here.
func anyTool(program string, is func(Tool) bool) bool {
	for line := range strings.Lines(registriesText) {
		if line[0] == '\t' && line[1] != '=' && strings.Contains(line, program) && is(tool(line)) {
			return true
		}
	}
	return false
}

func (t Tool) has(program string, own bool) bool {
	return !own && slices.Contains(t.Programs, program) ||
		slices.ContainsFunc(t.Programs, func(p string) bool { return p == "*/"+program })
}

func (t Tool) does(verb string) bool {
	return t.Verbs[0] == "*" || slices.Contains(t.Verbs, verb)
}

// verb is the first argument that is no option; "-" when there is none.
func verb(args []string) string {
	options := optionsWithValue()
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case slices.Contains(options, arg):
			i++
		case !strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "+"): // +TOOLCHAIN
			return arg
		}
	}
	return "-"
}

// Names are those of all registries. Each start asks for them, and few for what else the table has.
func Names() []string {
	names.once.Do(func() {
		for line := range strings.Lines(registriesText) {
			if word, _, _ := strings.Cut(line, " "); isName(word) {
				names.list = append(names.list, word)
			}
		}
		slices.Sort(names.list)
	})
	return slices.Clone(names.list)
}

var names struct {
	once sync.Once
	list []string
}

// isName reports whether the first word of a line is the name of a registry.
func isName(word string) bool {
	return 'a' <= word[0] && word[0] <= 'z' &&
		!slices.Contains([]string{"options", "starters", "wrappers"}, word)
}
