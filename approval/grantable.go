package approval

import (
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/render"
)

// neverWords are programs and verbs that no grant covers, wherever they are in a command: those
// that run other text or other programs, those that change the user id, and those whose effect is
// not on this machine. A word that only looks like one of them costs one more question; an
// overlooked wrapper would be a hole (in other tools, flock, time and sh -lc were).
//
//go:embed ungrantable.txt
var neverText string

var neverWords = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(neverText) {
		set[word] = true
	}
	return set
})

// Grantable returns why a plan cannot be granted; it is empty if it can. It reads the plan alone,
// so the prompt that offers the choice and the store that refuses it agree.
func Grantable(payload []byte) []string {
	facts, err := plan.Read(payload)
	if err != nil {
		return []string{err.Error()}
	}
	tree, err := canonical.Parse(payload)
	if err != nil {
		return []string{err.Error()}
	}
	f := plan.AsFields(tree)
	var why []string
	no := func(found bool, reason string) {
		if found {
			why = append(why, reason)
		}
	}
	lasting := plan.Lasting(payload)
	_, chosen := plan.Chosen(payload)
	no(facts.Risk > 2 || facts.Risk == 2 && !chosen, "the risk is high")
	trust, told := f["trust"]
	no(told && (trust == nil || plan.ParseLevel(fmt.Sprint(trust)) == plan.Quarantined),
		"its origin is quarantined")
	no(len(f.List("opaque")) > 0, "part of it cannot be inspected")
	no(len(f.List("hazards")) > 0, "it has a hazard by itself")
	no(len(render.Marks(f)) > 0, "its text has suspicious characters")
	if _, tool := f.ForTool(); tool {
		return why
	}
	effects := f.Object("effects")
	no(effects == nil, "its effects are unknown")
	no(len(effects.List("net")) > 0 && !lasting, "it uses the network")
	no(outside(effects.List("delete"), f.Text("workspace_root")),
		"it deletes outside the workspace")
	no(guarded(f.Objects("reasons"), chosen), "it touches protected files")
	no(lasting && f.Text("workspace_root") == "" && !plan.Connects(payload),
		"it is in no workspace")
	no(len(facts.Calls) > 1, "it has several calls")
	if lasting {
		return why
	}
	for _, call := range f.Objects("tool_calls") {
		why = append(why, ungrantableCall(call)...)
	}
	return why
}

func ungrantableCall(call plan.Fields) []string {
	args := call.Object("args")
	command := args.Text("command")
	var why []string
	if tool := call.Text("tool_name"); tool != "shell" && tool != "exec" {
		why = append(why, fmt.Sprintf("tool %q is not a command", tool))
	}
	if command == "" {
		why = append(why, "it has no command text")
	}
	words := strings.FieldsFunc(command,
		func(r rune) bool { return strings.ContainsRune(" \t\n;&|<>(){}'\"`$=", r) })
	for _, w := range append(words, args.Texts("argv")...) {
		// python3.11 is python, and \rm is rm.
		name := strings.TrimRight(path.Base(strings.ReplaceAll(w, `\`, "")), "0123456789.")
		if neverWords()[name] || neverWords()[path.Base(w)] {
			why = append(why, fmt.Sprintf("%q may do anything", w))
			break
		}
	}
	if strings.ContainsAny(command, "`$\\") ||
		slices.ContainsFunc(strings.Fields(command), assigns) {
		why = append(why, "the shell would expand or assign something in it")
	}
	return why
}

// assigns reports whether a word is NAME=value, which in front of a command changes what it does.
func assigns(word string) bool {
	name, _, found := strings.Cut(word, "=")
	return found && !strings.ContainsAny(name, "-./")
}

// outside reports whether a path is not below the workspace.
func outside(paths []any, workspace string) bool {
	for _, p := range paths {
		s, _ := p.(string)
		if workspace == "" || path.Clean(s) != s ||
			!strings.HasPrefix(s, strings.TrimSuffix(workspace, "/")+"/") {
			return true
		}
	}
	return false
}

// guardedRules are the names of rules about secrets, policy and protected files.
var guardedRules = []string{"read.secret", "secret", "path.state", "path.readonly",
	"path.restricted", "path.protected", "protect", "policy", "tamper", "text.", "intent.", "tada.",
	"exec.shadow", "net."}

// hostRules are about a host that the page of a [plan.Choice] names.
var hostRules = []string{"net.upload", "net.list"}

func guarded(reasons []plan.Fields, chosen bool) bool {
	for _, r := range reasons {
		rule := r.Text("rule")
		if chosen && slices.Contains(hostRules, rule) {
			continue
		}
		for _, prefix := range guardedRules {
			if rule == "" || strings.HasPrefix(rule, prefix) {
				return true
			}
		}
	}
	return false
}
