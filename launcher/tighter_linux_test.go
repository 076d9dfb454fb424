package launcher

import (
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/pathguard"
)

// What the runs of a workspace have not needed becomes a configuration of that workspace, under
// which nothing is decided otherwise.
func TestTighter(t *testing.T) {
	l, req := world(t)
	l.policy = configured(t, l, "rules: {commands: [{program: 'true', verdict: allow}, "+
		"{program: git, args: [push], verdict: allow, answers: [net.upload]}], "+
		"paths: [{path: /srv/none, access: [write], verdict: allow}]}\n"+
		"network: {registries: [npm, pip]}\n")
	now := time.Now()
	since := now.AddDate(0, 0, -90)
	run := func(days int, line string) {
		t.Helper()
		l.state.Now = func() time.Time { return now.AddDate(0, 0, -days) }
		status(t, l, req, line)
	}
	if _, _, ok, err := l.Tighter(req.Dir, since); ok || err != nil {
		t.Errorf("without a record: %v, %v", ok, err)
	}
	run(100, "true")
	run(10, "true")
	found, file, ok, err := l.Tighter(req.Dir, since)
	if err != nil || !ok || found.Runs != 1 || !strings.HasPrefix(file, req.Dir) {
		t.Fatalf("%+v, %q, %v, %v", found, file, ok, err)
	}
	const want = `  localhost: false
  registries: []
`
	const rules = `rules:
  commands:
    - {program: git, args: [push], verdict: ask}
  paths:
    - {path: /srv/none, access: [write], verdict: ask}
`
	if !strings.HasPrefix(found.Config, "network:\n"+want) ||
		!strings.HasSuffix(found.Config, rules) {
		t.Errorf("got\n%s", found.Config)
	}
	draft := pathguard.WorkspaceConfig(req.Dir)
	draft.Draft = []byte(found.Config)
	tight, err := l.policy.Tighten(draft)
	if err != nil || len(tight.Notes()) != 0 {
		t.Fatalf("%v, %q", err, tight.Notes())
	}
	if set := tight.Settings(); !set.NoLocalhost || len(set.Registries) != 0 {
		t.Errorf("%+v", set)
	}

	// What is needed stays: a server of this machine, by the record or by the text.
	run(5, "exec 3<>/dev/tcp/127.0.0.1/9 || true")
	found, _, _, err = l.Tighter(req.Dir, since)
	if err != nil || strings.Contains(found.Config, "localhost") {
		t.Errorf("%v\n%s", err, found.Config)
	}
}
