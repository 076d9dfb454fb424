package launcher

import (
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/tada-run/tada-run/launcher/setup"
)

// The configuration of a workspace is data of its repository, and only tightens. What its rules
// allow counts when a person has accepted exactly this text for exactly this workspace.

// An acceptance is what a person has accepted of one workspace.
type acceptance struct {
	Sum  string    `json:"sum"` // SHA-256 of the text
	Text string    `json:"text"`
	Time time.Time `json:"time"`
}

// acceptances are those of all workspaces, by their paths. What cannot be read accepts nothing.
func (l *Launcher) acceptances() map[string]acceptance {
	all := map[string]acceptance{}
	if text, err := setup.Read(l.beside(l.state.Accepted())); err == nil {
		_ = json.Unmarshal(text, &all)
	}
	return all
}

// accepts reports whether a person has accepted a text for a workspace.
func (l *Launcher) accepts(workspace string, text []byte) bool {
	a, ok := l.acceptances()[workspace]
	return ok && a.Sum == sumOf(text)
}

// beside is a file beside the configuration that may loosen something. Who chooses another state
// directory must not choose with it what a person has accepted.
func (l *Launcher) beside(file string) string {
	return filepath.Join(filepath.Dir(l.loosest()), filepath.Base(file))
}
