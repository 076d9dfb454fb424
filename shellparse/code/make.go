package code

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// Unknown replaces text that only make knows in a shell line of a Fact.
const Unknown = "${__unknown}"

// maxMakeValue is how long a variable may become line by line. Each += copies what there is:
// without a bound a text of them would take the square of its length.
const maxMakeValue = 8 << 10

// A makefile is what is read of one: its variables and rules as far as they are literal.
// See the manual of GNU make, "Writing Makefiles".
type makefile struct {
	vars   map[string]string
	rules  []makeRule
	facts  []Fact
	opaque bool
	maybe  bool     // inside a conditional
	one    bool     // .ONESHELL: a recipe is one script
	all    bool     // which rules run is not certain
	given  []string // variables of the command line, which no line of the text changes
	// the facts reported now may not apply: a value that is not used, a rule that may not be wanted
	unsure bool
	chosen bool // .DEFAULT_GOAL says which rule is the first
	at     int  // where the line begins that is read
	spent  *budget
	depth  int
}

type makeRule struct {
	targets, needs []string
	recipe         []recipeLine
	maybe          bool // it may not be wanted
}

// A recipeLine is one logical line, and where it begins.
type recipeLine struct {
	text string
	at   int
}

// Make is Scan of a makefile, where words are those of make's own command line: goals, without
// which it is the first rule that is made, and NAME=VALUE. A shell line may hold Unknown. It starts
// where its line of the recipe does, and is one shell's own unless it holds several lines.
func Make(text string, words []string) (facts []Fact, opaque bool) {
	if len(text) > maxText || !Reads("make") {
		return nil, true
	}
	return scanMake(text, words, newBudget(len(text)))
}

// scanMake reports the programs that make starts while it reads the text, and the recipes of the
// goals and of everything that they need.
func scanMake(text string, words []string, spent *budget) ([]Fact, bool) {
	m := &makefile{spent: spent, vars: map[string]string{"CC": "cc", "CXX": "g++", "CPP": "cc -E",
		"AR": "ar", "LD": "ld", "AS": "as", "RM": "rm -f", "MAKE": "make", "SHELL": "/bin/sh"}}
	var goals []string
	for _, word := range words {
		name, val, set := strings.Cut(word, "=")
		switch name = strings.TrimRight(name, ":?+!"); {
		case strings.HasPrefix(word, "-"):
			// -e: the environment decides
			m.opaque = m.opaque || strings.Contains(word, "e") && !strings.HasPrefix(word, "--")
		case set:
			m.vars[name], m.given = val, append(m.given, name)
		default:
			goals = append(goals, word)
		}
	}
	m.read(text)
	for _, r := range m.wanted(goals) {
		m.run(r)
	}
	return m.facts, m.opaque
}

// read goes over the lines once. Both branches of a conditional are read.
func (m *makefile) read(text string) {
	var rule *makeRule
	for at := 0; at < len(text); {
		start := at
		line, n := logicalLine(text[at:])
		m.at, at = start, at+n
		if rule != nil && strings.HasPrefix(line, "\t") {
			rule.recipe = append(rule.recipe, recipeLine{strings.ReplaceAll(line[1:], "\n\t", "\n"),
				start})
			continue
		}
		line = strings.ReplaceAll(strings.ReplaceAll(line, "\\\n", " "), "\t", " ")
		if line = strings.TrimSpace(withoutComment(line)); line == "" {
			continue
		}
		first, rest, _ := strings.Cut(line, " ")
		switch first {
		case "define": // a body of several lines, which $(call ...) or a recipe uses
			m.opaque = true
			rule = nil
		case "include", "-include", "sinclude":
			m.include(m.expand(rest, nil))
		case "load", "-load", "vpath", "endef":
			m.opaque = m.opaque || first != "vpath"
		case "ifeq", "ifneq", "ifdef", "ifndef", "else", "endif":
			m.expand(rest, nil)
			m.maybe = first != "endif"
		default:
			for _, word := range []string{"export ", "override ", "private ", "unexport "} {
				line = strings.TrimPrefix(line, word)
			}
			if !m.assignment(line) {
				rule = m.rule(line)
			}
		}
	}
}

// logicalLine returns a line with those that continue it, and how long they are with the
// newline.
func logicalLine(text string) (line string, size int) {
	for {
		i := strings.IndexByte(text[size:], '\n')
		if i < 0 {
			return text, len(text)
		}
		size += i + 1
		if end := text[:size-1]; !strings.HasSuffix(end, `\`) || strings.HasSuffix(end, `\\`) {
			return end, size
		}
	}
}

// withoutComment cuts a line at its first # that no backslash precedes.
func withoutComment(line string) string {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || line[i-1] != '\\') {
			return line[:i]
		}
	}
	return line
}

func (m *makefile) include(names string) {
	for _, name := range strings.Fields(names) {
		if strings.Contains(name, "$") {
			m.opaque = true
			continue
		}
		m.facts = append(m.facts, Fact{Right: command.Read, Flags: command.Source, Text: name,
			Start: m.at, End: m.at})
	}
}

// assignment reads NAME = VALUE with any of the operators, and reports whether line is one.
func (m *makefile) assignment(line string) bool {
	eq := strings.IndexByte(line, '=')
	if eq <= 0 {
		return false
	}
	end := eq
	for end > 0 && strings.IndexByte(":?+!", line[end-1]) >= 0 {
		end--
	}
	name, op, val := strings.TrimSpace(line[:end]), line[end:eq], strings.TrimSpace(line[eq+1:])
	if i := strings.IndexByte(name, ':'); i >= 0 { // a variable of one target
		name = strings.TrimSpace(name[i+1:])
		if strings.ContainsAny(name, " \t") {
			return false
		}
		op = "+" + op
	}
	if name == "" || strings.ContainsAny(name, " \t;\"'") {
		return false
	}
	// else it is expanded where it is asked for, if it is
	m.unsure = op != ":" && op != "::" && op != "!"
	now := m.expand(val, nil)
	m.unsure = false
	old, had := m.vars[name]
	switch {
	case slices.Contains(m.given, name):
		return true
	case op == "!":
		m.shell(now)
		val = Unknown
	case strings.HasPrefix(op, "+") && len(old)+len(val) > maxMakeValue:
		val = Unknown
	case strings.HasPrefix(op, "+"):
		val = strings.TrimSpace(old + " " + val)
	case op == "?" && had && old != val, (m.maybe || len(m.rules) > 0) && had && old != val:
		val = Unknown // the environment or another line may decide
	}
	m.vars[name] = val
	switch {
	case name == ".DEFAULT_GOAL":
		m.all, m.chosen = true, true
	case name == ".SHELLFLAGS", name == ".RECIPEPREFIX", name == "MAKEFLAGS" &&
		strings.Contains(val, "eval"), strings.Contains(name, "$"):
		m.opaque = true
	case name == "SHELL":
		m.opaque = m.opaque || !slices.Contains([]string{"/bin/sh", "/bin/bash", "/usr/bin/bash",
			"bash", "sh", "/usr/bin/env bash"}, now)
	}
	return true
}

// rule reads TARGETS: NEEDS ; RECIPE.
func (m *makefile) rule(line string) *makeRule {
	line, recipe, has := strings.Cut(line, ";")
	line = m.expand(line, nil)
	targets, needs, ok := strings.Cut(line, ":")
	if !ok {
		m.opaque = m.opaque || strings.TrimSpace(line) != "" // text that only make knows
		return nil
	}
	needs = strings.ReplaceAll(strings.TrimPrefix(needs, ":"), "|", " ")
	m.all = m.all || strings.Contains(needs, "$") // of those that only make knows
	r := makeRule{targets: strings.Fields(targets), needs: strings.Fields(needs)}
	if has {
		r.recipe = append(r.recipe, recipeLine{strings.TrimSpace(recipe), m.at})
	}
	m.one = m.one || slices.Contains(r.targets, ".ONESHELL")
	m.rules = append(m.rules, r)
	return &m.rules[len(m.rules)-1]
}

// wanted are the rules that goals need; all of them where that is not certain.
func (m *makefile) wanted(goals []string) []makeRule {
	named := len(goals) > 0
	if !named {
		for _, r := range m.rules {
			if len(r.targets) > 0 && r.targets[0][0] != '.' && !strings.Contains(r.targets[0],
				"%") {
				goals = r.targets[:1]
				break
			}
		}
	}
	for i := range m.rules {
		m.rules[i].maybe = true
	}
	done := map[string]bool{}
	var out []int
	taken := make([]bool, len(m.rules))
	for queue := slices.Clone(goals); len(queue) > 0; queue = queue[1:] {
		goal := queue[0]
		if done[goal] {
			continue
		}
		done[goal] = true
		found := false
		for i, r := range m.rules {
			pattern := slices.ContainsFunc(r.targets,
				func(t string) bool { return strings.ContainsAny(t, "%$") })
			sure := slices.Contains(r.targets, goal)
			if !sure && !pattern {
				continue
			}
			found = true
			m.rules[i].maybe = m.rules[i].maybe && !sure || m.chosen && !named
			if !taken[i] {
				taken[i] = true
				out, queue = append(out, i), append(queue, r.needs...)
			}
		}
		m.all = m.all || !found && slices.Contains(goals, goal)
		if !m.spent.take(len(m.rules)) {
			m.all = true
			break
		}
	}
	if m.all {
		return m.rules
	}
	rules := make([]makeRule, len(out))
	for i, at := range out {
		rules[i] = m.rules[at]
	}
	return rules
}

// run makes a shell line of each line of a recipe.
func (m *makefile) run(r makeRule) {
	lines := r.recipe
	if m.one && len(lines) > 1 {
		var all []string
		for _, line := range lines {
			all = append(all, line.text)
		}
		lines = []recipeLine{{strings.Join(all, "\n"), lines[0].at}}
	}
	m.unsure = r.maybe
	for _, line := range lines {
		m.at = line.at
		m.shell(m.expand(strings.TrimLeft(line.text, "@-+ \t"), &r))
	}
	m.unsure = false
}

func (m *makefile) shell(line string) {
	if line = strings.TrimSpace(line); line != "" {
		m.facts = append(m.facts, Fact{Right: command.Exec, Shell: line, Maybe: m.unsure,
			Start: m.at, End: m.at})
	}
}

// expand replaces references to variables and calls of functions. What is not known becomes
// Unknown; a name that has no value is left to the environment, as make does.
func (m *makefile) expand(text string, r *makeRule) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '$')
		if i < 0 || i+1 == len(text) {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		text = text[i+1:]
		ref, size := text[:1], 1
		if ref == "(" || ref == "{" {
			end := bracketEnd(text)
			if end < 0 {
				m.opaque = true
				return b.String()
			}
			ref, size = text[1:end], end+1
		}
		text = text[size:]
		if !m.spent.take(b.Len()) || m.depth > maxNesting {
			m.opaque = true
			return b.String() + Unknown
		}
		m.depth++
		b.WriteString(m.reference(ref, r))
		m.depth--
	}
}

// bracketEnd is where the bracket closes that text begins with.
func bracketEnd(text string) int {
	open, end, level := text[0], byte(')'), 0
	if open == '{' {
		end = '}'
	}
	for i := range len(text) {
		switch text[i] {
		case open:
			level++
		case end:
			if level--; level == 0 {
				return i
			}
		}
	}
	return -1
}

// reference is the value of $(ref).
func (m *makefile) reference(ref string, r *makeRule) string {
	if ref == "$" {
		return "$"
	}
	if name, args, isCall := strings.Cut(ref, " "); isCall {
		return m.function(name, args, r)
	}
	if val, ok := r.automatic(ref); ok {
		return val
	}
	if val, ok := m.vars[ref]; ok {
		return m.expand(val, r)
	}
	if strings.ContainsAny(ref, ":$%@<^?*+|/.-") {
		m.expand(ref, r)
		return Unknown
	}
	return "${" + ref + "}"
}

// function is $(name args). It reports what the arguments start, and little about the value.
func (m *makefile) function(name, args string, r *makeRule) string {
	val := m.expand(args, r)
	switch name {
	case "shell":
		m.shell(val)
	case "wildcard", "strip", "sort":
		return val
	case "info", "warning", "error":
		return ""
	case "eval", "call", "foreach", "file", "guile", "load":
		m.opaque = true
	}
	return Unknown
}

// automatic is $@, $< or $^ in the recipe of a rule.
func (r *makeRule) automatic(ref string) (string, bool) {
	if r == nil || len(ref) != 1 || strings.IndexByte("@<^+*?%|", ref[0]) < 0 {
		return "", false
	}
	if len(r.targets) != 1 || strings.Contains(r.targets[0], "%") {
		return Unknown, true
	}
	switch {
	case ref == "@":
		return r.targets[0], true
	case ref == "<" && len(r.needs) > 0:
		return r.needs[0], true
	case ref == "^" || ref == "+":
		return strings.Join(r.needs, " "), true
	}
	return Unknown, true
}
