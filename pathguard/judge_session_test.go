package pathguard

import (
	"slices"
	"testing"

	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// A session asks once what it opens, in the place of whether its program may run. All else about
// its line is asked as for any other, and what a person has ruled about a host or forbidden holds.
func TestJudgeSession(t *testing.T) {
	agent := func(path string, hosts ...string) *resolve.Plan {
		p := at(command.Exec, 0, path)
		p.Targets[0].Effect, p.Targets[0].Command = -1, 0
		p.Script.Commands = []shellparse.Command{{Name: "agent", Known: true}}
		p.Script.Hazards = []shellparse.Hazard{{Rule: "code.agent", Risk: 2}}
		p.Caller.Session = &resolve.Session{Agent: "agent", Hosts: hosts}
		return p
	}
	other := agent("/opt/agent")
	other.Script.Hazards[0].Command = 1
	script := agent("/opt/agent")
	script.Inner = []resolve.Inner{{Path: "/opt/agent",
		Plan: at(command.Delete, command.Recursive, "/home/dev")}}
	secret := agent("/opt/agent")
	secret.Targets = append(secret.Targets,
		resolve.Target{Right: command.Read,
			Found: resolve.Found{Real: "/home/dev/.ssh/id_rsa", Exists: true, Mode: 0o600}})
	for name, test := range map[string]struct {
		plan   *resolve.Plan
		config string
		want   Decision
		rules  []string
	}{
		"installed":   {agent("/usr/bin/agent"), "", Ask, []string{"session.agent"}},
		"in the home": {agent("/home/dev/x/agent"), "", Ask, []string{"session.agent"}},
		"rule that allows": {agent("/usr/bin/agent"),
			"rules: {commands: [{program: agent, verdict: allow}]}", Ask,
			[]string{"session.agent", "rule.command"}},
		"rule that denies": {agent("/usr/bin/agent"),
			"rules: {commands: [{program: agent, verdict: deny}]}", Deny,
			[]string{"rule.command", "session.agent"}},
		"never": {agent("/usr/bin/agent"), "security: {command_level: never}", Deny,
			[]string{"level.never", "session.agent"}},
		"restricted": {agent("/srv/agent"), "security: {restricted_paths: [/srv]}", Deny,
			[]string{"path.restricted", "session.agent"}},
		"another agent": {other, "", Ask, []string{"code.agent", "session.agent"}},
		"its own code":  {script, "", Ask, []string{"session.agent"}},
		"a secret":      {secret, "", Ask, []string{"read.secret", "session.agent"}},
		"a host denied": {agent("/usr/bin/agent", "api.test:443"),
			"rules: {hosts: [{host: '*.test', verdict: deny}, {host: api.test, verdict: deny}]}",
			Deny, []string{"rule.host", "session.agent"}},
		"a host asked": {agent("/usr/bin/agent", "Api.Test."),
			"rules: {hosts: [{host: api.test, verdict: ask}]}", Ask,
			[]string{"session.agent", "rule.host"}},
		"a host allowed": {agent("/usr/bin/agent", "api.test"),
			"rules: {hosts: [{host: api.test, verdict: allow}]}", Ask, []string{"session.agent"}},
	} {
		v := dev(t, test.config).Judge(test.plan)
		var rules []string
		for _, r := range v.Reasons {
			rules = append(rules, r.Rule)
		}
		slices.Sort(rules)
		slices.Sort(test.rules)
		if v.Decision != test.want || !slices.Equal(rules, test.rules) {
			t.Errorf("%s: %v %q, want %v %q", name, v.Decision, rules, test.want, test.rules)
		}
		test.plan.Caller.Session = nil
		if slices.ContainsFunc(dev(t, test.config).Judge(test.plan).Reasons,
			func(r Reason) bool { return r.Rule == "session.agent" }) {
			t.Errorf("%s: it is told of a session where there is none", name)
		}
	}
}
