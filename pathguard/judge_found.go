package pathguard

import (
	"path"
	"strings"

	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// finderTests are the tests of find(1) whose pattern says what is looked for: by the last
// component, or by the whole path.
var finderTests = names{"-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename"}

// aims are the patterns of names that the find(1) which a command belongs to looks for. A test
// that is turned round, or that keeps find out of a directory, looks for something else.
func (j *judgement) aims(cmd int) []string {
	c := j.finder(cmd)
	if c == nil {
		return nil
	}
	var aims []string
	for i := 1; i+1 < len(c.Args); i++ {
		before, after := c.Args[i-1].Text, ""
		if i+2 < len(c.Args) {
			after = c.Args[i+2].Text
		}
		if finderTests.has(c.Args[i].Text) && c.Args[i+1].Static && before != "!" && before != "-not" && after != "-prune" {
			aim := c.Args[i+1].Text
			if strings.HasPrefix(c.Args[i].Text, "-i") {
				aim = strings.ToLower(aim)
			}
			aims = append(aims, aim)
		}
	}
	return aims
}

// finder is the find(1) that a command is part of: itself, or the one whose -exec starts it.
func (j *judgement) finder(cmd int) *shellparse.Command {
	for ; cmd >= 0 && cmd < len(j.script.Commands); cmd-- {
		c := &j.script.Commands[cmd]
		if path.Base(c.Name) == "find" {
			return c
		}
		if len(c.Via) == 0 {
			return nil
		}
	}
	return nil
}

// leastAim is how many characters of a pattern must stand as they are for the pattern to mean a
// name: *.s meets many a name that nobody thought of.
const leastAim = 3

// meant reports whether a pattern of find(1) was aimed at a name: at its last component, or,
// as part of a path, at that component anywhere.
func meant(aim, name string) bool {
	for part := range strings.SplitSeq(aim, "/") {
		if w, err := newWild(part); err == nil && len(part)-strings.Count(part, "*")-strings.Count(part, "?") >= leastAim && (w.match(name) || w.match(strings.ToLower(name))) {
			return true
		}
	}
	return false
}

// aimed judges what find(1) looks for below a directory, and what is then done with it: a name
// that is spelled out behind -name is as good as one on the command line.
func (j *judgement) aimed(dir string, action Action, finder, cmd int, span shellparse.Span) {
	aims := j.aims(finder)
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
		if name := instanceOf(path.Base(aim)); name != "" && j.marked(join(dir, name), markSecret) {
			j.add(Ask, "read.secret", join(dir, name), aim, span, cmd)
		}
	}
}

// instanceOf is a name that a pattern stands for: a secret is known by its name, so a pattern that
// is aimed at secrets has such a name for its shortest match (.env*), or for one with something
// in the place of the star (*.pem).
func instanceOf(pattern string) string {
	if isBare(pattern) || strings.ContainsAny(pattern, `[\`) {
		return ""
	}
	if strings.HasPrefix(pattern, "*") {
		pattern = "x" + pattern[1:]
	}
	return strings.NewReplacer("*", "", "?", "x").Replace(pattern)
}

// piped judges names that find(1) lists and another program then reads: find | xargs cat.
func (j *judgement) piped(o *shellparse.Opaque) {
	if o.Place != shellparse.InRead || !strings.Contains(o.Why, "standard input") {
		return
	}
	for k := range j.plan.Targets {
		t := &j.plan.Targets[k]
		if actionOf(t) == ToList && t.Flags&command.Recursive != 0 && t.Real != "" {
			j.aimed(t.Path(), ToRead, t.Command, o.Command, o.Span)
		}
	}
}
