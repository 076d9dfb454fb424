package pathguard

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// A Layer says where a configuration file comes from. The zero value is the least trusted.
type Layer int

// The layers, least trusted first.
const (
	WorkspaceLayer Layer = iota // data of the repository: it can only tighten
	UserLayer                   // ~/.tada/config.yaml
	FleetLayer                  // a bundle of the fleet that the machine is in: a floor
	FloorLayer                  // /etc/tada/config.yaml, when root owns it
)

// A ConfigFile is one file to load. A file that does not exist says nothing.
type ConfigFile struct {
	Path  string
	Layer Layer
	Root  string // for WorkspaceLayer: where relative paths start
	Draft []byte // what the file is to hold, in place of what it holds; nil for none

	// Accepted says of a workspace's file that a person has accepted what its rules allow. It still
	// loosens nothing else, and nothing at all under a floor.
	Accepted bool
}

// MaxConfig bounds a configuration file, in bytes.
const MaxConfig = 1 << 20

// Text returns what the file holds, nil when there is none, after the checks that [Load] makes of
// it.
func (f ConfigFile) Text(uid int) ([]byte, error) { return f.read(uid) }

// read returns the text of the file, or nil if there is none. The checks are made on the opened
// file. A workspace file is not followed through a link, because error messages would quote the
// link's target; it may have any owner and mode, because it can only tighten.
func (f ConfigFile) read(uid int) ([]byte, error) {
	if f.Draft != nil {
		return f.Draft, nil
	}
	flags := os.O_RDONLY | syscall.O_NONBLOCK
	if f.Layer == WorkspaceLayer {
		flags |= syscall.O_NOFOLLOW
	} else if err := f.above(); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(f.Path, flags, 0)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, &ConfigError{File: f.Path, Msg: "cannot be opened", Err: err}
	}
	defer file.Close()
	if err := f.check(file, uid); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, MaxConfig+1))
	if err != nil {
		return nil, &ConfigError{File: f.Path, Msg: "cannot be read", Err: err}
	}
	if len(text) > MaxConfig {
		return nil, &ConfigError{File: f.Path, Msg: "is larger than 1 MiB"}
	}
	return append([]byte{}, text...), nil
}

// check refuses a file that another user could have written.
func (f ConfigFile) check(file *os.File, uid int) error {
	info, err := file.Stat()
	if err != nil {
		return &ConfigError{File: f.Path, Msg: "cannot be examined", Err: err}
	}
	if !info.Mode().IsRegular() {
		return &ConfigError{File: f.Path, Msg: "is not a regular file"}
	}
	if f.Layer == WorkspaceLayer {
		return nil
	}
	if f.Layer == FloorLayer {
		uid = 0
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != uid {
		return &ConfigError{File: f.Path, Msg: fmt.Sprintf("must be owned by uid %d", uid)}
	}
	if mode := info.Mode().Perm(); mode&othersWrite != 0 {
		return &ConfigError{File: f.Path,
			Msg: fmt.Sprintf("has mode %04o, so other users can change it; try: chmod go-w %q",
				mode, f.Path)}
	}
	return nil
}

// othersWrite are the mode bits that let another user write. Reading is harmless: what is
// configured is no secret.
const othersWrite os.FileMode = 0o022

// above refuses a trusted file below a directory that other users can write, because there they can
// put another directory in the place of the one on the way. In a sticky directory, such as /tmp,
// they cannot. Where the file does not exist yet, they could hide the one that did.
func (f ConfigFile) above() error {
	paths := []string{f.Path}
	var st syscall.Stat_t
	if syscall.Stat(f.Path, &st) == nil { // most often there is none
		if real, err := filepath.EvalSymlinks(f.Path); err == nil && real != f.Path {
			paths = append(paths, real)
		}
	}
	for _, path := range paths {
		for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
			err := syscall.Stat(dir, &st)
			mode := os.FileMode(st.Mode & 0o777)
			if err == nil && mode&othersWrite != 0 && st.Mode&syscall.S_ISVTX == 0 {
				return &ConfigError{File: f.Path, Msg: fmt.Sprintf("other users can replace it, "+
					"because the directory %q has mode %04o; try: chmod go-w %q", dir, mode, dir)}
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return nil
}
