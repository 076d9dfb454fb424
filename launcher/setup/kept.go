package setup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tada-run/tada-run/launcher/state"
)

// ErrChanged is wrapped when a file is not what tadactl setup showed, or not what it wrote:
// it is left as it is.
var ErrChanged = errors.New("left as it is")

// A File is a file of another program's settings that tadactl setup has changed. It is kept
// until the change is taken back.
type File struct {
	Platform string `json:"platform"`
	Path     string `json:"path"`   // as the platform names it
	Before   []byte `json:"before"` // the file as it was, null for none
	// the permission bits of the file as it was, 0600 for none
	Mode  os.FileMode `json:"mode"`
	Wrote []string    `json:"wrote"` // the SHA-256 of each text that setup wrote there
	// the folders that were not there, the outermost first
	Made []string `json:"made,omitempty"`
}

func (s Files) keptPath(path string) string {
	return filepath.Join(s.State.SetUp(), hashOf([]byte(path)))
}

// isHash reports whether a file in the folder has such a name; others are of a process that was
// killed.
func isHash(name string) bool { return len(name) == 64 && strings.Trim(name, hexDigits) == "" }

const hexDigits = "0123456789abcdef"

// Kept returns what tadactl setup has changed and not taken back, in the order of their
// names in the state directory.
func (s Files) Kept() (list []File, err error) {
	entries, err := os.ReadDir(s.State.SetUp())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if !isHash(e.Name()) {
			continue
		}
		f, err := readKept(filepath.Join(s.State.SetUp(), e.Name()))
		if err != nil {
			return nil, err
		}
		if f != nil {
			list = append(list, *f)
		}
	}
	return list, nil
}

// readKept returns what a file of the folder says, nil if it is not there.
func readKept(name string) (*File, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var f File
	if err == nil {
		err = json.Unmarshal(text, &f)
	}
	if err == nil && hashOf([]byte(f.Path)) != filepath.Base(name) {
		err = errors.New("it is about another file")
	}
	if err != nil {
		return nil, fmt.Errorf("%q: %w", name, err)
	}
	return &f, nil
}

// keep returns when it is on the disk.
func (s Files) keep(f File) error {
	if err := state.PrivateDir(s.State.SetUp()); err != nil {
		return err
	}
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return state.Replace(s.keptPath(f.Path), text)
}

func (s Files) drop(f File) error {
	err := os.Remove(s.keptPath(f.Path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, state.SyncFolder(s.State.SetUp()))
}
