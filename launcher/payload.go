package launcher

import (
	"cmp"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/launcher/environ"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// seal is the plan and its context in canonical bytes. Its hash binds an approval, so it contains
// everything that could change what the run does, and nothing that differs between two calls of the
// same command: no time, no id, no size of a terminal.
//
// What a person can judge is included in full. What only has to be the same when it runs (inodes,
// sizes, times, the environment, whose values may be secrets) is included as a digest: a page that
// a person reads to its end protects better than a complete one.
//
// There is no plan that cannot be spelled; one that could not would have no hash, and run nothing.
func (j *Judgement) seal() sealed {
	if j.Lasts() {
		return j.sealSession()
	}
	fence := j.fence()
	members := trimmed(object{
		"version":        1,
		"work_item_id":   j.Request.WorkItem,
		"agent_name":     j.agent(),
		"workspace_root": j.Plan.Workspace,
		"toolset_mode":   j.mode(),
		"tool_calls":     []any{j.toolCall()},
		"context":        j.context(),
		"effects":        j.effectText(),
		"targets":        j.targets(),
		"reasons":        j.reasons(),
		"opaque":         j.opaque(),
		"undo":           cmp.Or(j.undoBut(j.unsaid()), "nothing: no file is changed"),
		"risk":           j.Verdict.Risk,
		"trust":          j.trust().String(),
		"needs":          j.needs(j.Verdict.Risk),
		"agent_says":     j.Plan.Caller.Intent.Hint,
		"lasting":        j.lasting(),
		"bound":          sumOf(j.Plan.Facts(), fence.Facts(), []byte(j.settings)),
	})
	j.addFence(members)
	if j.client != nil {
		members["passes_on"] = strings.Join(j.client.Keys, ", ")
	}
	payload, err := canonical.Append(make([]byte, 0, 2048), members)
	if err != nil {
		return sealed{}
	}
	return sealed{payload, plan.Hash(payload)}
}

func (j *Judgement) toolCall() object {
	s := j.Request.Shell
	args := object{
		"command": j.Script.Text, "canonical": j.Script.Canonical, "stdin": j.stdin,
		"args": s.Args, "shell_flags": s.Flags,
	}
	if namesItself(s.Text) { // else it does not matter by which door the command came
		args["name"] = s.Name
	}
	if s.Name != "tada-run" {
		args["inside"] = nestedText(j.Script)
	}
	name := "shell"
	if t := j.Request.Tool; t != nil {
		name, args = "tool:"+t.Name, t.args(j.Script)
	} else if words := s.Simple(j.shell); words != nil {
		name, args["argv"] = "exec", words
		delete(args, "args") // they are in it already
	}
	return object{"tool_call_id": refusal.FirstCall, "tool_name": name, "args": trimmed(args)}
}

// namesItself reports whether a text may say the name that its shell was called by.
func namesItself(text string) bool {
	return strings.Contains(text, "$0") || strings.Contains(text, "${0") ||
		strings.Contains(text, "ARGV0")
}

func (j *Judgement) context() object {
	return object{
		"cwd": j.Plan.Dir, "shell": j.shell, "version": j.version,
		"bound": digestOf(object{
			"env": j.environ.sum, "env_named": j.namedLoose(), "folders": j.openFolders(),
			"uid": os.Getuid(), "umask": j.umask, "policy": j.policy.Digest(),
		}),
	}
}

func (j *Judgement) effectText() object {
	o := object{}
	for kind, names := range j.named() {
		if len(names) > 0 {
			o[kind] = names
		}
	}
	return o
}

// targets lists what is changed, and what is reached through a symbolic link: there the name
// that was written does not tell where it leads. A question says how much is deleted.
func (j *Judgement) targets() []any {
	var list []any
	asks := j.Verdict.Decision == pathguard.Ask
	for plan := range j.Plan.All() {
		for i := range plan.Targets {
			t := &plan.Targets[i]
			if t.Right == command.Read && len(t.Links) == 0 {
				continue
			}
			o := object{"right": effectNames[t.Right], "name": t.Name, "real": t.Path()}
			switch {
			case !asks || t.Unknown:
			case t.Right == command.Delete && !t.Exists:
				o["amount"] = "not there"
			case t.Right == command.Delete:
				if a, ok := j.counted()[t.Path()]; ok {
					o["amount"] = a.String()
				}
			case t.Right != command.Read && !t.Exists:
				o["new"] = true
			}
			list = append(list, o)
		}
	}
	return list
}

// reasons are the rules that decided.
func (j *Judgement) reasons() []any {
	var list []any
	for _, r := range j.Verdict.Reasons {
		if r.Decision == pathguard.Allow {
			continue
		}
		o := trimmed(object{
			"rule": r.Rule, "verdict": r.Decision.String(), "path": r.Path,
			"message": pageMessage(&r), "span": spanOf(r.Span),
			"instead": r.Instead,
		})
		if j.loses(&r) {
			o["lost"] = true
		}
		if r.Rule == confirmRule {
			o["message"], o["says"] = "the caller asks for a person", j.Plan.Caller.Intent.Why()
		}
		list = append(list, o)
	}
	return list
}

// confirmRule is the rule by which a caller asks for a person. What it says of that is its own
// word.
const confirmRule = "intent.confirm"

// pageMessage is a message without the words by which other texts warn of it, and without those of
// the command: a page has the risk in its title, and marks the place in the command.
func pageMessage(r *pathguard.Reason) string {
	text := strings.TrimPrefix(r.In(pathguard.English), "⚠️  ")
	if r.File == "" && strings.HasPrefix(r.Rule, "opaque.") {
		text, _, _ = strings.Cut(text, ": ")
	}
	text = strings.TrimPrefix(strings.TrimPrefix(text, "dangerous: "), "dangerous command: ")
	return strings.TrimSuffix(text, ": ") // of what has no name
}

func (j *Judgement) opaque() []any {
	var list []any
	for _, o := range j.Script.Opaque {
		list = append(list, object{"text": o.Text, "why": o.Why})
	}
	return list
}

func spanOf(s shellparse.Span) []any { return []any{s.Start, s.End} }

// namedLoose are the loose variables that a text of the plan names, with their values: there they
// do decide what runs.
func (j *Judgement) namedLoose() object {
	o := object{}
	for name, value := range j.environ.loose {
		if program := environ.ProgramOf(name); j.names(name) || program != "" && j.names(program) {
			o[name] = value
		}
	}
	return o
}

// names reports whether the command line, an argument of it or a script that it executes has the
// word in it.
func (j *Judgement) names(word string) bool {
	if slices.ContainsFunc(j.Request.Shell.Args,
		func(arg string) bool { return strings.Contains(arg, word) }) {
		return true
	}
	if j.Plan == nil {
		return strings.Contains(j.Script.Text, word)
	}
	for plan := range j.Plan.All() {
		if strings.Contains(plan.Script.Text, word) {
			return true
		}
	}
	return false
}

// addFence adds the sandbox as it is shown to a person: what it lets a command write, what it may
// contact, and what it takes to be held to that.
func (j *Judgement) addFence(o object) {
	switch t := j.Request.Tool; {
	case t != nil && t.undoes:
		o["fence"] = "none; tada-run itself does this"
		return
	case t != nil:
		o["fence"] = "none; the agent's own program does this"
		return
	}
	f := j.fence()
	switch {
	case f.Exact && len(f.Write) > 0:
		o["fence"] = "may write only the paths that the command names"
	case f.Exact:
		o["fence"] = "may write nothing"
	default:
		o["fence"] = "may write the workspace, /tmp and caches"
		if pathguard.WritesBeyond(j.Plan) {
			o["fence"] = "may write the workspace, /tmp, caches and what is named above"
		}
	}
	if fence, _ := o["fence"].(string); j.raisesRights() {
		o["fence"] = fence + "; sudo and su do not work in it"
	}
	o["reach"] = j.contacts().text()
	o["level"] = "strong"
	if f.Require != pathguard.Strong {
		o["level"] = "base or stronger"
	}
	o["tier"] = j.tier()
}

// raisesRights reports whether a program asks for the rights of another account, which no command
// in the sandbox gets. An account that has all rights keeps them.
func (j *Judgement) raisesRights() bool {
	return os.Geteuid() != 0 && slices.ContainsFunc(j.Script.Commands,
		func(c shellparse.Command) bool {
			return slices.Contains([]string{"sudo", "su", "doas", "pkexec"}, path.Base(c.Name))
		})
}
