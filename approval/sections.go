package approval

import (
	"fmt"
	"maps"
	"sort"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/approval/canonical"
)

// plan shows the values of a plan in the order in which a person needs them. Each section takes
// from its object what it shows; what is left over is shown by name, so a value that a later
// launcher adds is never hidden by an older renderer.
func (v *view) plan(top map[string]any, marks []string) {
	o := object(top)
	says, hasSays := o.takeText("agent_says")
	context := o.takeObject("context")
	v.who(o)
	v.where(o, context)
	v.calls(o)
	v.substance(o)
	v.list(o, "refused", "refused", []label{{"tool_call_id", ""}, {"command", ""}, {"rule", ""}})
	if s, ok := o.takeText("needs"); ok {
		v.line("needs", text(s))
	}
	v.environment(context)
	v.facts("sandbox", o.takeObject("fence"))
	v.bound("context", context)
	v.bound("also", o)
	v.marks(marks)
	if hasSays {
		v.says(says)
	}
}

// substance shows why something is asked, what it does and where that leads: of a whole plan, or of
// one call of several.
func (v *view) substance(o object) {
	v.list(o, "reasons", "why", []label{{"verdict", ""}, {"message", ""}, {"rule", ""}, {"path", ""}, {"instead", "won't ask: "}})
	v.effects(o)
	v.list(o, "opaque", "cannot inspect:", []label{{"text", ""}, {"place", "in "}, {"why", ""}})
	v.list(o, "hazards", "hazard", []label{{"message", ""}, {"rule", ""}, {"risk", "risk "}})
	v.list(o, "targets", "paths", []label{{"right", ""}, {"name", ""}, {"real", "→ "}})
	v.list(o, "programs", "programs", []label{{"name", ""}, {"real", "→ "}})
	v.list(o, "contents", "contents", []label{{"path", ""}, {"why", ""}})
	if s, ok := o.takeText("fence"); ok {
		v.line("sandbox", text(s))
	}
}

// object is an object that sections take values out of.
type object map[string]any

func (o object) takeText(k string) (string, bool) {
	s, ok := o[k].(string)
	if ok {
		delete(o, k)
	}
	return s, ok
}

func (o object) takeObject(k string) object {
	m, ok := o[k].(map[string]any)
	if ok && len(m) > 0 {
		delete(o, k)
	}
	return m
}

func (o object) takeList(k string) ([]any, bool) {
	l, ok := o[k].([]any)
	if ok {
		delete(o, k)
	}
	return l, ok
}

// takeTexts takes a list when all of it is text.
func (o object) takeTexts(k string) ([]string, bool) {
	l, ok := o[k].([]any)
	if !ok {
		return nil, false
	}
	out := make([]string, 0, len(l))
	for _, v := range l {
		s, ok := v.(string)
		if !ok {
			return nil, false
		}
		out = append(out, s)
	}
	delete(o, k)
	return out, true
}

func (o object) keys() []string {
	keys := make([]string, 0, len(o))
	for k := range o {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// value shows any value in one line: a text bare, or in quotes where its edges would be unclear.
func value(x any, st style) []unit {
	switch x := x.(type) {
	case string:
		if needsQuotes(x) {
			return quoted(show(x, st, nil))
		}
		return show(x, st, nil)
	case nil:
		return own("null")
	case []any, map[string]any:
		b, err := canonical.Append(nil, x) // ASCII, so it is inert already
		if err != nil {
			return own("?")
		}
		return show(string(b), exact, nil)
	default:
		return own(fmt.Sprint(x))
	}
}

// needsQuotes reports whether a bare text could be taken for nothing, for a quoted text or for a
// value that is no text.
func needsQuotes(s string) bool {
	if s == "" || s == "true" || s == "false" || s == "null" || strings.IndexByte("\" {[", s[0]) >= 0 {
		return true
	}
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

func quoted(units []unit) []unit {
	return append(append(own(`"`), units...), own(`"`)...)
}

// join puts the renderer's separator between values.
func join(parts ...[]unit) []unit {
	var out []unit
	for i, p := range parts {
		if i > 0 {
			out = append(out, own(between)...)
		}
		out = append(out, p...)
	}
	return out
}

func named(name string, units []unit) []unit {
	return append(append(show(name, exact, nil), own(" ")...), units...)
}

// text shows what is known to be text: quotes only where its edges would be unclear.
func text(s string) []unit {
	if s == "" || s[0] == ' ' || s[0] == '"' {
		return quoted(show(s, exact, nil))
	}
	return show(s, exact, nil)
}

// takeRest shows what is left of an object, by name. Empty values come last, as "∅ X" for
// an empty text and "∅[] X" for an empty list.
func (o object) takeRest() [][]unit {
	var parts, none, zero [][]unit
	for _, k := range o.keys() {
		x := o[k]
		delete(o, k)
		list, isList := x.([]any)
		switch {
		case x == "":
			none = append(none, append(own(empty+" "), show(k, exact, nil)...))
		case isList && len(list) == 0:
			zero = append(zero, append(own(empty+"[] "), show(k, exact, nil)...))
		default:
			parts = append(parts, named(k, value(x, exact)))
		}
	}
	return append(append(parts, none...), zero...)
}

// facts shows what is left of an object in a section of its own, if there is anything.
func (v *view) facts(label string, o object) {
	if parts := o.takeRest(); len(parts) > 0 {
		v.line(label, join(parts...))
	}
}

func (v *view) who(o object) {
	parts := o.takeLabelled([]label{{"agent_name", ""}, {"work_item_id", "work item "}})
	if mode, ok := o["toolset_mode"].(string); ok && policyWords[mode] != "" {
		delete(o, "toolset_mode")
		parts = append(parts, own("policy: "+policyWords[mode]))
	}
	parts = append(parts, o.takeLabelled([]label{{"toolset_mode", "mode "}, {"risk", "risk "}, {"version", "plan version "}})...)
	if len(parts) > 0 {
		v.line("who", join(parts...))
	}
}

// policyWords say what the modes of the policy ask about.
var policyWords = map[string]string{
	"dangerous": "ask for dangerous commands only", "always": "ask for every command", "never": "deny what would ask",
}

// bound shows what is left of an object as facts does. The hash of what only has to stay the same
// is a line of digits that says nothing to a reader: only a full page has it.
func (v *view) bound(label string, o object) {
	if hash, ok := o["bound"].(string); ok && isHash(hash) {
		delete(o, "bound")
		if v.full {
			v.line(label+" hash", own(hash))
		}
	}
	v.facts(label, o)
}

// isHash reports whether s is a SHA-256 in hex, which cannot say anything else.
func isHash(s string) bool { return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == "" }

func (v *view) where(o, context object) {
	var parts [][]unit
	if s, ok := context.takeText("cwd"); ok {
		parts = append(parts, text(s))
	}
	for _, k := range []string{"cwd_dev", "cwd_ino"} {
		if x, ok := context[k]; ok {
			delete(context, k)
			parts = append(parts, named(k[len("cwd_"):], value(x, exact)))
		}
	}
	if s, ok := o.takeText("workspace_root"); ok {
		parts = append(parts, named("workspace", text(s)))
	}
	if len(parts) > 0 {
		v.line("where", join(parts...))
	}
}

// calls shows every call: what it is, the text, and the text that is really executed when it
// differs.
func (v *view) calls(o object) {
	list, ok := o.takeList("tool_calls")
	if !ok {
		return
	}
	all := map[string]any{"reasons": o["reasons"]} // what a call takes out is marked in its text all the same
	for i, x := range list {
		m, ok := x.(map[string]any)
		if !ok {
			v.line("call", value(x, exact))
			continue
		}
		call := object(m)
		if len(list) > 1 {
			call.takeReasons(o)
		}
		v.call(all, call, i, len(list))
	}
}

// takeReasons moves the reasons that name this call from the plan to it, so that they stand below
// its text.
func (call object) takeReasons(o object) {
	all, ok := o["reasons"].([]any)
	id, named := call["tool_call_id"].(string)
	if _, has := call["reasons"]; !ok || !named || has {
		return
	}
	var mine, others []any
	for _, x := range all {
		if m, ok := x.(map[string]any); ok && m["tool_call_id"] == id {
			m = maps.Clone(m)
			delete(m, "tool_call_id")
			mine = append(mine, m)
		} else {
			others = append(others, x)
		}
	}
	if len(mine) == 0 {
		return
	}
	call["reasons"] = mine
	if o["reasons"] = others; len(others) == 0 {
		delete(o, "reasons")
	}
}

// call shows one call. What is the same for nearly every single command is left out, but for a full
// page: its place, the launcher's own id and name for it, and that it reads no input.
func (v *view) call(plan map[string]any, call object, i, n int) {
	args := call.takeObject("args")
	id, hasID := call.takeText("tool_call_id")
	name, hasName := call.takeText("tool_name")
	stdin, hasStdin := args.takeText("stdin")
	usual := !v.full && n == 1 && id == "c1" && name == "shell"
	var head [][]unit
	if v.full || n > 1 {
		head = append(head, own(fmt.Sprintf("%d of %d", i+1, n)))
	}
	if hasID && !usual {
		head = append(head, named("id", text(id)))
	}
	if hasName && !usual {
		head = append(head, named("tool", text(name)))
	}
	if hasStdin && (v.full || stdin != "null") {
		head = append(head, named("stdin", text(stdin)))
	}
	if len(head) > 0 {
		v.line("call", join(head...))
	}
	command, hasCommand := args.takeText("command")
	canon, hasCanon := args.takeText("canonical")
	if hasCommand && (canon == command || canon == command+"\n") {
		hasCanon = false // executed as written
	}
	spans := dangerSpans(plan, id, n == 1, len(command))
	switch inside, wrapped := args.takeText("inside"); {
	case wrapped && hasCommand:
		v.wrapped(wrapper{inside, command, canon, hasCanon}, spans)
	default:
		if wrapped {
			v.command("agent's", inside, nil)
		}
		if hasCommand {
			v.command("run", command, spans)
		}
		if hasCanon {
			v.command("runs as", canon, nil)
		}
	}
	if words, ok := args.takeTexts("argv"); ok {
		parts := make([][]unit, 0, len(words))
		for _, w := range words {
			parts = append(parts, value(w, exact))
		}
		v.line("words", append(own(fmt.Sprintf("%d: ", len(words))), join(parts...)...))
	}
	v.facts("args", args)
	v.substance(call)
	v.facts("call has", call)
}

// effectOrder is by how hard it is to undo.
var effectOrder = []struct{ key, sign string }{
	{"delete", "✗ delete"}, {"write", "✎ write"}, {"exec", "▸ exec"}, {"net", "⇡ net"}, {"read", "· read"},
}

func (v *view) effects(o object) {
	effects := o.takeObject("effects")
	label := "will"
	for _, e := range effectOrder {
		list, ok := effects.takeList(e.key)
		if !ok {
			continue
		}
		if len(list) == 0 {
			v.line(label, own(e.sign+"   "+nothing))
			label = ""
			continue
		}
		var parts [][]unit
		for _, x := range list {
			parts = append(parts, value(x, exact))
		}
		v.line(label, append(own(e.sign+"   "), join(parts...)...))
		label = ""
	}
	v.facts("will also", effects)
}

// A label is a key whose value is shown after a word of ours, or after none where its place says
// what it is.
type label struct{ key, word string }

// takeLabelled takes the labelled values out of an object, in their order. What is empty stays, to
// be named with the rest.
func (o object) takeLabelled(order []label) [][]unit {
	var parts [][]unit
	for _, l := range order {
		x, ok := o[l.key]
		if !ok || x == "" {
			continue
		}
		delete(o, l.key)
		st := exact
		if l.key == "message" || l.key == "why" {
			st = prose
		}
		parts = append(parts, append(own(l.word), value(x, st)...))
	}
	return parts
}

// list shows a list of objects, one line each: the known keys in order, then the others by name.
func (v *view) list(o object, key, title string, order []label) {
	items, ok := o.takeList(key)
	if !ok {
		return
	}
	for _, x := range items {
		m, ok := x.(map[string]any)
		if !ok {
			v.line(title, value(x, exact))
			continue
		}
		item := object(m)
		parts := item.takeLabelled(order)
		v.line(title, join(append(parts, item.takeRest()...)...))
	}
	if len(items) == 0 {
		v.line(title, own(nothing))
	}
}

func (v *view) environment(context object) {
	env := context.takeObject("env")
	if len(env) == 0 {
		return
	}
	var parts [][]unit
	for _, k := range env.keys() {
		pair := append(show(k, exact, nil), own("=")...)
		parts = append(parts, append(pair, value(env[k], exact)...))
	}
	v.line("env", append(own(fmt.Sprintf("%d: ", len(env))), join(parts...)...))
}

func (v *view) marks(marks []string) {
	if len(marks) == 0 {
		v.line("warnings", own("none"))
		return
	}
	for _, m := range marks {
		v.line("warnings", own(m))
	}
}

// says shows the agent's own words: last, so that they cannot frame the facts, and in at most two
// lines, so that they cannot push them away.
func (v *view) says(s string) {
	label := "agent says (unverified):"
	units := quoted(show(s, prose, nil))
	if s == "" {
		units = own(nothing)
	}
	room := 2*(v.width-labelWidth-6) - len(label)
	if !v.full {
		used, hidden, at := 0, 0, 0
		for at < len(units) && used+units[at].cells <= room {
			used += units[at].cells
			at++
		}
		for _, u := range units[at:] {
			hidden += u.chars
		}
		if hidden > 0 {
			for mark := truncation("truncated", hidden, 0); at > 0 && used+mark.cells > room; {
				at--
				used -= units[at].cells
				hidden += units[at].chars
				mark = truncation("truncated", hidden, 0)
			}
			units = append(units[:at:at], truncation("truncated", hidden, 0))
			v.truncated = true
		}
	}
	v.line(label, units)
}
