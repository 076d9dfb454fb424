package render

import (
	"fmt"
	"slices"
	"strings"
)

// The first page has what a decision needs: how bad it is, who asks and where, the command, what it
// does and what of that cannot be taken back, and what the sandbox allows besides. What it leaves
// out of a plan it names in its last line, and a value that the renderer does not know is shown.

// adviceRows is how long a page may be to have advice for the agent too, which decides nothing.
const adviceRows = 8

// leftOut are the members of a plan that the first page has no room for, by the words of its last
// line. Nothing that a person decides by is only there: the policy gives a reason for it.
var leftOut = []struct{ key, word string }{
	{"targets", "paths"}, {"programs", "programs"}, {"bound", ""}, {"version", ""}, {"risk", ""},
	{"trust", ""}, {"agent_says", ""}, {"tier", ""}, {"level", ""}, {"lasting", "grants"},
}

// brief shows the first page and returns what it leaves out, for the last line.
func (v *view) brief(top map[string]any, marks []string) string {
	o, row, line := object(top), len(v.rows), len(v.lines)
	context := o.takeObject("context")
	if says, _ := o["agent_says"].(string); says != "" {
		v.leave("the agent's words")
	}
	v.from(o, context)
	all := map[string]any{"reasons": o["reasons"]}
	list, _ := o.takeList("tool_calls")
	place, _ := context["cwd"].(string)
	for i, x := range list {
		call, ok := x.(map[string]any)
		if !ok {
			v.line("call", v.short(x))
			continue
		}
		if len(list) > 1 {
			object(call).takeReasons(o)
		}
		v.asked(all, call, place, i, len(list))
	}
	v.consequences(o, place)
	v.refused(o)
	if s, ok := o.takeText("needs"); ok {
		v.line("needs", v.cut(text(s), maxName, 0))
	}
	marks = slices.DeleteFunc(slices.Clone(marks), isPlain)
	slices.SortStableFunc(marks, func(a, b string) int { // what may be taken for another name
		return strings.Compare(strings.TrimPrefix(a, mixing), strings.TrimPrefix(b, mixing))
	})
	if len(marks) > 0 {
		v.oneLine("warning", toned(Danger, own(strings.Join(marks, "; "))))
	}
	v.leaveOut(o)
	if delete(context, "cwd"); len(context) > 0 {
		v.leave("environment")
	}
	if parts := o.takeRest(); len(parts) > 0 {
		v.line("also", v.cut(join(parts...), 2*maxName, 0))
	}
	switch {
	case v.truncated:
		note := "not all is shown here: read the details before you approve"
		if v.hidden != "" {
			note = v.hidden + "read the details first"
		}
		v.lineAt(row, line, "note", own(note))
	case len(v.advice) > 0 && len(v.lines) < adviceRows:
		v.oneLine("advice", append(own("to the agent: "), join(v.advice...)...))
	case len(v.advice) > 0:
		v.leave("advice")
	}
	if len(v.left) == 0 {
		return ""
	}
	return "; in the details: " + strings.Join(v.left, ", ")
}

// isPlain reports whether a mark is about a symbol, which the command shows by its code point.
func isPlain(mark string) bool { return strings.HasPrefix(mark, "symbol ") }

// leaveOut takes out of a plan, or of one call of several, what the first page does not show, and
// names it.
func (v *view) leaveOut(o object) {
	for _, l := range leftOut {
		if _, has := o[l.key]; has && l.word != "" {
			v.leave(l.word)
		}
		delete(o, l.key)
	}
}

// from says who asks and where.
func (v *view) from(o, context object) {
	var who []unit
	label := "from"
	if agent, ok := o.takeText("agent_name"); ok {
		name, unproven := strings.CutPrefix(agent, "?")
		if who = v.cut(delimited(name), maxName, 0); unproven {
			who = append(who, own(" (name not verified)")...)
		}
	}
	if item, ok := o.takeText("work_item_id"); ok {
		who = append(append(who, own(", work item ")...), v.cut(delimited(item), maxName, 0)...)
	}
	root, rooted := o.takeText("workspace_root")
	cwd, placed := context["cwd"].(string)
	switch {
	case placed && len(who) == 0:
		label, who = "in", v.place(cwd, root)
	case placed:
		who = append(append(who, own(" in ")...), v.place(cwd, root)...)
	case rooted:
		who = append(append(who, own(", workspace ")...), v.cut(delimited(root), maxName, 0)...)
	}
	switch mode, ok := o["toolset_mode"].(string); {
	case ok && mode == "dangerous": // the usual one
		delete(o, "toolset_mode")
	case ok && policyWords[mode] != "":
		delete(o, "toolset_mode")
		who = append(who, own(", policy: "+policyWords[mode])...)
	}
	if len(who) > 0 {
		v.line(label, who)
	}
}

// place is a directory, with its workspace where that is another one.
func (v *view) place(cwd, root string) []unit {
	if root == "" || root == cwd {
		return v.cut(delimited(cwd), maxName, 0)
	}
	name, of := cwd, ", workspace "
	if below, ok := strings.CutPrefix(cwd, root+"/"); ok {
		name, of = below, " of workspace "
	}
	units := append(v.cut(delimited(name), maxName, 0), own(of)...)
	return append(units, v.cut(delimited(root), maxName, 0)...)
}

// asked shows one call: its text, and whatever else it is given.
func (v *view) asked(plan map[string]any, call object, place string, i, n int) {
	args := call.takeObject("args")
	id, _ := call.takeText("tool_call_id")
	name, _ := call.takeText("tool_name")
	if n > 1 {
		v.line("call", append(own(fmt.Sprintf("%d of %d, ", i+1, n)),
			v.cut(delimited(id), maxName, 0)...))
	}
	label := "run"
	if tool, other := strings.CutPrefix(name, "tool:"); other {
		label = "input"
		v.line("tool", v.cut(delimited(tool), maxName, 0))
	} else if name != "shell" && name != "exec" && name != "session" && name != "connect" {
		v.line("tool", v.cut(delimited(name), maxName, 0))
	}
	if where, ok := call.takeText("cwd"); ok {
		place = where
		v.line("in", v.cut(delimited(where), maxName, 0))
	}
	command, has := args.takeText("command")
	spans := dangerSpans(plan, id, n == 1, len(command))
	v.marked = nil
	inside, wrapped := args.takeText("inside")
	switch {
	case has && wrapped:
		mine, rest := inner(command, inside, spans)
		v.script(label, inside, mine)
		v.fold("around", command, rest)
		v.truncated = true // a plan could be made so that the wrong part is read first
	case has:
		v.script(label, command, spans)
	}
	delete(args, "canonical") // the same command, as the shell gets it
	if name == "exec" {
		delete(args, "argv") // the same words
	}
	if stdin, ok := args["stdin"].(string); ok && slices.Contains(idle, stdin) {
		delete(args, "stdin") // nothing is in it yet
	}
	if _, ok := args["not shown"]; ok {
		v.truncated = true
		v.line("warning", toned(Danger,
			own("the end of what it is given is too long to be shown, here or in the details")))
	}
	for _, part := range args.takeRest() {
		v.line("with", v.cut(part, 2*maxName, 0))
	}
	if n > 1 {
		v.consequences(call, place)
	}
	v.leaveOut(call)
	for _, k := range []string{"verdict", "plan", "workspace_root"} {
		delete(call, k)
	}
	if parts := call.takeRest(); len(parts) > 0 {
		v.line("also", v.cut(join(parts...), 2*maxName, 0))
	}
}

// idle are the kinds of standard input in which nothing is yet.
var idle = []string{"null", "terminal", "closed"}

// refused names the calls of several that the policy denies.
func (v *view) refused(o object) {
	list, _ := o.takeList("refused")
	for _, x := range list {
		m, _ := x.(map[string]any)
		if m == nil {
			v.line("denied", v.short(x))
			continue
		}
		item := object(m)
		v.line("denied", v.cut(join(item.takeLabelled([]label{{"tool_call_id", ""},
			{"command", ""}, {"rule", ""}})...), 2*maxName, 0))
	}
}
