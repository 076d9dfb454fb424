package launcher

import (
	"context"
	"testing"
	"time"

	"github.com/tada-run/tada-run/launcher/replay"
)

// Rules that no run has needed are told, if the record goes back as far and has every plan.
func TestUnneeded(t *testing.T) {
	l, req := world(t)
	l.policy = configured(t, l, "rules: {commands: [{program: 'true', verdict: allow}, "+
		"{program: 'false', verdict: allow}, {program: make, verdict: deny}]}\n"+
		"network: {registries: [npm]}\n")
	now := time.Now()
	since := now.AddDate(0, 0, -90)
	run := func(days int) {
		t.Helper()
		l.state.Now = func() time.Time { return now.AddDate(0, 0, -days) }
		status(t, l, req, "true")
	}
	look := func(want bool) replay.Unneeded {
		t.Helper()
		u, ok, err := l.Recorded().Unneeded(context.Background(), since)
		if err != nil || ok != want {
			t.Errorf("known: %v, %v; want %v", ok, err, want)
		}
		return u
	}
	look(false)
	run(100)
	u := look(true)
	if len(u.Rules) != 2 {
		t.Errorf("no run since: %+v", u.Rules)
	}
	run(10)
	u = look(true)
	if len(u.Rules) != 1 || u.Rules[0].Entry != `{program: "false", verdict: allow}` ||
		len(u.Registries) != 1 || len(u.Grants) != 0 {
		t.Errorf("%+v", u)
	}
	req.Env = append(req.Env, "API_TOKEN=abcdef")
	l.policy = configured(t, l, "environment: {keep: [API_TOKEN]}\n")
	l.state.Now = func() time.Time { return now.AddDate(0, 0, -5) }
	status(t, l, req, "echo $API_TOKEN")
	look(false)
}
