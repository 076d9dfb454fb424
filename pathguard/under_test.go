package pathguard

import (
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/pathguard/resolve"
)

// under is the policy of a machine of a fleet with these bundles, whose account has a text.
func under(t testing.TB, own string, bundles ...string) Policy {
	t.Helper()
	var files []ConfigFile
	for i, text := range bundles {
		files = append(files, ConfigFile{Path: "fleet: " + string(rune('a'+i)),
			Layer: FleetLayer, Draft: []byte(text)})
	}
	dir := t.TempDir()
	p, err := LoadUnder(Account{Home: dir, StateDir: dir + "/.tada"}, files,
		ConfigFile{Path: "/nonexistent/floor", Layer: FloorLayer},
		ConfigFile{Path: "own", Layer: UserLayer, Draft: []byte(own)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A policy is as strict as each bundle alone, in any order, and no file of the machine loosens it.
func TestLoadUnder(t *testing.T) {
	t.Parallel()
	texts := []string{
		"rules: {commands: [{program: make, verdict: allow}, {program: env, verdict: deny}]}\n" +
			"limits: {memory: none, time: 5m}\nnotify: [sh, -c, id]\n" +
			"undo: {except: [~/a], keep: 240h}\n",
		"private_tmp: true\nlimits: {time: 1m}\n" +
			"rules: {commands: [{program: less, verdict: ask}]}\n" +
			"network: {default: list, allow: [a.test, b.test]}\n" +
			"expect: [{command: ls, verdict: deny}]\n",
		"rules: {commands: [{program: make, verdict: allow}],\n" +
			"        hosts: [{host: c.test, verdict: deny}]}\n" +
			"network: {default: on}\nundo: {keep: 1h, quota: 1M}\n",
	}
	loose := "private_tmp: false\nnetwork: {default: on}\nlimits: {time: none}\n" +
		"rules: {commands: [{program: env, verdict: allow}, {program: curl, verdict: allow}]}\n"
	of := map[string]int{"env": 0, "less": 1, "c.test": 2} // the text of a rule
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}} {
		var list []string
		for _, i := range order {
			list = append(list, texts[i])
		}
		p := under(t, loose, list...)
		s := p.Settings()
		if !s.PrivateTmp || s.Network != NetList || len(s.Expect) > 0 ||
			len(s.Approval.Notify) > 0 {
			t.Errorf("%v: %+v", order, s)
		}
		if l := s.LimitsOf(Limits{Memory: 7}); l.Memory != 7 || l.Time.Minutes() != 1 {
			t.Errorf("%v: %+v", order, l)
		}
		if u := s.Undo; u.Keep.Hours() != 240 || u.Quota != 1<<20 || len(u.Except) != 1 {
			t.Errorf("%v: %+v", order, u)
		}
		for _, r := range p.Rules() {
			if r.Verdict == Allow {
				t.Errorf("%v: %s", order, r.Entry)
			}
			n := slices.Index(order, of[wordOf(r.Entry)])
			if !strings.HasPrefix(r.Source, "fleet: "+string(rune('a'+n))+":") {
				t.Errorf("%v: %s is from %s", order, r.Entry, r.Source)
			}
		}
		if len(p.Rules()) != 3 {
			t.Errorf("%v: %v", order, p.Rules())
		}
	}
	if p := under(t, "", texts[0], texts[0]); len(p.Rules()) < 2 || p.Rules()[0].Verdict != Allow {
		t.Errorf("what all allow: %v", p.Rules())
	}
	if p := under(t, "", "programs: 'deploy: : R*'\n", "{}\n"); !denies(p, "deploy x") {
		t.Error("a program that bundles know differently")
	}
}

func wordOf(entry string) string {
	_, rest, _ := strings.Cut(entry, ": ")
	word, _, _ := strings.Cut(rest, ",")
	return strings.Trim(word, `"`)
}

func denies(p Policy, command string) bool {
	g := Guard{Policy: p, Caller: resolve.Caller{Dir: "/", Home: "/nonexistent",
		Env: map[string]string{}}}
	r, err := g.AnalyzeShellCommand(command)
	return err == nil && r.Verdict == Deny
}
