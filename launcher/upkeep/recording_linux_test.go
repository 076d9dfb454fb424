package upkeep

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/state"
)

// Packing, dropping and redacting leave alone a transcript that has just been made and is not
// locked yet: its run lives.
func TestTranscriptOfALivingRunIsLeftAlone(t *testing.T) {
	home, err := state.OpenHome(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	dir := home.Use()
	k := Of(record.Of(dir), dir, nil, Aging{})
	id, err := state.NewID(dir.Now(), dir.Random)
	if err != nil {
		t.Fatal(err)
	}
	log, err := k.record.OpenLog()
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	run, err := log.Begin(id)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir.Cast(id), make([]byte, 8192), 0o600); err != nil {
		t.Fatal(err)
	}
	alive := audit.Alive(dir.Audit())
	if !alive(id) || !k.recording(id) {
		t.Errorf("while it runs: alive %t, recording %t", alive(id), k.recording(id))
	}
	if err := run.End(); err != nil {
		t.Fatal(err)
	}
	if alive(id) || k.recording(id) {
		t.Errorf("after its end: alive %t, recording %t", alive(id), k.recording(id))
	}
}
