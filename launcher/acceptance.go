package launcher

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"
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
	if text, err := ReadSettings(l.acceptedFile()); err == nil {
		_ = json.Unmarshal(text, &all)
	}
	return all
}

// accepts reports whether a person has accepted a text for a workspace.
func (l *Launcher) accepts(workspace string, text []byte) bool {
	a, ok := l.acceptances()[workspace]
	return ok && a.Sum == sumOf(text)
}

// acceptedFile is where they are: beside the configuration that may loosen something. Who chooses
// another state directory must not choose with it what is accepted.
func (l *Launcher) acceptedFile() string {
	own := ownConfig(l.account)
	if _, err := os.Lstat(own); err == nil && own != l.state.Config() && owned(l.account) {
		return filepath.Join(filepath.Dir(own), filepath.Base(l.state.Accepted()))
	}
	return l.state.Accepted()
}
