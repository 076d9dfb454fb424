//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tada-run/tada-run/launcher/broker"
)

// A shared directory costs a rule for each of its entries only where something in it is hidden, and
// then one.
func TestCrowdedShared(t *testing.T) {
	const crowd = 300
	ll, err := queryLandlock()
	must(t, err)
	levels(t, func(t *testing.T, p Profile) {
		top, err := filepath.EvalSymlinks(t.TempDir())
		must(t, err)
		dir := top + "/tmp"
		must(t, os.MkdirAll(dir+"/state", 0o700))
		must(t, os.MkdirAll(top+"/beside/state", 0o700))
		rules := func(view *broker.View, hide string) int {
			t.Helper()
			p := p
			p.Read = append(slices.Clip(p.Read), Path{Name: top})
			p.Hide, p.View = append(slices.Clip(p.Hide), hide), view
			b := &builder{attempt: attempt{profile: p, landlock: ll, level: p.Most,
				command: Command{Path: "/bin/true", Argv: []string{"true"}}}}
			process, _, err := b.start()
			must(t, err)
			if s, err := process.Wait(); err != nil || s.Shell() != 0 {
				t.Errorf("%+v %v", s, err)
			}
			return b.files.rules
		}
		view := &broker.View{Dirs: []string{dir}, Ledger: top + "/ledger"}
		empty := rules(view, top+"/beside/state")
		for i := range crowd {
			must(t, os.WriteFile(fmt.Sprintf("%s/%d", dir, i), nil, 0o600))
		}
		if got := rules(view, top+"/beside/state"); got != empty || got == 0 {
			t.Errorf("%d rules, and %d in a crowd in which nothing is hidden", empty, got)
		}
		if got, without := rules(view, dir+"/state"), rules(nil, dir+"/state"); got > without ||
			p.Most == Base && got < crowd {
			t.Errorf("%d rules, and %d with a view", without, got)
		}
	})
}
