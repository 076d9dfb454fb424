package launcher

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/state"
)

// Packing, dropping and redacting leave alone a transcript that has just been made and is not
// locked yet: its run lives.
func TestTranscriptOfALivingRunIsLeftAlone(t *testing.T) {
	l, err := own(filepath.Join(t.TempDir(), "state")).Open()
	if err != nil {
		t.Fatal(err)
	}
	id, err := state.NewID(l.state.Now(), l.state.Random)
	if err != nil {
		t.Fatal(err)
	}
	log, err := l.OpenLog()
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	run, err := log.Begin(id)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.state.Cast(id), make([]byte, 8192), 0o600); err != nil {
		t.Fatal(err)
	}
	alive := audit.Alive(l.state.Audit())
	if !alive(id) || !l.recording(id) {
		t.Errorf("while it runs: alive %t, recording %t", alive(id), l.recording(id))
	}
	if err := run.End(); err != nil {
		t.Fatal(err)
	}
	if alive(id) || l.recording(id) {
		t.Errorf("after its end: alive %t, recording %t", alive(id), l.recording(id))
	}
}

// A port is barred from when Bar returns until it is lifted, also while runs ask, and again after
// that.
func TestBarWhileRunsAsk(t *testing.T) {
	l, err := own(filepath.Join(t.TempDir(), "state")).Open()
	if err != nil {
		t.Fatal(err)
	}
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-over:
				return
			default:
				l.state.IsBarred(4711)
			}
		}
	}()
	for range 200 {
		lift, err := l.state.Bar(4711)
		if err != nil {
			t.Fatal(err)
		}
		if !l.state.IsBarred(4711) {
			t.Fatal("not barred")
		}
		lift()
	}
	close(over)
	<-done
	if l.state.IsBarred(4711) {
		t.Error("barred after it was lifted")
	}
}
