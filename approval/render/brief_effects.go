package render

import (
	"fmt"
	"slices"
	"strings"
)

// consequences shows what a plan, or one call of several, does: why it is asked about, what else it
// changes and contacts, what of it can be taken back, and what the sandbox allows besides.
func (v *view) consequences(o object, place string) {
	w := &consequences{place: place, amounts: amountsOf(o)}
	reasons, _ := o.takeList("reasons")
	for _, x := range reasons {
		w.reason(v, x)
	}
	if n := len(w.lines); n > maxReasons {
		w.lines = append(w.lines[:maxReasons:maxReasons],
			own(fmt.Sprintf("and %d more, in the details", n-maxReasons)))
		v.truncated, v.more = true, v.more+n-maxReasons
	}
	w.effects(v, o.takeObject("effects"))
	label := "effects"
	for _, line := range w.lines {
		v.line(label, line)
		label = ""
	}
	v.opaque(o, w)
	if s, ok := o.takeText("undo"); ok {
		tone := Kept
		if strings.HasPrefix(s, "cannot ") {
			tone = Lost
		}
		v.line("undo", toned(tone, v.cut(text(s), maxMessage, 0)))
	}
	v.sandbox(o)
	if len(w.advice) > 0 && !v.truncated { // else the room is for the command
		v.oneLine("advice", append(own("to the agent: "), join(w.advice...)...))
	}
}

// consequences are the lines about what happens.
type consequences struct {
	place   string            // the directory of the command
	amounts map[string]string // how much is behind a path
	lines   [][]unit
	said    []string // the messages so far: what they name needs no line
	advice  [][]unit // to the agent, with a denial
}

// reason adds what a rule says.
func (w *consequences) reason(v *view, x any) {
	m, ok := x.(map[string]any)
	if !ok {
		w.lines = append(w.lines, v.short(x))
		return
	}
	r := object(m)
	message, _ := r["message"].(string)
	if message == "" {
		message, _ = r["rule"].(string)
	}
	line := show(message, prose, nil)
	if len(line) > maxMessage {
		line = v.cut(line, maxMessage, 0)
	}
	if verdict, _ := r["verdict"].(string); verdict != "ask" {
		line = append(own(strings.ToUpper(verdict)+": "), line...)
	}
	path, _ := r["path"].(string)
	if rule, _ := r["rule"].(string); path != "" {
		family, _, _ := strings.Cut(rule, ".")
		if key := family + " " + path; slices.Contains(w.said, key) {
			return // the stricter rule of the same kind, for the same path, has said it
		} else {
			w.said = append(w.said, key)
		}
	}
	if amount := w.amounts[path]; amount != "" {
		line = append(line, own(" ("+amount+")")...)
	}
	if lost, _ := r["lost"].(bool); lost {
		line = append(line, toned(Lost, own("; cannot be undone"))...)
	}
	if !slices.ContainsFunc(w.lines, func(l []unit) bool { return textOf(l) == textOf(line) }) {
		w.lines = append(w.lines, line)
	}
	w.said = append(w.said, message, path)
	if advice, _ := r["instead"].(string); advice != "" {
		units := v.cut(show(advice, prose, nil), maxMessage, 0)
		if !slices.ContainsFunc(w.advice,
			func(l []unit) bool { return textOf(l) == textOf(units) }) {
			w.advice = append(w.advice, units)
		}
	}
}

// effectWords are the effects that have a line of their own where no reason names them.
var effectWords = []struct{ key, verb string }{
	{"delete", "deletes "}, {"write", "writes "}, {"net", "connects to "},
}

// untold are names that tell nothing: an unknown host, of which a reason speaks, and the devices
// that keep nothing.
var untold = []string{"?", "/dev/null", "/dev/tty", "/dev/stdout", "/dev/stderr"}

// maxNamed is how many names of one effect are listed. The rest is a number: the line of the
// sandbox says where it may be.
const maxNamed = 3

// effects adds what is deleted, written and contacted beside what a reason has named.
func (w *consequences) effects(v *view, effects object) {
	for _, e := range effectWords {
		list, _ := effects.takeList(e.key)
		var names [][]unit
		more := 0
		for _, x := range list {
			name, ok := x.(string)
			switch {
			case ok && (w.named(name) || slices.Contains(untold, name)):
			case len(names) == maxNamed:
				more++
			case ok:
				units := v.name(w.near(name))
				if amount := w.amounts[name]; amount != "" {
					units = append(units, own(" ("+amount+")")...)
				}
				names = append(names, units)
			default:
				names = append(names, v.short(x))
			}
		}
		if len(names) == 0 {
			continue
		}
		line := own(e.verb)
		for i, n := range names {
			if i > 0 {
				line = append(line, own(", ")...)
			}
			line = append(line, n...)
		}
		if more > 0 {
			line = append(line, own(fmt.Sprintf(" and %d more", more))...)
		}
		w.lines = append(w.lines, line)
	}
	for _, l := range []label{{"exec", "programs"}, {"read", "files read"}} {
		if list, ok := effects.takeList(l.key); ok && len(list) > 0 {
			v.leave(l.word)
		}
	}
	if parts := effects.takeRest(); len(parts) > 0 {
		w.lines = append(w.lines, append(own("also "), v.cut(join(parts...), 2*maxName, 0)...))
	}
}

// named reports whether a line so far names a path or a host: a message has it at its end.
func (w *consequences) named(name string) bool {
	return slices.ContainsFunc(w.said,
		func(s string) bool { return s == name || strings.HasSuffix(s, " "+name) })
}

// near is a path as it is written from the directory of the command.
func (w *consequences) near(name string) string {
	if rest, ok := strings.CutPrefix(name, w.place+"/"); ok && rest != "" && w.place != "" {
		return rest
	}
	return name
}

// name is a name of a list: of a long one, its end, which tells it from others.
func (v *view) name(s string) []unit {
	units := value(s, exact)
	if len(units) > maxName {
		units, _ = shorten(units, maxName/2, maxName/2, "truncated")
	}
	return units
}

// amountsOf is how much is behind the paths of a plan: "214 files, 3.1 MB".
func amountsOf(o object) map[string]string {
	amounts := map[string]string{}
	list, _ := o["targets"].([]any)
	for _, x := range list {
		t, _ := x.(map[string]any)
		path, _ := t["real"].(string)
		if amount, ok := t["amount"].(string); ok && path != "" {
			amounts[path] = Inert(amount)
		}
	}
	return amounts
}

// opaque names in one line what is not known, unless a message has named it. The policy gives a
// reason for what is not known and cannot be contained.
func (v *view) opaque(o object, w *consequences) {
	list, _ := o.takeList("opaque")
	var parts [][]unit
	seen := map[string]bool{}
	for _, x := range list {
		m, _ := x.(map[string]any)
		name, ok := m["text"].(string)
		units := show(name, exact, nil)
		if !ok {
			units = v.short(x)
		}
		if shown := textOf(units); seen[shown] || ok && (w.tells(name) || v.covers(name)) {
			continue
		} else {
			seen[shown] = true
		}
		parts = append(parts, v.cut(units, maxName, 0))
	}
	if len(list) > 0 {
		v.leave("unknown")
	}
	if len(parts) > 0 {
		v.oneLine("unknown", join(parts...))
	}
}

// covers reports whether a text is in a part of the command that is marked.
func (v *view) covers(text string) bool {
	return slices.ContainsFunc(v.marked, func(s string) bool { return strings.Contains(s, text) })
}

// tells reports whether a message has a text in it.
func (w *consequences) tells(text string) bool {
	return text != "" && slices.ContainsFunc(w.said,
		func(s string) bool { return strings.Contains(s, text) })
}

// sandbox says what the sandbox allows.
func (v *view) sandbox(o object) {
	fence, ok := o.takeText("fence")
	if reach, has := o.takeText("reach"); has {
		fence, ok = strings.TrimSuffix(reach+"; "+fence, "; "), true
	}
	if ok {
		v.oneLine("sandbox", text(fence))
	}
}

// oneLine is a line of what is not decided by, or stands elsewhere on the page: what does not fit
// is in the details.
func (v *view) oneLine(label string, units []unit) {
	room := v.width - labelWidth - 1
	if cellsIn(units) > room {
		v.leave(label)
	}
	v.line(label, fitted(units, room))
}

// leave notes that the first page does not show something.
func (v *view) leave(word string) {
	if !slices.Contains(v.left, word) {
		v.left = append(v.left, word)
	}
}
