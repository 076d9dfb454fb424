package pathguard

import (
	"errors"
	"path"
	"strings"

	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// ErrEmpty is what the checks return for a text without a command.
var ErrEmpty = errors.New("no command given")

// A CheckResult is a verdict in the terms of the source document. Allowed and RequiresAuth
// are never both true; both false is a denial.
type CheckResult struct {
	Allowed      bool     `json:"allowed"`
	RequiresAuth bool     `json:"requires_auth"`
	Warning      string   `json:"warning,omitempty"` // the first reason of an ask
	Reason       string   `json:"reason,omitempty"`  // every reason, one a line
	Verdict      Decision `json:"verdict"`
	Risk         int      `json:"risk"`
	Rules        []string `json:"rules"`
	Spans        [][2]int `json:"spans"`
	Effects      []string `json:"effects"` // "write /w/a"
}

// A Guard answers questions for one caller under one policy.
type Guard struct {
	Policy Policy
	Caller resolve.Caller
	Locale Locale
}

// CheckCommand judges one simple command, word by word, as if no shell read it.
func (g Guard) CheckCommand(argv ...string) (CheckResult, error) {
	quoted := make([]string, len(argv))
	for i, w := range argv {
		quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return g.AnalyzeShellCommand(strings.Join(quoted, " "))
}

// AnalyzeShellCommand judges a command line. With an error nothing is allowed.
func (g Guard) AnalyzeShellCommand(text string) (CheckResult, error) {
	v, plan, err := g.judge(text)
	if err != nil {
		return CheckResult{}, err
	}
	defer plan.Close()
	return g.result(v, plan), nil
}

// CheckPathAccess judges reading, or writing, one path.
func (g Guard) CheckPathAccess(name string, write bool) (CheckResult, error) {
	right := command.Read
	if write {
		right = command.Write
	}
	script := &shellparse.Script{Text: name, Canonical: name, Plain: true, Argv: []string{name},
		Effects: []shellparse.Effect{{Right: right, Name: g.spelled(name),
			Span: shellparse.Span{End: len(name)}, Command: -1}}}
	plan, err := resolve.Resolve(script, g.Caller)
	if err != nil {
		return CheckResult{}, err
	}
	defer plan.Close()
	return g.result(g.Policy.Judge(plan), plan), nil
}

// spelled reads a path as a configuration spells it: with "~", and from the caller's
// directory.
func (g Guard) spelled(name string) shellparse.Name {
	if rest, ok := strings.CutPrefix(name, "~"); ok && (rest == "" || rest[0] == '/') {
		name = g.Caller.Home + rest
	}
	return shellparse.Name{Text: name, Static: true, Dir: g.Caller.Dir}
}

// IsRestricted reports whether security.restricted_paths covers a path, wherever its links
// lead. A path that cannot be resolved counts as restricted.
func (g Guard) IsRestricted(name string) bool { return g.stands(name, InRestricted) }

// IsReadOnly reports whether security.readonly_paths forbids the access.
func (g Guard) IsReadOnly(name string, write bool) bool {
	return write && g.stands(name, InReadOnly)
}

func (g Guard) stands(name string, place Place) bool {
	script := &shellparse.Script{Effects: []shellparse.Effect{{Right: command.Write,
		Name: g.spelled(name), Command: -1}}}
	plan, err := resolve.Resolve(script, g.Caller)
	if err != nil || g.Policy.tree == nil || len(plan.Targets) == 0 {
		return true
	}
	defer plan.Close()
	j := judgement{p: &g.Policy, plan: plan, script: script, homes: g.Policy.homes}
	return j.find(&plan.Targets[0], ToWrite).in[place]
}

// ExtractPaths returns the real paths that a command line would touch, in the order of the
// text, and the beginnings of those that the text does not wholly tell.
func (g Guard) ExtractPaths(text string) ([]string, error) {
	_, plan, err := g.judge(text)
	if err != nil {
		return nil, err
	}
	defer plan.Close()
	var out []string
	for i := range plan.Targets {
		if t := &plan.Targets[i]; t.Real != "" {
			out = append(out, t.Path())
		} else {
			out = append(out, t.Name)
		}
	}
	return out, nil
}

func (g Guard) judge(text string) (Verdict, *resolve.Plan, error) {
	script := shellparse.Parse(text,
		shellparse.Options{Dir: g.Caller.Dir, Home: g.Caller.Home, Vars: g.Caller.Env,
			Programs: g.Policy.Programs()})
	if Idle(script) {
		return Verdict{}, nil, ErrEmpty
	}
	plan, err := resolve.Resolve(script, g.Caller)
	if err != nil {
		return Verdict{}, nil, err
	}
	return g.Policy.Judge(plan), plan, nil
}

func (g Guard) result(v Verdict, plan *resolve.Plan) CheckResult {
	r := CheckResult{Allowed: v.Decision == Allow, RequiresAuth: v.Decision == Ask,
		Verdict: v.Decision, Risk: v.Risk,
		Rules: []string{}, Spans: [][2]int{}, Effects: []string{}}
	var lines []string
	for _, reason := range v.Reasons {
		if reason.Decision == Allow && v.Decision != Allow {
			continue // a note beside a refusal is noise
		}
		r.Rules = append(r.Rules, reason.Rule)
		r.Spans = append(r.Spans, [2]int{reason.Span.Start, reason.Span.End})
		lines = append(lines, reason.In(g.Locale))
	}
	if r.RequiresAuth && len(lines) > 0 {
		r.Warning = lines[0]
	}
	r.Reason = strings.Join(lines, "\n")
	for i := range plan.Targets {
		t := &plan.Targets[i]
		r.Effects = append(r.Effects, actionOf(t).String()+" "+path.Clean("/"+t.Path()))
	}
	return r
}
