package approval

import "strings"

// A wrapper is a command that an agent's program put into a text of its own.
type wrapper struct {
	inside, command, running string
	differs                  bool // running is not the command as it stands
}

// wrapped shows the agent's own command, and behind it the text that it stands in, folded: only
// what a reason points at is shown of that, and the listing of a full page has all of it.
func (v *view) wrapped(w wrapper, spans [][2]int) {
	mine, rest := inner(w.command, w.inside, spans)
	v.command("agent's", w.inside, mine)
	v.fold("run", w.command, rest)
	if w.differs {
		v.fold("runs as", w.running, nil)
	}
}

// inner sorts the spans of a command that has the agent's own text inside: those of that text,
// moved to it, and those of the rest. A span of all of either text is in neither list, because it
// says nothing about where to look.
func inner(command, inside string, spans [][2]int) (mine, rest [][2]int) {
	at := -1
	if strings.Count(command, inside) == 1 {
		at = strings.Index(command, inside)
	}
	for _, s := range spans {
		switch {
		case at >= 0 && s[0] < s[1] && s[0] >= at && s[1] <= at+len(inside):
			mine = append(mine, [2]int{s[0] - at, s[1] - at})
		case s == [2]int{0, len(command)}, at >= 0 && strings.Trim(command[s[0]:s[1]], `'"`) == inside:
		default:
			rest = append(rest, s)
		}
	}
	return mine, rest
}

// fold shows of a text what the spans cover.
func (v *view) fold(label, text string, spans [][2]int) {
	units, hidden := shorten(danger(show(text, exact, boundaries(nil, spans)), spans), 0, 0, "folded")
	v.truncated = v.truncated || hidden > 0 && !v.full
	for i := range units {
		units[i].hard = false
	}
	v.lines = append(v.lines, wrap(units, v.width, pad(label)+" ", pad("")+" "+wrapGutter+" ")...)
}
