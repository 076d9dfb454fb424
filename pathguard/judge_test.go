package pathguard

import (
	"fmt"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/pathguard/hosts"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// at is a plan with one target at an absolute path, in the workspace /w of /home/dev.
func at(right command.Right, flags command.Flags, path string) *resolve.Plan {
	mode := os.FileMode(0o644)
	if flags&command.Recursive != 0 {
		mode = os.ModeDir | 0o755
	}
	return &resolve.Plan{
		Script: &shellparse.Script{Text: "x", Canonical: "x", Plain: true,
			Commands: []shellparse.Command{{Name: "x", Builtin: true}},
			Effects: []shellparse.Effect{{Right: right, Flags: flags,
				Name: shellparse.Name{Text: path, Static: true}}}},
		Caller: resolve.Caller{Dir: "/w", Home: "/home/dev"}, Workspace: "/w", Dir: "/w",
		Targets: []resolve.Target{{Right: right, Flags: flags, Name: path,
			Found: resolve.Found{Real: path, Exists: true, Mode: mode}}},
	}
}

func dev(t testing.TB, text string) Policy {
	t.Helper()
	set, err := decode(ConfigFile{Path: "test", Layer: UserLayer}, []byte(text), defaults())
	if err != nil {
		t.Fatal(err)
	}
	p, err := compile(Account{Home: "/home/dev", UID: os.Getuid()}, set, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// actionsOf are the columns of the table, as effects.
var actionsOf = map[string]struct {
	right command.Right
	flags command.Flags
}{
	"list": {command.Read, command.List}, "read": {command.Read, 0},
	"sweep": {command.Read, command.Recursive}, "write": {command.Write, 0},
	"append": {command.Write, command.Append},
	"create": {command.Create, 0}, "chmod": {command.Write, command.Meta},
	"chmod -R": {command.Write, command.Meta | command.Recursive},
	"rm":       {command.Delete, 0}, "rm -r": {command.Delete, command.Recursive},
	"exec": {command.Exec, 0}, "source": {command.Read, command.Source},
}

// TestJudgePlaces reads as the built-in policy: where, what, and the answer.
func TestJudgePlaces(t *testing.T) {
	p := dev(t,
		"security: {restricted_paths: [/srv/secret, ~/.aws], readonly_paths: [~/.ssh, /w/vendor]}")
	tests := []struct{ path, allow, ask, deny string }{
		{"/w/a.txt", "list,read,sweep,write,append,create,chmod,chmod -R,rm,exec,source", "rm -r",
			""},
		{"/w", "list,read,sweep,write,chmod,source", "rm,rm -r,chmod -R", ""},
		{"/w/node_modules", "read,write,rm,rm -r,exec", "", ""},
		{"/w/web/dist/js", "read,write,rm,rm -r,exec", "", ""},
		{"/w/.git/hooks/pre-commit", "list,read,exec", "write,append,create,chmod,rm,rm -r", ""},
		{"/w/.git", "list,read,sweep", "write,rm,rm -r", ""},
		{"/w/sub/.envrc", "", "write,rm", ""},
		{"/w/.github/workflows/ci.yml", "read", "write,rm", ""},
		{"/w/.github/README.md", "read,write,rm", "", ""},
		{"/w/CLAUDE.md", "read", "write,rm", ""},
		{"/w/.tada/config.yaml", "read,list", "", "write,rm,rm -r,chmod,append,create"},
		{"/w/package.json", "read,write,rm", "", ""},
		{"/w/.env", "list,write,rm", "read,source", ""},
		{"/w/.env.example", "read,write,rm", "", ""},
		{"/w/api/.env.production.template", "read,write,rm", "", ""},
		{"/w/.env.example.real", "write,rm", "read", ""},
		{"/w/.claude/hooks/x.sh", "read", "write,rm", ""},
		{"/w/.claude/worktrees/fix/src/a.ts", "read,write,create,append,rm,chmod", "rm -r", ""},
		{"/w/.claude/worktrees/fix/.claude/settings.json", "read", "write,rm", ""},
		{"/w/.claude/worktrees/fix/.git", "read", "write,rm", ""},
		{"/w/.claude/worktrees/fix/.env", "write", "read", ""},
		{"/w/.claude/worktreesx", "read", "write,rm", ""},
		{"/w/certs/server.key", "list,write", "read", ""},
		{"/w/vendor/a.go", "read,exec", "write,append,create,chmod,rm,rm -r", ""},
		{"/tmp/x", "read,write,create,rm,rm -r,chmod", "exec", ""},
		{"/tmp", "list,read,sweep,write", "rm,rm -r,chmod", ""},
		{"/home/dev/.cache/golangci-lint/x", "read,write,rm", "rm -r", ""},
		{"/home/dev/.cache/tool/x", "read", "write,rm,rm -r", ""},
		{"/home/dev/.cache/p10k-instant-prompt-dev.zsh", "read", "write,append,create,chmod,rm",
			""},
		{"/home/dev/.cache/go-build/x", "read,rm", "write,append,create,chmod,rm -r", ""},
		{"/home/dev/.gradle/wrapper/dists/g/bin/gradle", "read,exec", "write", ""},
		{"/home/dev/notes.txt", "list,read", "write,create,rm,rm -r,exec,source,chmod", ""},
		{"/home/dev/.local/bin/tool", "read,exec", "write,rm", ""},
		{"/home/dev/.bashrc", "read,source", "write,append,rm,chmod", ""},
		{"/home/dev/.claude/settings.json", "read", "write,rm", ""},
		{"/home/dev/.ssh/id_rsa", "list", "read,write,append,rm,chmod,source", ""},
		{"/home/dev/.ssh/id_rsa.pub", "list,read", "write,rm", ""},
		{"/home/dev/.ssh/known_hosts", "read", "write", ""},
		{"/home/dev/.config/gh/hosts.yml", "list", "read,write", ""},
		{"/home/dev", "list,read", "sweep,chmod", "rm,rm -r,chmod -R"},
		{"/home", "list,read", "sweep", "rm,rm -r,chmod -R"},
		{"/", "list,read", "sweep", "rm,rm -r,chmod,chmod -R"},
		{"/etc", "list,read", "write", "rm,rm -r,chmod -R"},
		{"/etc/passwd", "list,read", "write,append,rm,chmod", ""},
		{"/etc/shadow", "list", "read,write", ""},
		{"/usr/bin/ls", "read,exec,source", "write,rm", ""},
		{"/var/log/x.log", "read", "write,rm", ""},
		{"/home/x", "read", "write,append,rm,create", ""},
		{"/mnt/disk/x", "read,list", "write,rm,exec", ""},
		{"/dev/null", "read,write,append", "", ""},
		{"/dev/tty", "read,write", "", ""},
		{"/dev/sda", "list", "", "read,write,append,rm,chmod"},
		{"/proc/cpuinfo", "read", "write", ""},
		{"/proc/self/status", "read", "write", ""},
		{"/proc/1/environ", "list", "read,write", ""},
		{"/proc/1/status", "read", "", ""},
		{"/proc/sys/kernel/x", "read", "write", ""},
		{"/sys/class/x", "read", "write", ""},
		{"/srv/secret", "", "", "list,read,sweep,write,append,create,chmod,rm,rm -r,exec,source"},
		{"/srv/secret/in/it", "", "", "list,read,write,rm,exec"},
		{"/srv/secrets", "read", "", ""},
		{"/srv", "list,read", "sweep,write", "rm,rm -r,chmod -R"},
		{"/home/dev/.aws/config", "", "", "list,read,write,rm"},
		{"/home/dev/.tada/audit/log.jsonl", "", "", "list,read,write,append,rm,chmod,exec"},
		{"/home/dev/.tada", "", "", "list,read,rm -r"},
		{"/etc/tada/config.yaml", "", "", "read,write,rm"},
	}
	for _, tt := range tests {
		for d, names := range map[Decision]string{Allow: tt.allow, Ask: tt.ask, Deny: tt.deny} {
			for name := range strings.SplitSeq(names, ",") {
				a, ok := actionsOf[name]
				if name == "" || !ok {
					continue
				}
				v := p.Judge(at(a.right, a.flags, tt.path))
				if v.Decision != d {
					t.Errorf("%s %s: %v, want %v: %+v", name, tt.path, v.Decision, d, v.Reasons)
				}
				if d != Allow && (len(v.Reasons) == 0 || v.Reasons[0].Message == "" ||
					v.Reasons[0].Decision != d) {
					t.Errorf("%s %s: no reason for %v", name, tt.path, d)
				}
			}
		}
	}
}

// ruleIDs are the rules of table/rules.txt. Every line of the table is a remark, the begin of an
// entry, or one of its texts.
func ruleIDs() (ids []string) {
	for line := range strings.Lines(rulesText) {
		id, _, entry := strings.Cut(line, ": ")
		switch {
		case line == "\n", line[0] == '#', line[0] == '\t':
		case entry:
			ids = append(ids, id)
		default:
			ids = append(ids, "no rule: "+line)
		}
	}
	return ids
}

// TestTable: every cell that does not allow has a rule that has texts in both languages.
func TestTable(t *testing.T) {
	used := map[string]bool{}
	for _, row := range Table() {
		for a, c := range row.Cells {
			if (c.Decision == Allow) != (c.Rule == "") {
				t.Errorf("%v %v: %v %q", row.Place, Action(a), c.Decision, c.Rule)
			}
			used[c.Rule] = true
		}
	}
	for _, c := range opaqueCells {
		used[c.Rule] = true
	}
	for rule := range used {
		if _, ok := ruleTextOf(rule); rule != "" && !ok {
			t.Errorf("rule %q says nothing", rule)
		}
	}
	ids := ruleIDs()
	if sorted := slices.Sorted(slices.Values(ids)); len(ids) < 60 ||
		len(slices.Compact(sorted)) != len(ids) {
		t.Errorf("%d rules, or one twice: %q", len(ids), ids)
	}
	for _, id := range ids {
		text, _ := ruleTextOf(id)
		if text.en == "" || text.zh == "" || text.kind == "" ||
			(text.instead == "") != (text.insteadZh == "") {
			t.Errorf("rule %q lacks a text", id)
		}
		for _, field := range []string{"{path}", "{detail}"} {
			if strings.Contains(text.en, field) != strings.Contains(text.zh, field) &&
				id != "delete.root" {
				t.Errorf("rule %q says %s in one language only", id, field)
			}
		}
	}
}

// C-4.1.1: three findings, each allow, ask or deny: the strictest decides and all are kept.
func TestStrictestWins(t *testing.T) {
	paths := map[Decision]string{Allow: "/w/a", Ask: "/home/dev/a", Deny: "/srv/secret/a"}
	p := dev(t, "security: {restricted_paths: [/srv/secret]}")
	for a := Deny; a <= Allow; a++ {
		for b := Deny; b <= Allow; b++ {
			for c := Deny; c <= Allow; c++ {
				plan := at(command.Write, 0, paths[a])
				for i, d := range []Decision{b, c} {
					plan.Script.Effects = append(plan.Script.Effects,
						shellparse.Effect{Right: command.Write,
							Span: shellparse.Span{Start: i + 1, End: i + 2}})
					plan.Targets = append(plan.Targets,
						resolve.Target{Right: command.Write,
							Found: resolve.Found{Real: paths[d], Exists: true}, Effect: i + 1})
				}
				v := p.Judge(plan)
				if want := min(a, b, c); v.Decision != want {
					t.Errorf("%v %v %v: %v", a, b, c, v.Decision)
				}
				kept := 0
				for _, d := range []Decision{a, b, c} {
					if d != Allow {
						kept++
					}
				}
				if len(v.Reasons) != kept ||
					!slices.IsSortedFunc(v.Reasons,
						func(x, y Reason) int { return int(x.Decision - y.Decision) }) {
					t.Errorf("%v %v %v: %d reasons, want %d", a, b, c, len(v.Reasons), kept)
				}
			}
		}
	}
}

// TestZeroDenies: a value that was not filled in does not run.
func TestZeroDenies(t *testing.T) {
	var d Decision
	if d != Deny || (Verdict{}).Decision != Deny ||
		(Policy{}).Judge(at(command.Read, 0, "/w/a")).Decision != Deny {
		t.Error("a zero value allows")
	}
	if v := Default(Account{}).Judge(nil); v.Decision != Deny {
		t.Error("no plan allows")
	}
	if f := (Policy{}).Fence(at(command.Write, 0, "/w/a")); len(f.Write) != 0 || f.Network ||
		f.Require != Strong {
		t.Errorf("%+v", f)
	}
	if Decision(17).String() != "deny" || Decision(-1).String() != "deny" {
		t.Error("an unknown decision is no denial")
	}
	var empty Settings
	if empty.AllowShell || empty.Require != Strong || empty.Network != NetList ||
		empty.AllowTerminalTakeover || empty.KeepBackground {
		t.Error("zero settings permit")
	}
}

// randomSettings makes settings out of a few words, so that two of them often disagree.
func randomSettings(r *rand.Rand) Settings {
	some := func(from ...string) (out []string) {
		for _, s := range from {
			if r.Intn(3) == 0 {
				out = append(out, s)
			}
		}
		return out
	}
	s := Settings{
		Level: Level{r.Intn(4) == 0, r.Intn(4) == 0}, AllowShell: r.Intn(3) > 0,
		AllowTerminalTakeover: r.Intn(2) == 0, TamperProof: r.Intn(2) == 0,
		RestrictedPaths: some("/srv", "/w/x", "~/a", "**/q"),
		ReadOnlyPaths:   some("/w/y", "/w/x", "/home", "**/q"), Protect: some("a", "b"),
		Network: NetMode(r.Intn(3)), NetworkAllow: some("a.example", "*.example", "b.other"),
		Require: Require(r.Intn(2)), PrivateTmp: r.Intn(2) == 0,
	}
	for _, path := range some("/w/x", "/w", "/home/dev", "/etc", "**/q") {
		s.Paths = append(s.Paths, PathRule{Path: path, Verdict: Decision(r.Intn(3)),
			Rights: [][]command.Right{nil, {command.Read}, {command.Write}}[r.Intn(3)]})
	}
	for _, name := range some("git", "rm", "x") {
		s.Commands = append(s.Commands,
			CommandRule{Program: name, Args: some("push"), Flags: some("-f", "--force"),
				Verdict: Decision(r.Intn(3))})
	}
	for _, host := range some("a.example", "*.example", "b.other") {
		s.Hosts = append(s.Hosts, HostRule{Host: host, Verdict: Decision(r.Intn(3))})
	}
	return s
}

func randomPlan(r *rand.Rand) *resolve.Plan {
	pick := func(from ...string) string { return from[r.Intn(len(from))] }
	rights := []command.Right{command.Read, command.Write, command.Create, command.Delete,
		command.Exec}
	plan := at(rights[r.Intn(len(rights))], command.Flags(r.Intn(16)),
		pick("/w/x/f", "/w/y", "/w", "/srv/a", "/home/dev/a", "/etc/q", "/w/q", "/w/z", "/tmp/x"))
	plan.Script.Plain = r.Intn(2) == 0
	word := func(s string) shellparse.Word {
		return shellparse.Word{Text: s, Static: r.Intn(5) > 0}
	}
	name := pick("git", "rm", "x", "ls")
	plan.Script.Commands = []shellparse.Command{{Name: name,
		Args: []shellparse.Word{word(name), word(pick("push", "a")),
			word(pick("-f", "--force", "-q"))}, Builtin: true}}
	if r.Intn(2) == 0 {
		plan.Script.Effects = append(plan.Script.Effects,
			shellparse.Effect{Right: command.Net, Net: &shellparse.Endpoint{
				Host:   pick("a.example", "c.example", "b.other", "localhost", "z"),
				Static: r.Intn(4) > 0, Upload: r.Intn(3) == 0}})
	}
	if r.Intn(3) == 0 {
		plan.Script.Hazards = []shellparse.Hazard{{Rule: "x.y", Risk: 1 + r.Intn(3), Message: "m"}}
	}
	return plan
}

// E-env-1: whatever a second file says, the joined policy permits nothing that the first
// does not, and nothing that the second's own denials and questions forbid.
func TestTightenOnlyTightens(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewSource(7))
	account := Account{Home: "/home/dev"}
	changed, rounds := 0, 300
	if testing.Short() {
		rounds = 60
	}
	for range rounds {
		base, add := randomSettings(r), randomSettings(r)
		joined, _ := base.strictest(add)
		p, err := compile(account, base, nil)
		if err != nil {
			t.Fatal(err)
		}
		q, err := compile(account, joined, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 40 {
			plan := randomPlan(r)
			before, after := p.Judge(plan), q.Judge(plan)
			if after.Decision > before.Decision {
				t.Fatalf("%v became %v\nbase %+v\nadd  %+v\nplan %+v %+v", before.Decision,
					after.Decision, base, add, plan.Targets, plan.Script)
			}
			if after.Decision < before.Decision {
				changed++
			}
			if i > 0 {
				continue // a fence looks at the disk
			}
			f, g := p.Fence(plan), q.Fence(plan)
			if g.Require > f.Require || g.PrivateTmp != (f.PrivateTmp || add.PrivateTmp) ||
				g.Network && !f.Network {
				t.Fatalf("the fence became wider: %+v, then %+v", f, g)
			}
		}
		again, _ := joined.strictest(add)
		if x, y := fmt.Sprint(joined.RestrictedPaths, joined.Level, joined.NetworkAllow),
			fmt.Sprint(again.RestrictedPaths, again.Level, again.NetworkAllow); x != y {
			t.Fatalf("joined twice: %s, then %s", x, y)
		}
	}
	if changed < rounds*5/3 {
		t.Errorf("only %d verdicts changed: the test looks at too little", changed)
	}
}

// TestMergeTable is the truth table of the single values, first file against second.
func TestMergeTable(t *testing.T) {
	always, never := Level{Always: true}, Level{Never: true}
	levels := []struct{ a, b, want Level }{
		{Level{}, Level{}, Level{}}, {Level{}, always, always}, {always, Level{}, always},
		{never, Level{}, never}, {Level{}, never, never},
		{always, never, Level{true, true}}, {never, always, Level{true, true}},
	}
	for _, tt := range levels {
		if got, _ := (Settings{Level: tt.a}).strictest(Settings{Level: tt.b}); got.Level != tt.want {
			t.Errorf("%v and %v: %v", tt.a, tt.b, got.Level)
		}
	}
	for _, a := range []bool{false, true} {
		for _, b := range []bool{false, true} {
			got, _ := (Settings{AllowShell: a, AllowTerminalTakeover: a, TamperProof: a,
				PrivateTmp: a, KeepBackground: a}).strictest(
				Settings{AllowShell: b, AllowTerminalTakeover: b, TamperProof: b, PrivateTmp: b,
					KeepBackground: b})
			if got.AllowShell != (a && b) || got.KeepBackground != (a && b) ||
				got.AllowTerminalTakeover != (a && b) || got.TamperProof != (a || b) ||
				got.PrivateTmp != (a || b) {
				t.Errorf("%v and %v: %+v", a, b, got)
			}
		}
	}
	nets := []struct {
		a, b  NetMode
		x, y  []string
		want  NetMode
		allow string
	}{
		{NetOn, NetOff, nil, nil, NetOff, "[]"}, {NetOff, NetOn, nil, nil, NetOff, "[]"},
		{NetOff, NetList, []string{"a"}, []string{"b"}, NetList, "[b]"},
		{NetList, NetOn, []string{"a"}, []string{"b"}, NetList, "[a]"},
		{NetList, NetList, []string{"a", "b"}, []string{"b", "c"}, NetList, "[b]"},
		{NetList, NetList, []string{"*.x"}, []string{"a.x", "y"}, NetList, "[a.x]"},
	}
	for _, tt := range nets {
		got, _ := (Settings{Network: tt.a, NetworkAllow: tt.x}).strictest(Settings{Network: tt.b,
			NetworkAllow: tt.y})
		if got.Network != tt.want || fmt.Sprint(got.NetworkAllow) != tt.allow {
			t.Errorf("%v %v and %v %v: %v %v", tt.a, tt.x, tt.b, tt.y, got.Network,
				got.NetworkAllow)
		}
	}
}

// TestJudgeCode: code is judged by where it comes from, and code that was not wholly
// understood by whether it talks.
func TestJudgeCode(t *testing.T) {
	p := dev(t, "")
	plan := func(c shellparse.Code, host string) *resolve.Plan {
		plan := at(command.Read, 0, "/w/a")
		plan.Script.Codes = []shellparse.Code{c}
		if host != "" {
			plan.Script.Effects = append(plan.Script.Effects,
				shellparse.Effect{Right: command.Net,
					Net: &shellparse.Endpoint{Host: host, Static: true}})
		}
		return plan
	}
	tests := []struct {
		code shellparse.Code
		host string
		want Decision
		rule string
	}{
		{shellparse.Code{Source: shellparse.Literal}, "", Allow, ""},
		{shellparse.Code{Source: shellparse.Literal, Opaque: true}, "", Ask, "code.opaque"},
		{shellparse.Code{Source: shellparse.Literal, Opaque: true, Lang: "julia",
			Text: `println("1 + 1 is ", 1+1)`}, "", Allow, ""},
		{shellparse.Code{Source: shellparse.Literal, Opaque: true, Lang: "julia",
			Text: `println("$(rm(x))")`}, "", Ask, "code.opaque"},
		{shellparse.Code{Source: shellparse.Literal, Opaque: true, Lang: "julia",
			Text: "run(`rm x`)"}, "", Ask, "code.opaque"},
		{shellparse.Code{Source: shellparse.Literal, Opaque: true, Lang: "erlang",
			Text: `os:cmd("id").`}, "", Ask, "code.opaque"},
		{shellparse.Code{Lang: "bc"}, "", Allow, ""},
		{shellparse.Code{Source: shellparse.Literal}, "x.example", Allow, ""},
		{shellparse.Code{Source: shellparse.Literal, Opaque: true}, "localhost", Ask,
			"code.opaque"},
		{shellparse.Code{Source: shellparse.Literal, Opaque: true}, "x.example", Ask, "code.talks"},
		{shellparse.Code{Source: shellparse.File}, "", Allow, ""},
		{shellparse.Code{Source: shellparse.Stdin}, "", Ask, "code.stdin"},
		{shellparse.Code{Source: shellparse.Decoded}, "", Ask, "code.decoded"},
		{shellparse.Code{Source: shellparse.Network}, "", Ask, "code.network"},
		{shellparse.Code{}, "", Ask, "code.unknown"},
		{shellparse.Code{Source: 99}, "", Ask, "code.unknown"},
	}
	for _, tt := range tests {
		v := p.Judge(plan(tt.code, tt.host))
		if v.Decision != tt.want || tt.rule != "" && v.Reasons[0].Rule != tt.rule {
			t.Errorf("%+v %q: %v %+v", tt.code, tt.host, v.Decision, v.Reasons)
		}
	}
	for place := shellparse.InText; place <= shellparse.InData+1; place++ {
		plan := at(command.Read, 0, "/w/a")
		plan.Script.Opaque = []shellparse.Opaque{{Place: place, Text: "$x"}}
		want := Ask
		if place == shellparse.InWrite || place == shellparse.InOption ||
			place == shellparse.InRead || place == shellparse.InData {
			want = Allow
		}
		if v := p.Judge(plan); v.Decision != want {
			t.Errorf("opaque %d: %v", place, v.Decision)
		}
	}
}

// TestJudgeNet: who is contacted, and what goes out.
func TestJudgeNet(t *testing.T) {
	tests := []struct {
		policy string
		net    shellparse.Endpoint
		want   Decision
	}{
		{"", shellparse.Endpoint{Host: "example.com", Static: true}, Allow},
		{"", shellparse.Endpoint{Host: "example.com", Static: true, Upload: true}, Ask},
		{"", shellparse.Endpoint{Host: "localhost", Static: true, Upload: true}, Allow},
		{"", shellparse.Endpoint{Host: "127.0.0.1", Static: true, Upload: true}, Allow},
		{"", shellparse.Endpoint{Host: "[::1]", Static: true, Upload: true}, Allow},
		{"", shellparse.Endpoint{Host: "127.0.0.1.evil.example", Static: true, Upload: true}, Ask},
		{"", shellparse.Endpoint{Host: "localhost", Upload: true}, Ask},
		{"", shellparse.Endpoint{Host: "example.com"}, Ask},
		{"", shellparse.Endpoint{Static: true}, Ask},
		{"", shellparse.Endpoint{Host: "0.0.0.0", Static: true}, Ask},
		{"", shellparse.Endpoint{Scheme: hosts.RemoteScheme, Static: true}, Allow},
		{"", shellparse.Endpoint{Scheme: hosts.RemoteScheme, Host: "origin", Static: true,
			Upload: true}, Ask},
		{"network: {default: list, allow: [a.example]}",
			shellparse.Endpoint{Host: "A.example.", Static: true}, Allow},
		{"network: {default: list, allow: [a.example]}",
			shellparse.Endpoint{Host: "b.example", Static: true}, Ask},
		{"network: {default: list, allow: ['*.example']}",
			shellparse.Endpoint{Host: "b.example", Static: true}, Allow},
		{"network: {default: list, allow: ['*.example']}",
			shellparse.Endpoint{Host: "example", Static: true}, Ask},
		{"network: {default: list}", shellparse.Endpoint{Scheme: hosts.RemoteScheme, Static: true},
			Ask},
	}
	for _, tt := range tests {
		plan := at(command.Read, 0, "/w/a")
		net := tt.net
		plan.Script.Effects = append(plan.Script.Effects,
			shellparse.Effect{Right: command.Net, Net: &net})
		if v := dev(t, tt.policy).Judge(plan); v.Decision != tt.want {
			t.Errorf("%q %+v: %v %+v", tt.policy, tt.net, v.Decision, v.Reasons)
		}
	}
	plan := at(command.Read, 0, "/w/a")
	plan.Script.Effects = append(plan.Script.Effects, shellparse.Effect{Right: command.Net})
	if v := dev(t, "").Judge(plan); v.Decision != Ask {
		t.Errorf("no endpoint: %v", v.Decision)
	}
}
