package integration

import (
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse"
)

// TestCorpusLearned gives a yes to every question about a hostile line for which there can be a
// rule. All these rules together allow no line that asks something else. None of them is about a
// path, so none can cover a restricted one.
func TestCorpusLearned(t *testing.T) {
	policy, caller := corpusPolicy(t)
	lines := corpus(t, "hostile.jsonl")
	resolve := func(line corpusLine) *pathguard.Plan {
		script := shellparse.Parse(line.Cmd,
			shellparse.Options{Dir: caller.Dir, Home: caller.Home, Vars: caller.Env})
		plan, err := pathguard.Resolve(script, caller)
		if err != nil {
			t.Fatalf("%s: %v", line.ID, err)
		}
		return plan
	}
	var rules []pathguard.Learned
	learned := map[string]bool{}
	for i, line := range lines {
		plan := resolve(line)
		more, why := policy.Learn(plan)
		plan.Close()
		if why == "" && len(more) > 0 {
			learned[line.ID] = true
		}
		for _, rule := range more {
			if i%3 == 0 && !slices.ContainsFunc(rules,
				func(r pathguard.Learned) bool { return r.Way == rule.Way }) {
				rules = append(rules, rule)
			}
			if rule.Key != "rules.commands" || !strings.Contains(rule.Entry, "exact: true") {
				t.Errorf("%s: %q: %s: [%s]", line.ID, line.Cmd, rule.Key, rule.Entry)
			}
		}
	}
	all, err := policy.With(rules...)
	if err != nil {
		t.Fatal(err)
	}
	allowed := 0
	for _, line := range lines {
		plan := resolve(line)
		before, after := policy.Judge(plan), all.Judge(plan)
		plan.Close()
		if before.Decision == pathguard.Allow || after.Decision != pathguard.Allow {
			continue
		}
		if allowed++; !learned[line.ID] {
			t.Errorf("%s: %q is allowed by rules for other lines", line.ID, line.Cmd)
		}
	}
	t.Logf("%d rules, of %d lines there are rules for %d; with the rules of a third %d are allowed",
		len(rules), len(lines), len(learned), allowed)
	if len(rules) < 10 || allowed < len(rules)/2 {
		t.Error("too few rules to try much")
	}
}
