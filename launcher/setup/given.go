package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard/pathname"
)

// A given is what goes back to the person when the last of this program is taken out of a settings
// file: kept in the state directory, because the settings may hold secrets and other programs drop
// members that they do not know.
type given struct {
	Path   string `json:"path"`
	Before []byte `json:"before"` // the file as it was, null for none
	Left   string `json:"left"`   // the SHA-256 of the file as this program left it
	// the folders that were made for it, the outermost first
	Made []string `json:"made,omitempty"`
}

func (s Files) givenPath(path string) string {
	return filepath.Join(s.State.Registered(), hashOf([]byte(path)))
}

func hashOf(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// givenBack reads what is known about a file. If another program has changed it since, the restored
// text is the present one without our part.
func (s Files) givenBack(path string, was []byte, r Registration) (g given, err error) {
	text, err := os.ReadFile(s.givenPath(path))
	if err == nil {
		err = json.Unmarshal(text, &g)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return given{}, err
	}
	g.Path = path
	if was == nil || g.Left == hashOf(was) {
		if was == nil {
			g.Before = nil
		}
		return g, nil
	}
	g.Before, err = r.Strip(was, g.Before)
	return g, err
}

// keepGiven keeps what goes back of a file with this content.
func (s Files) keepGiven(path string, g given, left []byte) error {
	if err := state.PrivateDir(s.State.Registered()); err != nil {
		return err
	}
	g.Left = hashOf(left)
	text, err := json.Marshal(g)
	if err != nil {
		return err
	}
	return state.Replace(s.givenPath(path), text)
}

// dropGiven ends it, and removes the folders that were made for the file, if nothing else is in
// them.
func (s Files) dropGiven(path string, g given) error {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		removeFolders(g.Made)
	}
	if err := os.Remove(s.givenPath(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// madeAround are the folders around a file that were made for other files, the outermost first: the
// last of the files to go takes them with it.
func (s Files) madeAround(path string) (made []string) {
	names, _ := filepath.Glob(filepath.Join(s.State.Registered(), "*"))
	for _, name := range names {
		var g given
		if text, err := os.ReadFile(name); err != nil || json.Unmarshal(text, &g) != nil {
			continue
		}
		for _, dir := range g.Made {
			if pathname.Within(path, dir) {
				made = append(made, dir)
			}
		}
	}
	slices.Sort(made)
	return slices.Compact(made)
}

// A Registration is what is done to a file in another program's settings. Was is what is there, nil
// for no file; before is the file as it was before anything of this program was in it, nil when
// there was none.
type Registration struct {
	Change func(was, before []byte) ([]byte, error) // what is to be there; nil for no file
	// without anything of this program; nil when nothing else is left
	Strip func(was, before []byte) ([]byte, error)
	Holds func(text []byte) bool // whether anything of this program is in it
	// what Change returns is written even if nothing of this program is in it; otherwise that is
	// what was there before
	Exact bool
}
