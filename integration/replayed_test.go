package integration

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tada-run/tada-run/launcher/replay"
)

// replayed judges what a story has recorded again, from the record alone. Under the policy that is
// in force at its end, every run that was judged under that policy has the same verdict.
func replayed(env *testscript.Env) {
	t := env.T().(testing.TB)
	if _, err := os.Stat(filepath.Join(env.WorkDir, "state", "plans")); err != nil {
		return
	}
	cmd := exec.Command("tadactl", "policy", "replay", "--json")
	cmd.Env, cmd.Dir = env.Vars, env.WorkDir
	out, err := cmd.Output()
	var r struct {
		Runs    int
		Earlier int `json:"earlier_policy"`
		Changes []replay.Changed
		Skipped []replay.Skipped
	}
	if json.Unmarshal(out, &r) != nil {
		t.Logf("replayed: %v: %s", err, out)
		return // the story is about a state or a configuration that is refused
	}
	for _, g := range r.Changes {
		if g.Earlier < g.Count {
			t.Errorf("replayed, %s is %s: %q %+v", g.From, g.To, g.Rules, g.Examples)
		}
	}
	t.Logf("replayed: %d runs, %d of them under an earlier policy, without %v", r.Runs, r.Earlier,
		r.Skipped)
}
