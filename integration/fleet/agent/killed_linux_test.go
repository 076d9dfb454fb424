package agent

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/zstandard"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/member"
	"github.com/tada-run/tada-run/integration/fleet/registrar"
	"github.com/tada-run/tada-run/integration/hermetic"
)

// agentOf names the state directory of an agent that is a process of its own, for a test to kill.
const agentOf = "FLEET_AGENT_OF"

// TestAgentProcess is that process.
func TestAgentProcess(t *testing.T) {
	dir := os.Getenv(agentOf)
	if dir == "" {
		t.Skip("another test starts it")
	}
	l := openPlace(t, dir).Unpacking(audit.Codec{Encoder: zstandard.Encoder,
		Decoder: zstandard.Decoder})
	folder := member.In(l.Home())
	own, err := folder.Load()
	if err != nil {
		t.Fatal(err)
	}
	access, err := folder.Access()
	if err != nil {
		t.Fatal(err)
	}
	c, err := clientv3.New(clientv3.Config{Endpoints: own.Endpoints, TLS: access,
		Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	a := &Agent{Launcher: l, Folder: folder, Etcd: c, Now: time.Now, Out: os.Stderr}
	t.Fatal(a.Run(context.Background()))
}

// An agent that is killed at any moment of its first work leaves what the next one goes on with:
// the questions from before the machine joined, a freeze, and a list of people.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.add(newKey(t, "bob"), document.Person{MaxRisk: 3}, "*")
	every, err := document.ParseSelector("*")
	if err != nil {
		t.Fatal(err)
	}
	rounds := hermetic.Rounds(8) // after each, the place stays taken for ten seconds
	for i := range rounds {
		before := &machine{bed: b, l: openPlace(t, filepath.Join(t.TempDir(), "state"))}
		e := before.ask(0)
		m := b.join(before.l, registrar.Invitation{})
		life := time.Duration(i*400/rounds) * time.Millisecond
		m.killedAfter(life)
		if i%2 == 0 {
			m.killedAfter(life / 2)
		}
		m.start()
		if got := m.get(e.ID); got.State != approval.Pending || got.Decision != nil {
			t.Errorf("killed after %v: %+v", life, got)
		}
		m.trusts(2)
		m.stop()
	}
	m := b.machine("")
	if _, err := b.office().Freeze(t.Context(), b.ann,
		document.Freeze{Machines: every, Time: time.Now()}); err != nil {
		t.Fatal(err)
	}
	m.killedAfter(300 * time.Millisecond)
	m.start()
	m.eventually("frozen", func() bool { why, _ := m.folder.Frozen(); return why != "" })
}

// killedAfter starts an agent as a process and kills it some time after it has begun.
func (m *machine) killedAfter(life time.Duration) {
	m.Helper()
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestAgentProcess$")
	cmd.Env = append(os.Environ(), agentOf+"="+m.l.Home().Dir)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		m.Fatal(err)
	}
	m.eventually("its lock", func() bool {
		_, err := os.Stat(m.l.Home().FleetSocket())
		return err == nil
	})
	time.Sleep(life)
	if err := cmd.Process.Kill(); err != nil {
		m.Fatal(err)
	}
	_ = cmd.Wait()
	if text := out.String(); strings.Contains(text, "FAIL") || strings.Contains(text, "panic") {
		m.Errorf("it ended by itself after %v:\n%.1000s", life, text)
	}
}
