package pathguard

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tada-run/tada-run/pathguard/resolve"
)

// A CaseResult is what a policy says about a case.
type CaseResult struct {
	Case    Case     `json:"case"`
	Source  string   `json:"source"` // FILE:LINE; "" where that is not known
	Verdict Decision `json:"verdict"`
	Rules   []string `json:"rules"` // that have this verdict
	Failed  string   `json:"failed,omitempty"`
}

// emptyWorkspace is where a case is judged that names no directory. Nothing is there, so that the
// verdict is the same on every machine.
const emptyWorkspace = "/nonexistent/workspace"

// Cases judges the cases of the configuration, as a caller with this account and home would meet
// them. Environment, directory and workspace of the caller do not count.
func (p Policy) Cases(c resolve.Caller) []CaseResult {
	list := make([]CaseResult, len(p.set.Expect))
	for i, is := range p.set.Expect {
		list[i] = p.try(is, c)
		if from := p.sources["expect"]; i < len(from) {
			list[i].Source = from[i].String()
		}
		if at := slices.IndexFunc(p.set.Expect[:i], is.contradicts); at >= 0 {
			list[i].Failed = fmt.Sprintf("contradicts another case, which wants %s",
				p.set.Expect[at].Verdict)
			if list[at].Source != "" {
				list[i].Failed += " at " + list[at].Source
			}
		}
	}
	return list
}

func (c Case) contradicts(d Case) bool {
	return c.Command == d.Command && c.Dir == d.Dir && c.Verdict != d.Verdict
}

func (p Policy) try(c Case, caller resolve.Caller) CaseResult {
	r := CaseResult{Case: c, Rules: []string{}}
	caller.Dir, caller.Root = emptyWorkspace, emptyWorkspace
	if c.Dir != "" {
		caller.Dir, caller.Root = c.Dir, ""
		if rest, ok := strings.CutPrefix(c.Dir, "~"); ok {
			caller.Dir = path.Join(caller.Home, rest)
		}
		if info, err := os.Stat(caller.Dir); err != nil || !info.IsDir() {
			r.Failed = fmt.Sprintf("%q is not a directory", c.Dir)
			return r
		}
	}
	caller.Env = map[string]string{"HOME": caller.Home, "PATH": "/usr/local/bin:/usr/bin:/bin"}
	v, plan, err := (Guard{Policy: p, Caller: caller}).judge(c.Command)
	if err != nil {
		r.Failed = err.Error()
		return r
	}
	defer plan.Close()
	r.Verdict = v.Decision
	r.Rules = append(r.Rules, v.Deciding()...)
	switch {
	case v.Decision != c.Verdict:
		r.Failed = fmt.Sprintf("%s, want %s", v.Decision, c.Verdict)
		if len(r.Rules) > 0 {
			r.Failed += " (" + strings.Join(r.Rules, ", ") + ")"
		}
	case c.Rule != "" && !slices.Contains(r.Rules, c.Rule):
		r.Failed = fmt.Sprintf("%s by %s, want %s", v.Decision,
			strings.Join(append(r.Rules, "no rule")[:max(1, len(r.Rules))], ", "), c.Rule)
	}
	return r
}

// readExpect reads the cases.
func readExpect(d *decoder, n *yaml.Node) error {
	return d.rules(n, "expect", "command", func() bool {
		c := d.expected
		c.Verdict = d.ruleState.verdict
		d.set.Expect = append(d.set.Expect, c)
		return c.Command != ""
	})
}
