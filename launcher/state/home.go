package state

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/pathguard/passwd"
)

// A HomeError says that the state directory cannot be trusted or used. The launcher maps it to exit
// status 78: nothing runs on a state that another user could have written.
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

// OpenHome returns the state directory dir, making it where it is missing.
func OpenHome(dir string) (Home, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Home{}, &HomeError{Path: dir, Reason: "the current directory is gone", Fix: "cd /"}
	}
	h := Home{Dir: dir}
	for _, d := range []string{dir, h.Audit(), h.Sessions(), h.Runtime()} {
		if err := PrivateDir(d); err != nil {
			return Home{}, err
		}
	}
	if h.Dir, err = filepath.EvalSymlinks(dir); err != nil {
		return Home{}, unusable(dir, err)
	}
	return h, nil
}

// PrivateDir makes dir with mode 0700, or refuses one that another user owns or may enter.
func PrivateDir(dir string) error {
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
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return unusable(dir, err)
	}
	return Private(dir, info, 0o077)
}

// unusable is the refusal of a folder that cannot be made or entered, with what helps against the
// kernel's answer.
func unusable(dir string, err error) *HomeError {
	e := &HomeError{Path: dir, Reason: err.Error()}
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		e.Reason, e.Fix = notDirectory(dir)
	case errors.Is(err, syscall.EROFS):
		e.Fix = fmt.Sprintf("mount a folder there that can be written; in a container: "+
			"--volume FOLDER:%s", dir)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		e.Fix = fmt.Sprintf("df -h -i %q", filepath.Dir(dir))
	default:
		e.Fix = fmt.Sprintf("namei -l %q", dir)
	}
	return e
}

// notDirectory says which part of a path is not a directory. Only what is in the way of the
// account's own state directory is for the user to move; elsewhere the path is a mistake.
func notDirectory(dir string) (reason, fix string) {
	file := dir
	for {
		info, err := os.Stat(file)
		if err == nil && !info.IsDir() {
			break
		}
		if file == filepath.Dir(file) {
			return syscall.ENOTDIR.Error(), fmt.Sprintf("namei -l %q", dir)
		}
		file = filepath.Dir(file)
	}
	reason = fmt.Sprintf("%q is not a directory", file)
	if isOwn(file) {
		return reason, fmt.Sprintf("mv %q %q", file, file+".old")
	}
	return reason, another()
}

// ownDir is the account's own state directory, "" for an account without a home.
func ownDir() string {
	account, err := AccountHome(os.Getuid())
	if err != nil {
		return ""
	}
	return filepath.Join(account, ".tada")
}

// isOwn reports whether a path is the account's own state directory, or below it.
func isOwn(path string) bool {
	own := ownDir()
	return own != "" && (path == own || strings.HasPrefix(path, own+"/"))
}

// isState reports whether a directory is one that tada-run has used, or that holds nothing yet.
func isState(dir string) bool {
	entries, err := os.ReadDir(dir)
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == name })
	}
	return err == nil && (len(entries) == 0 || has("audit") && has("sessions") ||
		has("approvals.db"))
}

// another advises to use another directory. What is there belongs to something else: its mode and
// its name are not ours to change.
func another() string {
	return fmt.Sprintf("name a directory of your own, such as --home %q", cmp.Or(ownDir(), "DIR"))
}

// Private refuses what others than this user could have written, or may read.
func Private(path string, info os.FileInfo, forbidden os.FileMode) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	if ok && int(st.Uid) != os.Getuid() {
		e := &HomeError{Path: path, Reason: fmt.Sprintf("it belongs to uid %d, and you are uid %d",
			st.Uid, os.Getuid()), Fix: another()}
		if isOwn(path) {
			e.Fix = fmt.Sprintf("mv %q %q", path, path+".theirs")
		}
		return e
	}
	if mode := info.Mode().Perm(); mode&forbidden != 0 {
		e := &HomeError{Path: path, Reason: fmt.Sprintf("its mode is %04o, so others can reach it",
			mode), Fix: fmt.Sprintf("chmod go= %q", path)}
		if info.IsDir() && !isOwn(path) && !isState(path) && !isState(filepath.Dir(path)) {
			e.Reason, e.Fix = "it is not a state directory: it contains other files", another()
		}
		return e
	}
	return nil
}

// Replace writes a private file so that a reader finds the old text or the new one, and the new one
// once it has returned, whatever happens to the machine then.
func Replace(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), draftPrefix+filepath.Base(path)+".*")
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
	return SyncFolder(filepath.Dir(path))
}

// draftPrefix begins the name of a file that has not got its own name yet, here and in package
// plans.
const draftPrefix = ".new-"

// RemoveDrafts removes from folders what processes left that died before a file had its name. It
// leaves alone what is younger than an hour: its process may live.
func RemoveDrafts(now time.Time, folders ...string) {
	for _, folder := range folders {
		list, err := os.ReadDir(folder)
		if err != nil {
			continue // it holds none, or the next time
		}
		for _, e := range list {
			if !strings.HasPrefix(e.Name(), draftPrefix) || !e.Type().IsRegular() {
				continue
			}
			if info, err := e.Info(); err == nil && now.Sub(info.ModTime()).Abs() > time.Hour {
				_ = os.Remove(filepath.Join(folder, e.Name()))
			}
		}
	}
}

// SyncFolder returns when the disk has what was renamed or removed there.
func SyncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// AccountHome returns the home directory that /etc/passwd gives to uid, or an error where it
// gives none.
func AccountHome(uid int) (string, error) {
	if home := passwd.HomeOf(uid); home != "" {
		return home, nil
	}
	return "", fmt.Errorf("/etc/passwd has no readable home directory for uid %d", uid)
}
