package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// consequences shows what a plan, or one call of several, does: why it is asked about, what else it
// changes and contacts, what of it can be taken back, and what the sandbox allows besides.
func (v *view) consequences(o object, place string) {
	w := &consequences{place: place, targets: targetsOf(o), at: map[string]*effect{},
		told: map[string]bool{}}
	most := maxReasons
	if v.cutting {
		most--
	}
	w.reach, _ = o["reach"].(string)
	reasons, _ := o.takeList("reasons")
	for _, x := range reasons {
		w.reason(v, x, most)
	}
	if w.hidden > 0 {
		w.lines = append(w.lines,
			&effect{text: own(fmt.Sprintf("and %d more, in the details", w.hidden))})
		v.truncated, v.more = true, v.more+w.hidden
	}
	w.effects(v, o.takeObject("effects"))
	label := "effects"
	for _, line := range w.lines {
		v.line(label, line.units())
		label = ""
	}
	v.opaque(o)
	if s, ok := o.takeText("undo"); ok {
		tone := Lost
		if strings.HasPrefix(s, "yes") {
			tone = Kept
		}
		v.line("undo", toned(tone, v.cut(text(s), maxMessage, 0)))
	}
	if s, ok := o.takeText("reach"); ok {
		if s == "no network" {
			s = "none"
		}
		if units := text(strings.TrimPrefix(s, "network: ")); v.cutting {
			v.oneLine("network", units)
		} else {
			v.line("network", units)
		}
	}
	if s, ok := o.takeText("fence"); ok {
		v.oneLine("sandbox", text(s))
	}
}

// consequences are the lines about what happens.
type consequences struct {
	place   string            // the directory of the command
	targets map[string]target // by path
	lines   []*effect
	at      map[string]*effect // the lines by their text, those that are not shown too
	told    map[string]bool    // rules, and kind and name of what a reason has named
	hidden  int                // lines that are not shown
	sends   bool               // a reason says that something is sent
	reach   string             // what the line of the network says
}

// An effect is one line: something that happens, to names that are alike in that.
type effect struct {
	text  []unit
	names [][]unit
	has   map[string]bool
	more  int    // names that are not listed
	lost  bool   // it cannot be undone
	why   string // that, in other words
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
		out = append(out, toned(Lost, own("; "+cmp.Or(e.why, "cannot be undone")))...)
	}
	return out
}

// line is the line with a text; a new one only if there is room for it.
func (w *consequences) line(text []unit, lost bool, most int) *effect {
	key := fmt.Sprint(lost, textOf(text))
	if e := w.at[key]; e != nil {
		return e
	}
	e := &effect{text: text, lost: lost, has: map[string]bool{}}
	w.at[key] = e
	if len(w.lines) >= most {
		w.hidden++
		return e
	}
	w.lines = append(w.lines, e)
	return e
}

// add lists a name, once. It counts the name and returns false if the line has as many as it may.
func (e *effect) add(name []unit, most int) bool {
	key := textOf(name)
	switch {
	case e.has[key]:
	case len(e.names) < most:
		e.has[key] = true
		e.names = append(e.names, name)
	default:
		e.more++
		return false
	}
	return true
}

// reason adds what a rule says.
func (w *consequences) reason(v *view, x any, most int) {
	m, ok := x.(map[string]any)
	if !ok {
		w.line(v.short(x), false, most)
		return
	}
	r := object(m)
	message, _ := r["message"].(string)
	rule, _ := r["rule"].(string)
	if message == "" {
		message = rule
	}
	path, _ := r["path"].(string)
	kind, _, _ := strings.Cut(rule, ".")
	if repeats(rule) && w.told[kind+" "+path] || w.told[saidBy(rule)] {
		return // another rule has said it
	}
	before, named := message, false
	if path != "" {
		before, named = strings.CutSuffix(message, " "+path)
	}
	if i := strings.LastIndex(message, including); i >= 0 && ofTrees(rule) {
		before, path, named = message[:i+len(including)-1], message[i+len(including):], true
	}
	style := exact // names of others are in it
	if strings.HasPrefix(rule, "rule.") {
		style = prose // the person's own words, from the configuration
	}
	text := v.cut(show(before, style, nil), maxMessage, 0)
	if verdict, _ := r["verdict"].(string); verdict != "ask" {
		text = append(own(strings.ToUpper(verdict)+": "), text...)
	}
	if named {
		text = append(text, own(" ")...)
	}
	lost, _ := r["lost"].(bool)
	e := w.line(text, lost, most)
	if kind == "read" || rule == "path.sweep" {
		e.why = "the agent may see it"
	}
	if named {
		name := v.cut(delimited(path), maxMessage, 0)
		if kind == "delete" {
			name = append(name, w.targets[path].units()...)
		}
		if !e.add(name, maxListed) {
			v.truncated = true
		}
	}
	w.told[kind+" "+path], w.told[rule] = true, true
	if _, to, ok := strings.Cut(message, " to "); ok && rule == "net.upload" {
		host, _, _ := strings.Cut(to, "/") // of a repository
		w.told["net "+host], w.sends = true, true
	}
	v.advise(r)
}

// saidBy is the rule that says what a rule about something unknown says, and comes first; "" for
// none.
func saidBy(rule string) string {
	switch rule {
	case "opaque.delete":
		return "delete.unknown"
	case "opaque.code":
		return "code.unknown"
	}
	return ""
}

// including stands before what a tree has inside, in the messages of the rules of trees: a tree is
// told of once, with all of it.
const including = ", including "

func ofTrees(rule string) bool { return rule == "path.sweep" || rule == "path.reach" }

// repeats reports whether a rule says of a path what another rule of its kind has said.
func repeats(rule string) bool { return rule == "delete.tree" || rule == "delete.pattern" }

// advise keeps what a reason says to the agent, once.
func (v *view) advise(r object) {
	advice, _ := r["instead"].(string)
	if advice == "" || len(v.advice) == maxNamed {
		return
	}
	units := v.cut(show(advice, prose, nil), maxMessage, 0)
	if !slices.ContainsFunc(v.advice, func(l []unit) bool { return textOf(l) == textOf(units) }) {
		v.advice = append(v.advice, units)
	}
}

// untold are names that tell nothing: an unknown host, of which a reason speaks, and the devices
// that keep nothing.
var untold = []string{"?", "/dev/null", "/dev/tty", "/dev/stdout", "/dev/stderr"}

// How many names a line lists. Of names that are deleted or contacted none may be left out without
// a look at the details; where else something is written, the line of the sandbox says.
const (
	maxNamed  = 3
	maxListed = 8
)

// effects adds what is deleted, written and contacted beside what a reason has named, and where
// something is sent, what is read.
func (w *consequences) effects(v *view, effects object) {
	words := []struct {
		key, verb string
		most      int
	}{{"delete", "deletes ", maxListed}, {"net", "connects to ", maxListed},
		{"write", "writes ", maxNamed}, {"read", "reads ", maxNamed}}
	if !w.sends {
		words = words[:3]
	}
	for _, e := range words {
		list, _ := effects.takeList(e.key)
		for _, x := range list {
			name, ok := x.(string)
			verb, units := e.verb, delimited(w.near(name))
			switch {
			case !ok:
				units = v.short(x)
			case w.told[e.key+" "+name], slices.Contains(untold, name):
				continue
			case e.key == "net" && (w.told["net "+hostOf(name)] || w.reaches(hostOf(name))):
				continue
			case e.key == "write" && w.targets[name].made:
				verb = "creates "
			case e.key == "delete":
				units = append(units, w.targets[name].units()...)
			}
			listed := w.line(own(verb), false, maxLines).add(v.middle(units), e.most)
			v.truncated = v.truncated || !listed && e.most == maxListed
		}
	}
	for _, l := range []label{{"exec", "programs"}, {"read", "files read"}} {
		if list, ok := effects.takeList(l.key); ok && len(list) > 0 {
			v.leave(l.word)
		}
	}
	if parts := effects.takeRest(); len(parts) > 0 {
		text := append(own("also "), v.cut(join(parts...), 2*maxName, 0)...)
		w.line(text, false, maxLines)
	}
}

// maxLines is more than there are kinds of effects.
const maxLines = 100

// reaches reports whether the line of the network names a host.
func (w *consequences) reaches(host string) bool {
	names := strings.FieldsFunc(w.reach,
		func(c rune) bool { return strings.ContainsRune(" ,;", c) })
	return slices.ContainsFunc(names,
		func(name string) bool { return name == host || strings.HasPrefix(name, host+":") })
}

func hostOf(address string) string {
	host, _, _ := strings.Cut(address, ":")
	return host
}

// near is a path as it is written from the directory of the command.
func (w *consequences) near(name string) string {
	if rest, ok := strings.CutPrefix(name, w.place+"/"); ok && rest != "" && w.place != "" {
		return rest
	}
	return name
}

// middle shortens a long name to its beginning and its end, which tell it from others.
func (v *view) middle(units []unit) []unit {
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

// opaque names in one line what is not known, unless the command marks it. The policy gives a
// reason for what is not known and cannot be contained.
func (v *view) opaque(o object) {
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
		if shown := textOf(units); seen[shown] || ok && v.covers(name) {
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
		v.oneLine("unknown", append(own("before it runs: "), join(parts...)...))
	}
}

// covers reports whether a text is in a part of the command that is marked.
func (v *view) covers(text string) bool {
	return slices.ContainsFunc(v.marked, func(s string) bool { return strings.Contains(s, text) })
}

// oneLine is a line of what is not decided by, or stands elsewhere on the page: what does not fit
// is in the details.
func (v *view) oneLine(label string, units []unit) {
	room := v.width - labelWidth - 1
	if v.width < roomy {
		v.line(label, units)
		return
	}
	if cellsIn(units) > room {
		v.leave(label)
	}
	v.line(label, fitted(units, room))
}

// roomy is the width from which a line has room for most of what it says.
const roomy = 60

// leave notes that the first page does not show something.
func (v *view) leave(word string) {
	if !slices.Contains(v.left, word) {
		v.left = append(v.left, word)
	}
}
