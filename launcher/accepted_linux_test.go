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
	put(l.acceptedFile(), string(all))
	if v := judged(t, l, req).Verdict; v.Decision != pathguard.Allow {
		t.Errorf("accepted in the account's own: %v", v.Decision)
	}
	put(filepath.Join(req.Dir, ".tada/config.yaml"), rules+"\n")
	if v := judged(t, l, req).Verdict; v.Decision != pathguard.Ask {
		t.Errorf("another text: %v", v.Decision)
	}
}
