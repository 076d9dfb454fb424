package render

import (
	"fmt"
	"maps"
)

// calls shows every call: what it is, the text, and the text that is really executed if it differs.
func (v *view) calls(o object) {
	list, ok := o.takeList("tool_calls")
	if !ok {
		return
	}
	// the text of a call is marked even for the reasons that the call takes out
	all := map[string]any{"reasons": o["reasons"]}
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

// takeReasons moves the reasons that name this call from the plan to the call, so that they are
// shown below its text.
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

// call shows one call.
func (v *view) call(plan map[string]any, call object, i, n int) {
	args := call.takeObject("args")
	id, hasID := call.takeText("tool_call_id")
	name, hasName := call.takeText("tool_name")
	stdin, hasStdin := args.takeText("stdin")
	head := [][]unit{own(fmt.Sprintf("%d of %d", i+1, n))}
	if hasID {
		head = append(head, named("id", text(id)))
	}
	if hasName {
		head = append(head, named("tool", text(name)))
	}
	if hasStdin {
		head = append(head, named("stdin", text(stdin)))
	}
	v.line("call", join(head...))
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

// A wrapper is a command inside a text that an agent's program put around it.
type wrapper struct {
	inside, command, running string
	differs                  bool // what runs differs from the command as written
}

// wrapped shows the agent's own command, and after it the text around it, folded: only what a
// reason points at. The listing of a full page has all of it.
func (v *view) wrapped(w wrapper, spans [][2]int) {
	mine, rest := inner(w.command, w.inside, spans)
	v.command("agent's", w.inside, mine)
	v.fold("run", w.command, rest)
	if w.differs {
		v.fold("runs as", w.running, nil)
	}
}
