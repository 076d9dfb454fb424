package pathguard

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// finderTests are the tests of find(1) whose pattern says what is looked for: by the last
// component, or by the whole path.
var finderTests = []string{"-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename",
	"-regex", "-iregex"}

// finderPrograms list names of which their words say how they look. Those without a test take
// the pattern as an operand, and it may be any part of the name.
var finderPrograms = []string{"find", "fd", "fdfind", "locate", "plocate", "mlocate"}

// aims are the patterns of names that a command such as find(1) searches for. A test that is
// negated, or that keeps find out of a directory, searches for something else.
func aims(c *shellparse.Command) []string {
	var aims []string
	tests := path.Base(c.Name) == "find"
	for i := 1; i < len(c.Args); i++ {
		word := c.Args[i]
		test := c.Args[i-1].Text
		switch {
		case !word.Static || strings.HasPrefix(word.Text, "-"):
		case !tests:
			aim := without(strings.Trim(word.Text, "^$"), `\`)
			if strings.HasPrefix(aim, ".") { // any name with this ending
				aims = append(aims, "*"+aim)
			}
			aims = append(aims, aim)
		case i > 1 && slices.Contains(finderTests, test) && c.Args[i-2].Text != "!" &&
			c.Args[i-2].Text != "-not" && (i+1 == len(c.Args) || c.Args[i+1].Text != "-prune"):
			aim := word.Text
			if strings.HasSuffix(test, "regex") {
				aim = without(strings.ReplaceAll(aim, ".*", "*"), `\`)
			}
			if strings.HasPrefix(test, "-i") {
				aim = strings.ToLower(aim)
			}
			aims = append(aims, aim)
		}
	}
	return aims
}

// selectors pass on some of the names that they read.
var selectors = []string{"grep", "head", "shuf", "sort", "tail", "uniq"}

// finder is the find(1) that a command is part of: itself, or the one whose -exec starts it, or
// that gives its names to the xargs which does.
func (j *judgement) finder(cmd int) *shellparse.Command {
	fed := false
	for ; cmd >= 0 && cmd < len(j.script.Commands); cmd-- {
		c := &j.script.Commands[cmd]
		program := path.Base(c.Name)
		switch {
		case slices.Contains(finderPrograms, program):
			return c
		case program == "xargs":
			fed = true
		case len(c.Via) == 0 && !(fed && slices.Contains(selectors, program)):
			return nil
		}
	}
	return nil
}

// findersOf are the commands that may have found what a command takes: the one that it is part of,
// or any in front of it, whose names a loop or a word hands on.
func (j *judgement) findersOf(cmd int) []int {
	if j.finder(cmd) != nil {
		return []int{cmd}
	}
	var all []int
	for i := range min(max(cmd, 0), len(j.script.Commands)) {
		if j.finder(i) == &j.script.Commands[i] {
			all = append(all, i)
		}
	}
	return all
}

// leastAim is how many literal characters a pattern needs to aim at a name: *.s matches many names
// that were not meant.
const leastAim = 3

// meant reports whether a pattern of find(1) was aimed at a name: at its last component, or,
// as part of a path, at that component anywhere.
func meant(aim, name string) bool {
	for part := range strings.SplitSeq(aim, "/") {
		if w, err := pathname.Compile(part); err == nil &&
			len(part)-strings.Count(part, "*")-strings.Count(part, "?") >= leastAim &&
			(w.Match(name) || w.Match(strings.ToLower(name))) {
			return true
		}
	}
	return false
}

// aimed judges what find(1) looks for below a directory, and what is then done with it: a name
// that is spelled out behind -name is as good as one on the command line.
func (j *judgement) aimed(dir string, action Action, finder, cmd int, span shellparse.Span) {
	c := j.finder(finder)
	if c == nil {
		return
	}
	aims := aims(c)
	if len(aims) == 0 {
		return
	}
	j.p.tree.fixed.each("", dir, func(full string, m mark) {
		if m.kind != markRestricted && m.kind != markState {
			return
		}
		for _, aim := range aims {
			if meant(aim, path.Base(full)) {
				j.add(Deny, denials[m.kind], full, "", span, cmd)
				return
			}
		}
	})
	if action != ToRead && action != ToExecute {
		return
	}
	for _, aim := range aims {
		if name := instanceOf(path.Base(aim)); name != "" &&
			j.marked(pathname.Join(dir, name), markSecret) {
			j.add(Ask, "read.secret", pathname.Join(dir, name), aim, span, cmd)
		}
	}
}

// searched judges what grep and rg read below a directory, if options aim them at secrets.
func (j *judgement) searched(dir string, cmd int, span shellparse.Span) {
	if !j.by(cmd, "grep", "rg", "ag", "ack", "ugrep") {
		return
	}
	args := j.script.Commands[cmd].Args
	for i, w := range args {
		option, aim, ok := strings.Cut(w.Text, "=")
		if !ok && i > 0 {
			option, aim = args[i-1].Text, w.Text
		}
		if option != "--include" && option != "--glob" && option != "-g" && option != "--iglob" {
			continue
		}
		if name := instanceOf(path.Base(aim)); name != "" && aim[0] != '!' &&
			j.marked(pathname.Join(dir, name), markSecret) {
			j.add(Ask, "read.secret", pathname.Join(dir, name), aim, span, cmd)
		}
	}
}

// instanceOf is a name that a pattern matches: a secret is known by its name, so a pattern that is
// aimed at secrets has such a name for its shortest match (.env*), or for a match with something in
// place of the star (*.pem).
func instanceOf(pattern string) string {
	if pathname.IsBare(pattern) || strings.ContainsAny(pattern, `[\`) {
		return ""
	}
	if strings.HasPrefix(pattern, "*") {
		pattern = "x" + pattern[1:]
	}
	return strings.ReplaceAll(without(pattern, "*"), "?", "x")
}

// piped judges names that one command finds and another reads, whether through xargs, through a
// loop that reads them, or as the output in a word. It is not certain that both are the same names;
// a line that searches for a restricted name and then reads unnamed files is reported.
func (j *judgement) piped(o *shellparse.Opaque) {
	if o.Place != shellparse.InRead {
		return
	}
	for i := range j.script.Commands {
		c := &j.script.Commands[i]
		if strings.HasSuffix(path.Base(c.Name), "locate") && i != o.Command && j.finder(i) == c {
			j.aimed("/", ToRead, i, o.Command, o.Span)
		}
	}
	for k := range j.plan.Targets {
		t := &j.plan.Targets[k]
		if actionOf(t) == ToList && t.Flags&command.Recursive != 0 && t.Real != "" &&
			t.Command != o.Command {
			j.aimed(t.Path(), ToRead, t.Command, o.Command, o.Span)
		}
	}
}
