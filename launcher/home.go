package launcher

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/tada-run/tada-run/pathguard"
)

// A Home is the state directory: everything that tada-run keeps. No fence lets a command
// read or write it.
type Home struct {
	Dir string // absolute, symbolic links resolved
}

// The parts of a Home.
func (h Home) Config() string        { return filepath.Join(h.Dir, "config.yaml") }
func (h Home) Approvals() string     { return filepath.Join(h.Dir, "approvals.db") }
func (h Home) Audit() string         { return filepath.Join(h.Dir, "audit") }
func (h Home) Sessions() string      { return filepath.Join(h.Dir, "sessions") }
func (h Home) Runtime() string       { return filepath.Join(h.Dir, "run") }
func (h Home) Cast(id string) string { return filepath.Join(h.Sessions(), id+".cast") }

// A HomeError says that the state directory cannot be trusted or used. The launcher maps it
// to exit status 78: nothing runs on a state that somebody else could have written.
type HomeError struct {
	Path   string
	Reason string
	Fix    string // the command to type
}

func (e *HomeError) Error() string {
	s := fmt.Sprintf("state directory %q: %s", e.Path, e.Reason)
	if e.Fix != "" {
		s += "; try: " + e.Fix
	}
	return s
}

// OpenHome returns the state directory dir, making it where it is missing. An empty dir
// means .tada in the home directory that the account has in /etc/passwd: $HOME belongs to
// whoever starts the process, and here that is the agent.
func OpenHome(dir string) (Home, error) {
	if dir == "" {
		account, err := AccountHome(os.Getuid())
		if err != nil {
			return Home{}, &HomeError{Path: "~/.tada", Reason: err.Error(),
				Fix: fmt.Sprintf("useradd --create-home --uid %d NAME (as root; in a container, name one that is there: --user NAME)", os.Getuid())}
		}
		dir = filepath.Join(account, ".tada")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Home{}, &HomeError{Path: dir, Reason: "the current directory is gone", Fix: "cd /"}
	}
	h := Home{Dir: dir}
	for _, d := range []string{dir, h.Audit(), h.Sessions(), h.Runtime()} {
		if err := privateDir(d); err != nil {
			return Home{}, err
		}
	}
	if h.Dir, err = filepath.EvalSymlinks(dir); err != nil {
		return Home{}, unusable(dir, err)
	}
	return h, nil
}

// privateDir makes dir with mode 0700, or refuses one that another user owns or may enter.
func privateDir(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, os.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(dir), 0o700); err == nil {
			err = os.Mkdir(dir, 0o700)
		}
	}
	if err != nil && !errors.Is(err, os.ErrExist) {
		return unusable(dir, err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return unusable(dir, err)
	}
	return private(dir, info, 0o077)
}

// unusable is the refusal of a folder that cannot be made or entered, with what helps against the kernel's answer.
func unusable(dir string, err error) *HomeError {
	e := &HomeError{Path: dir, Reason: err.Error()}
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		e.Fix = fmt.Sprintf("namei -l %q, and move away what is no folder", dir)
	case errors.Is(err, syscall.EROFS):
		e.Fix = fmt.Sprintf("mount a folder there that can be written; in a container: --volume FOLDER:%s", dir)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		e.Fix = fmt.Sprintf("df -h -i %q", filepath.Dir(dir))
	default:
		e.Fix = fmt.Sprintf("namei -l %q", dir)
	}
	return e
}

// private refuses what others than this user could have written, or may read.
func private(path string, info os.FileInfo, forbidden os.FileMode) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	if ok && int(st.Uid) != os.Getuid() {
		return &HomeError{Path: path, Reason: fmt.Sprintf("it belongs to uid %d, and you are uid %d", st.Uid, os.Getuid()), Fix: fmt.Sprintf("mv %q %q", path, path+".theirs")}
	}
	if mode := info.Mode().Perm(); mode&forbidden != 0 {
		return &HomeError{Path: path, Reason: fmt.Sprintf("its mode is %04o, so others can reach it", mode), Fix: fmt.Sprintf("chmod go= %q", path)}
	}
	return nil
}

// replace writes a private file so that a reader finds the old text or the new one, and the new one once it has returned,
// whatever happens to the machine then.
func replace(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder returns when the disk has what was renamed or removed there.
func syncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// AccountHome returns the home directory that /etc/passwd gives to uid, or an error where it
// gives none.
func AccountHome(uid int) (string, error) {
	if home := pathguard.HomeOf(uid); home != "" {
		return home, nil
	}
	return "", fmt.Errorf("no account with uid %d has a home directory in /etc/passwd that can be read", uid)
}
