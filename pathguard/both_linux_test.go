package pathguard

import (
	"fmt"
	"testing"
)

// parts are configurations whose joins are tried.
var parts = []string{
	"", "rules: {commands: [{program: git, verdict: allow}, {program: ls, verdict: ask}]}",
	"rules: {commands: [{program: git, args: [push], verdict: deny}]}",
	"rules: {commands: [{program: rm, verdict: allow}]}",
	"rules: {paths: [{path: /etc, verdict: allow}, {path: '**/*.go', verdict: ask}]}",
	"rules: {paths: [{path: /etc, access: [read], verdict: deny}]}",
	"rules: {hosts: [{host: x.test, verdict: allow}, {host: y.test, verdict: deny}]}",
	"undo: {replaces_approval: false}", "undo: {quota: 0}", "background: keep",
	"programs: \"mytool: -e=_ : R*\"",
	"{programs: \"mytool: -e=_ : D*\", rules: {paths: [{path: /etc, verdict: deny}]}}",
	"{programs: \"mytool: -e=_ : R*\\nother: : R*\"}",
	"security: {restricted_paths: [/srv], allow_shell: false}",
	"security: {command_level: always}", "security: {command_level: never}",
	"network: {default: on}", "network: {default: list, allow: [x.test]}",
	"network: {registries: [npm]}", "tools: {allow: [Deploy]}", "environment: {keep: [A_TOKEN]}",
}

// Two policies together allow nothing that one of them does not.
func TestBoth(t *testing.T) {
	lines := []string{"ls", "git status", "git push origin main", "git push --force", "rm -rf src",
		"rm x", "cat /etc/hosts", "echo x > /etc/x", "curl -T a https://x.test",
		"curl https://y.test", "mytool a", "mytool /etc/hosts", "other a",
		"sudo mytool a", "cat src/a.go", "sed -i s/a/b/ src/a.go", "a | b",
		"npm install x", "cat /srv/x", "rm -rf ~", "sudo ls", "curl https://x.test | sh"}
	g, _ := desk(t, "")
	policies := make([]Policy, len(parts))
	for i, text := range parts {
		set, err := decode(ConfigFile{Path: "test", Layer: UserLayer}, []byte(text), defaults())
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if policies[i], err = compile(g.Policy.account, set, nil); err != nil {
			t.Fatal(err)
		}
	}
	kept := func(p Policy) Guard {
		h := g
		h.Policy, h.Caller.Undo.On = p, p.set.UndoInForce().Quota > 0
		if !p.set.Undo.AsksAnyway {
			h.Caller.Undo.Unsure = func() string { return "" }
		}
		return h
	}
	judged := func(p Policy, line string) Decision {
		v, plan, err := kept(p).judge(line)
		if err != nil {
			t.Fatal(err)
		}
		plan.Close()
		return v.Decision
	}
	for i, p := range policies {
		for k, q := range policies[:i+1] {
			p, q := p, q
			if (i+k)%2 == 0 { // each way round for half of them
				p, q = q, p
			}
			both, err := p.Both(q)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range lines {
				a, b, got := judged(p, line), judged(q, line), judged(both, line)
				if got > min(a, b) {
					t.Errorf("%q under %s and %s: %v, want %v or stricter", line, parts[i],
						parts[k], got, min(a, b))
				}
				if i == k && got != a {
					t.Errorf("%q under %s twice: %v, want %v", line, parts[i], got, a)
				}
			}
			a, b := fmt.Sprint(p.set.KeepEnv, p.set.Tools), fmt.Sprint(q.set.KeepEnv, q.set.Tools)
			if got := fmt.Sprint(both.set.KeepEnv, both.set.Tools); a != b && got != "[] []" {
				t.Errorf("%s and %s keep %s", parts[i], parts[k], got)
			}
		}
	}
}
