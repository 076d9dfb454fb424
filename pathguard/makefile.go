package pathguard

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse"
)

// maxRecipes bounds the rules that are followed from one target to the next.
const maxRecipes = 64

// A makefile is what can be read in one without being make(1): rules of plain names with
// their recipes, and variables that are given a value once. A recipe keeps what is not known
// as an unknown value of the shell, so that what it certainly does is seen all the same.
type makefile struct {
	rules map[string]*makeRule
	first string
	vars  map[string]string
	given map[string]int // how often a variable is given a value
}

type makeRule struct {
	needs  []string
	recipe []string
	lines  []int
}

// makeReadings returns the recipes that a command of make would run.
func makeReadings(text string, c *shellparse.Command) []reading {
	m := readMakefile(text)
	var goals []string
	for i, w := range c.Args {
		switch {
		case i == 0 || strings.HasPrefix(w.Text, "-"):
		case i > 1 && makeValue(c.Args[i-1].Text, w.Text):
		case !w.Static:
			return nil
		case strings.Contains(w.Text, "="):
			name, value, _ := strings.Cut(w.Text, "=")
			m.vars[name], m.given[name] = value, 1
		default:
			goals = append(goals, w.Text)
		}
	}
	if len(goals) == 0 {
		goals = []string{m.first}
	}
	var out []reading
	done := map[string]bool{}
	for len(goals) > 0 && len(done) < maxRecipes {
		name := goals[0]
		goals = goals[1:]
		rule := m.rules[name]
		if rule == nil || done[name] {
			continue
		}
		done[name] = true
		goals = append(goals, rule.needs...)
		if len(rule.recipe) > 0 {
			rd := reading{lang: "sh", name: "sh"}
			rd.text, rd.lines = m.script(name, rule)
			out = append(out, rd)
		}
	}
	return out
}

// makeValues are the options of make(1) whose value is a word of its own; that of the last four
// may be missing, and is a number.
var makeValues = names{"-f", "--file", "--makefile", "-C", "--directory", "-I", "--include-dir", "-o", "--old-file", "--assume-old", "-W", "--what-if",
	"--new-file", "--assume-new", "-E", "--eval", "-j", "--jobs", "-l", "--load-average"}

// makeValue reports whether a word is the value of the option in front of it.
func makeValue(option, word string) bool {
	at := slices.Index(makeValues, option)
	return at >= 0 && (at < len(makeValues)-4 || strings.Trim(word, "0123456789.") == "")
}

func isMake(program string) bool { return program == "make" || program == "gmake" }

// makeDir is the directory that a command of make works in: each -C starts where the one before
// it led.
func makeDir(c *shellparse.Command) string {
	dir := c.Dir
	for i := 1; i < len(c.Args); i++ {
		value, ok := strings.CutPrefix(c.Args[i].Text, "--directory=")
		if !ok {
			value, ok = strings.CutPrefix(c.Args[i].Text, "-C")
		}
		if (c.Args[i].Text == "-C" || c.Args[i].Text == "--directory") && i+1 < len(c.Args) {
			value, ok = c.Args[i+1].Text, true
		}
		switch {
		case !ok:
		case strings.HasPrefix(value, "/"):
			dir = value
		default:
			dir = join(dir, value)
		}
	}
	return dir
}

// readMakefile takes the rules and variables out of the text. Conditionals, includes and
// definitions of several lines are passed over; what they would change is unknown then.
func readMakefile(text string) *makefile {
	m := &makefile{rules: map[string]*makeRule{}, vars: map[string]string{}, given: map[string]int{}}
	var open []*makeRule
	number, define := 0, false
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSuffix(line, "\n")
		switch word, _, _ := strings.Cut(strings.TrimSpace(line), " "); {
		case define:
			define = word != "endef"
		case strings.HasPrefix(line, "\t"):
			for _, r := range open {
				r.recipe, r.lines = append(r.recipe, line[1:]), append(r.lines, number)
			}
		case word == "" || word[0] == '#' || word == "ifeq" || word == "ifneq" || word == "ifdef" || word == "ifndef" || word == "else" || word == "endif" || word == "include" || word == "-include":
		case word == "define":
			define, open = true, nil
		default:
			open = m.line(line)
		}
	}
	return m
}

// line reads an assignment, or the head of a rule, whose recipe follows then.
func (m *makefile) line(line string) []*makeRule {
	eq, colon := strings.IndexByte(line, '='), strings.IndexByte(line, ':')
	if eq > 0 && (colon < 0 || eq < colon || eq == colon+1 || strings.HasPrefix(line[colon:], "::=")) {
		name := strings.TrimSpace(strings.TrimRight(line[:eq], ":?+! "))
		name = strings.TrimPrefix(name, "export ")
		m.given[name]++
		if strings.ContainsAny(line[eq-1:eq], "+!") || strings.HasSuffix(line, `\`) {
			m.given[name]++
		}
		value, _, _ := strings.Cut(line[eq+1:], " #")
		m.vars[name] = strings.TrimSpace(value)
		return nil
	}
	if colon <= 0 {
		return nil
	}
	heads, rest := strings.Fields(line[:colon]), strings.TrimLeft(line[colon:], ":")
	needs, recipe, inline := strings.Cut(rest, ";")
	var open []*makeRule
	for _, name := range heads {
		if strings.ContainsAny(name, "%$") {
			continue
		}
		r := m.rules[name]
		if r == nil {
			r = &makeRule{}
			m.rules[name] = r
		}
		if m.first == "" && name[0] != '.' {
			m.first = name
		}
		for _, need := range strings.Fields(needs) {
			if !strings.ContainsAny(need, "%$=|") {
				r.needs = append(r.needs, need)
			}
		}
		if inline {
			r.recipe, r.lines = append(r.recipe, recipe), append(r.lines, 0)
		}
		open = append(open, r)
	}
	return open
}

// script is a recipe as the shell gets it, and the line of the file for each of its lines.
// Every line is a shell of its own, so that a "cd" in it ends with it, unless it goes on.
func (m *makefile) script(name string, r *makeRule) (string, []int) {
	var b strings.Builder
	var lines []int
	put := func(text string, line int) {
		b.WriteString(text + "\n")
		lines = append(lines, line)
	}
	going := false
	for i, line := range r.recipe {
		if !going {
			line = strings.TrimLeft(line, " \t@-+")
			if line == "" || line[0] == '#' {
				continue
			}
			line = "(" + line
		}
		put(m.expand(name, line, 0), r.lines[i])
		if going = strings.HasSuffix(line, `\`); !going {
			put(")", r.lines[i]) // on a line of its own, for there may be a comment before it
		}
	}
	if going {
		put(")", 0)
	}
	return b.String(), lines
}

// makeVars are values that make(1) has without being told.
var makeVars = map[string]string{"MAKE": "make", "RM": "rm -f"}

// unknownMake is what stands for a value that only make knows.
const unknownMake = "${tada_make}"

// expand replaces the references of make(1): $$ is the shell's own, a variable with one plain
// value is that, everything else is unknown.
func (m *makefile) expand(target, text string, depth int) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '$' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		name := text[i : i+1]
		switch text[i] {
		case '$':
			b.WriteByte('$')
			continue
		case '@':
			b.WriteString(target)
			continue
		case '(', '{':
			end := closing(text[i:])
			if end < 0 {
				return b.String() + unknownMake
			}
			name = text[i+1 : i+end]
			i += end
		}
		value, ok := m.vars[name]
		if m.given[name] == 0 {
			value, ok = makeVars[name]
		}
		if !ok || m.given[name] > 1 || depth > 4 {
			b.WriteString(unknownMake)
			continue
		}
		b.WriteString(m.expand(target, value, depth+1))
	}
	return b.String()
}

// closing finds the bracket that closes the one at the start of text, -1 for none.
func closing(text string) int {
	open, shut, depth := text[0], byte(')'), 0
	if open == '{' {
		shut = '}'
	}
	for i := range len(text) {
		switch text[i] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
