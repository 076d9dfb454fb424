package launcher

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/pathguard"
)

// What is accepted stands beside the configuration that may loosen something. A caller who chooses
// another state directory does not choose what is accepted.
func TestAcceptedElsewhere(t *testing.T) {
	l, req := world(t)
	rules := "rules: {commands: [{program: git, args: [push], verdict: allow}]}\n"
	put := func(name, text string) {
		t.Helper()
		err := os.MkdirAll(filepath.Dir(name), 0o700)
		if err == nil {
			err = os.WriteFile(name, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(req.Dir, ".tada/config.yaml"), rules)
	all, err := json.Marshal(map[string]acceptance{req.Dir: {Sum: sumOf([]byte(rules))}})
	if err != nil {
		t.Fatal(err)
	}
	put(l.state.Accepted(), string(all))
	req.Shell.Text = "git push origin main"
	if v := judged(t, l, req).Verdict; v.Decision != pathguard.Allow {
		t.Errorf("accepted: %v", v.Decision)
	}
	if !strings.HasPrefix(l.account, filepath.Dir(l.state.Dir)) {
		t.Fatalf("%s is not of this test", l.account)
	}
	put(ownConfig(l.account), "plain: false\n")
	if v := judged(t, l, req).Verdict; v.Decision != pathguard.Ask {
		t.Errorf("accepted in another state directory alone: %v", v.Decision)
	}
	put(l.beside(l.state.Accepted()), string(all))
	if v := judged(t, l, req).Verdict; v.Decision != pathguard.Allow {
		t.Errorf("accepted in the account's own: %v", v.Decision)
	}
	put(filepath.Join(req.Dir, ".tada/config.yaml"), rules+"\n")
	if v := judged(t, l, req).Verdict; v.Decision != pathguard.Ask {
		t.Errorf("another text: %v", v.Decision)
	}
}

// Whether the cases of the account's own configuration pass is not asked of another state
// directory, nor is what applied before.
func TestCasesElsewhere(t *testing.T) {
	l, _ := world(t)
	own := ownConfig(l.account)
	if err := os.MkdirAll(filepath.Dir(own), 0o700); err != nil {
		t.Fatal(err)
	}
	load := func(text string) pathguard.Policy {
		t.Helper()
		if err := os.WriteFile(own, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := l.load()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	passing := "rules: {commands: [{program: make, verdict: ask}]}\n" +
		"expect: [{command: make, verdict: ask}]\n"
	if p := load(passing); len(l.Failing()) > 0 || len(p.Settings().Commands) != 1 {
		t.Fatalf("%+v", l.Failing())
	}
	failing := "rules: {commands: [{program: make, verdict: allow}]}\n" +
		"expect: [{command: ls, verdict: deny}]\n"
	told, err := json.Marshal(triedCases{Passed: true})
	if err == nil {
		err = os.WriteFile(l.state.Cases(), told, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := load(failing)
	asks := false
	for _, r := range p.Rules() {
		asks = asks || strings.Contains(r.Entry, "program: make") && r.Verdict == pathguard.Ask
	}
	if len(l.Failing()) != 1 || !asks {
		t.Errorf("%+v, rules %+v", l.Failing(), p.Rules())
	}
}
