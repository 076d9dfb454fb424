package render

import (
	"fmt"
	"slices"
	"strings"
)

// consequences shows what a plan, or one call of several, does: why it is asked about, what else it
// changes and contacts, what of it can be taken back, and what the sandbox allows besides.
func (v *view) consequences(o object, place string) {
	w := &consequences{place: place, targets: targetsOf(o)}
	reasons, _ := o.takeList("reasons")
	for _, x := range reasons {
		w.reason(v, x)
	}
	most := maxReasons
	if v.cutting {
		most--
	}
	if n := len(w.lines) - most; n > 0 {
		w.lines = append(w.lines[:most:most],
			&effect{text: own(fmt.Sprintf("and %d more, in the details", n))})
		v.truncated, v.more = true, v.more+n
	}
	w.effects(v, o.takeObject("effects"))
	label := "effects"
	for _, line := range w.lines {
		v.line(label, line.units())
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
	if s, ok := o.takeText("reach"); ok {
		if s == "no network" {
			s = "none"
		}
		v.oneLine("network", text(strings.TrimPrefix(s, "network: ")))
	}
	if s, ok := o.takeText("fence"); ok {
		v.oneLine("sandbox", text(s))
	}
	if len(w.advice) > 0 {
		v.advice = append(v.advice, w.advice...)
	}
}

// consequences are the lines about what happens.
type consequences struct {
	place   string            // the directory of the command
	targets map[string]target // by path
	lines   []*effect
	said    []string // the messages so far: what they name needs no line
	advice  [][]unit // to the agent, with a denial
}

// An effect is one line: something that happens, to names that are alike in that.
type effect struct {
	text  []unit
	names [][]unit
	more  int // names that are not listed
	lost  bool
}

func (e *effect) units() []unit {
	out := e.text
	for i, n := range e.names {
		if i > 0 {
			out = append(out, own(", ")...)
		}
		out = append(out, n...)
	}
	if e.more > 0 {
		out = append(out, own(fmt.Sprintf(" and %d more", e.more))...)
	}
	if e.lost {
		out = append(out, toned(Lost, own("; cannot be undone"))...)
	}
	return out
}

// reason adds what a rule says.
func (w *consequences) reason(v *view, x any) {
	m, ok := x.(map[string]any)
	if !ok {
		w.add(&effect{text: v.short(x)})
		return
	}
	r := object(m)
	message, _ := r["message"].(string)
	if message == "" {
		message, _ = r["rule"].(string)
	}
	path, _ := r["path"].(string)
	rule, _ := r["rule"].(string)
	if w.repeats(rule, path) {
		return
	}
	e := &effect{}
	e.lost, _ = r["lost"].(bool)
	before, named := strings.CutSuffix(message, " "+path)
	if named = named && path != ""; !named {
		before = message
	}
	e.text = v.cut(show(before, prose, nil), maxMessage, 0)
	if verdict, _ := r["verdict"].(string); verdict != "ask" {
		e.text = append(own(strings.ToUpper(verdict)+": "), e.text...)
	}
	if named {
		name := v.cut(text(path), maxMessage, 0)
		if strings.HasPrefix(message, "deletes ") {
			name = append(name, w.targets[path].units()...)
		}
		e.text, e.names = append(e.text, own(" ")...), [][]unit{name}
	}
	w.add(e)
	w.said = append(w.said, message, path)
	w.advise(v, r)
}

// repeats reports whether a stricter rule of the same kind has named the path, and notes that this
// one does.
func (w *consequences) repeats(rule, path string) bool {
	if path == "" {
		return false
	}
	family, _, _ := strings.Cut(rule, ".")
	key := family + " " + path
	if slices.Contains(w.said, key) {
		return true
	}
	w.said = append(w.said, key)
	return false
}

// add adds a line, or its names to a line that says the same.
func (w *consequences) add(e *effect) {
	for _, l := range w.lines {
		if textOf(l.text) != textOf(e.text) || l.lost != e.lost {
			continue
		}
		for _, n := range e.names {
			if !has(l.names, n) {
				l.names = append(l.names, n)
			}
		}
		return
	}
	w.lines = append(w.lines, e)
}

// has reports whether a text is in a list.
func has(list [][]unit, one []unit) bool {
	return slices.ContainsFunc(list, func(l []unit) bool { return textOf(l) == textOf(one) })
}

func (w *consequences) advise(v *view, r object) {
	advice, _ := r["instead"].(string)
	units := v.cut(show(advice, prose, nil), maxMessage, 0)
	if advice != "" && !has(w.advice, units) {
		w.advice = append(w.advice, units)
	}
}

// effectWords are the effects that have a line of their own where no reason names them.
var effectWords = []label{{"delete", "deletes "}, {"write", "writes "}, {"net", "connects to "}}

// untold are names that tell nothing: an unknown host, of which a reason speaks, and the devices
// that keep nothing.
var untold = []string{"?", "/dev/null", "/dev/tty", "/dev/stdout", "/dev/stderr"}

// maxNamed is how many names of one effect are listed. The rest is a number: the line of the
// sandbox says where it may be.
const maxNamed = 3

// effects adds what is deleted, written and contacted beside what a reason has named, and where
// something is sent, what is read.
func (w *consequences) effects(v *view, effects object) {
	words := effectWords
	if slices.ContainsFunc(w.said, func(s string) bool { return strings.HasPrefix(s, "sends ") }) {
		words = append(words[:len(words):len(words)], label{"read", "reads "})
	}
	for _, e := range words {
		list, _ := effects.takeList(e.key)
		for _, x := range list {
			name, ok := x.(string)
			switch {
			case !ok:
				w.name(e.word, v.short(x))
			case w.named(name), slices.Contains(untold, name):
			case e.key == "write" && w.targets[name].made:
				w.name("creates ", v.name(w.near(name)))
			case e.key == "delete":
				w.name(e.word, append(v.name(w.near(name)), w.targets[name].units()...))
			default:
				w.name(e.word, v.name(w.near(name)))
			}
		}
	}
	for _, l := range []label{{"exec", "programs"}, {"read", "files read"}} {
		if list, ok := effects.takeList(l.key); ok && len(list) > 0 {
			v.leave(l.word)
		}
	}
	if parts := effects.takeRest(); len(parts) > 0 {
		w.add(&effect{text: append(own("also "), v.cut(join(parts...), 2*maxName, 0)...)})
	}
}

// name adds a name to the line of an effect.
func (w *consequences) name(word string, name []unit) {
	for _, l := range w.lines {
		if textOf(l.text) == word && !l.lost {
			if len(l.names) < maxNamed {
				l.names = append(l.names, name)
			} else {
				l.more++
			}
			return
		}
	}
	w.lines = append(w.lines, &effect{text: own(word), names: [][]unit{name}})
}

// named reports whether a line so far names a path or a host: a message has it at its end.
func (w *consequences) named(name string) bool {
	host, _, _ := strings.Cut(name, ":")
	return slices.ContainsFunc(w.said, func(s string) bool {
		return s == name || strings.HasSuffix(s, " "+name) ||
			host != "" && strings.HasSuffix(s, " to "+host)
	})
}

// near is a path as it is written from the directory of the command.
func (w *consequences) near(name string) string {
	if rest, ok := strings.CutPrefix(name, w.place+"/"); ok && rest != "" && w.place != "" {
		return rest
	}
	return name
}

// name is a name of a list: of a long one, its beginning and its end, which tell it from others.
func (v *view) name(s string) []unit {
	units := value(s, exact)
	if len(units) > maxName {
		units, _ = shorten(units, maxName/2, maxName/2, "truncated")
	}
	return units
}

// A target is what a plan says of a path that it changes.
type target struct {
	amount string // of what is deleted: "214 files, 3.1 MB"
	made   bool   // it does not exist yet
}

func (t target) units() []unit {
	if t.amount == "" {
		return nil
	}
	return own(" (" + t.amount + ")")
}

func targetsOf(o object) map[string]target {
	targets := map[string]target{}
	list, _ := o["targets"].([]any)
	for _, x := range list {
		m, _ := x.(map[string]any)
		path, _ := m["real"].(string)
		amount, _ := m["amount"].(string)
		made, _ := m["new"].(bool)
		if path != "" && (amount != "" || made) {
			targets[path] = target{Inert(amount), made}
		}
	}
	return targets
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
