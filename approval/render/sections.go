package render

import (
	"fmt"
	"strings"
)

// substance shows why something is asked, what it does and what that leads to: for a whole plan, or
// for one call of several.
func (v *view) substance(o object) {
	v.list(o, "reasons", "why", []label{{"verdict", ""}, {"message", ""}, {"rule", ""},
		{"path", ""}, {"instead", "won't ask: "}})
	v.effects(o)
	if s, ok := o.takeText("undo"); ok {
		v.line("undo", text(s))
	}
	v.list(o, "opaque", "cannot inspect:", []label{{"text", ""}, {"place", "in "}, {"why", ""}})
	v.list(o, "hazards", "hazard", []label{{"message", ""}, {"rule", ""}, {"risk", "risk "}})
	v.list(o, "targets", "paths", []label{{"right", ""}, {"name", ""}, {"real", "→ "}})
	v.list(o, "programs", "programs", []label{{"name", ""}, {"real", "→ "}})
	v.list(o, "contents", "contents", []label{{"path", ""}, {"why", ""}})
	if parts := o.takeLabelled([]label{{"fence", ""}, {"reach", ""}, {"level", "level "},
		{"tier", "tier "}}); len(parts) > 0 {
		v.line("sandbox", join(parts...))
	}
}

// facts shows what is left of an object in a section of its own, unless it is empty.
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
	parts = append(parts, o.takeLabelled([]label{{"toolset_mode", "mode "}, {"risk", "risk "},
		{"version", "plan version "}})...)
	if len(parts) > 0 {
		v.line("who", join(parts...))
	}
}

// policyWords describe what the modes of the policy ask about.
var policyWords = map[string]string{
	"dangerous": "ask for dangerous commands only", "always": "ask for every command",
	"never": "deny what would ask",
}

// bound shows what is left of an object, like facts, and before it the hash of what only has to
// stay the same.
func (v *view) bound(label string, o object) {
	if hash, ok := o["bound"].(string); ok && isHash(hash) {
		delete(o, "bound")
		v.line(label+" hash", own(hash))
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

// effectOrder puts the effects that are hardest to undo first.
var effectOrder = []struct{ key, sign string }{
	{"delete", "✗ delete"}, {"write", "✎ write"}, {"exec", "▸ exec"}, {"net", "⇡ net"},
	{"read", "· read"},
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

// says shows the agent's own words: last, so that they cannot frame the facts.
func (v *view) says(s string) {
	units := quoted(show(s, prose, nil))
	if s == "" {
		units = own(nothing)
	}
	v.line("agent says (unverified):", units)
}

// entries shows a value of unknown shape, one line for each leaf.
func (v *view) entries(label, name string, x any) {
	walk(name, x, func(name string, units []unit) {
		v.line(label, named(name, units))
	})
}
