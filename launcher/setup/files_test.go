package setup

import (
	"path/filepath"
	"testing"

	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// files are the settings of a fresh account, and a folder for them.
func files(t *testing.T) (Files, string) {
	t.Helper()
	dir := t.TempDir()
	home, err := state.OpenHome(filepath.Join(dir, "state"))
	if err != nil {
		t.Fatal(err)
	}
	used := home.Use()
	own := tamper.Open(filepath.Join(used.Shadow(), "own"), tamper.Options{Root: "/", All: true,
		Now: used.Now, Alive: used.Lives, Waiting: used.WaitsFor})
	return Files{State: used, Record: record.Of(used), Own: own,
		Who: tamper.Who{User: "dev", Interface: tamper.CLI}}, dir
}
