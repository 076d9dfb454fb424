package launcher

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// maxSettings bounds another program's settings file.
const maxSettings = 4 << 20

// registerTries is how often a file is read again if another program changes it at the same time.
const registerTries = 8

// Register changes a file in another program's settings on the person's behalf, and protects it as
// tada-run's own configuration as long as something of this program is in it. When the last of that
// is taken out, the file is what it was, byte for byte; changes by others in between stay. Through
// a symbolic link the file behind it is written. The path that is returned is that of the backup,
// "" if nothing was there or nothing changed. Concurrent calls wait for each other.
func (l *Launcher) Register(path string, r Registration) (backup string, err error) {
	alone, err := l.state.Lock("register.lock", syscall.LOCK_EX)
	if err != nil {
		return "", err
	}
	defer alone.Close()
	if path, err = behindLinks(path); err != nil {
		return "", err
	}
	store := l.ownStore()
	if err := untouched(store, path); err != nil {
		return "", err
	}
	for range registerTries {
		if backup, err = l.register(store, path, r); !errors.Is(err, tamper.ErrChangedSince) {
			return backup, errors.Join(err, l.deliverOwn(store))
		}
	}
	return "", errors.Join(fmt.Errorf("%q is being written by another program, so it was left as "+
		"it is; close that, then run this again", path), l.deliverOwn(store))
}

// register is one try. Whatever goes wrong leaves the file, its protection and what is known of it
// as they were.
func (l *Launcher) register(store *tamper.Store, path string,
	r Registration) (backup string, err error) {
	was, mode, err := settingsFile(path)
	if err != nil {
		return "", err
	}
	given, err := l.givenBack(path, was, r)
	if err != nil {
		return "", fmt.Errorf("%q: %w", path, err)
	}
	want, err := r.Change(was, given.Before)
	if err != nil {
		return "", fmt.Errorf("%q: %w", path, err)
	}
	ours := want != nil && r.Holds(want)
	if !ours && !r.Exact {
		want = given.Before
	}
	if bytes.Equal(was, want) && (was == nil) == (want == nil) {
		backup = ""
	} else if backup, err = l.replace(store, path, was, want, mode, &given); err != nil {
		return "", err
	}
	who := l.person(tamper.CLI)
	if ours {
		return backup, errors.Join(store.Protect(who, path), l.keepGiven(path, given, want))
	}
	return backup, errors.Join(store.Release(who, path), l.dropGiven(path, given))
}

// replace writes or removes the file, with a backup of what was there.
func (l *Launcher) replace(store *tamper.Store, path string, was, want []byte, mode os.FileMode,
	given *given) (backup string, err error) {
	if err := mayWrite(path); err != nil {
		return "", err
	}
	protected, _, err := l.Protected(path)
	if err != nil {
		return "", err
	}
	if backup, err = l.backUp(path, was); err != nil {
		return "", err
	}
	var made []string
	if want == nil {
		err = l.remove(store, path, was)
	} else if made, err = makeFolders(filepath.Dir(path)); err == nil {
		given.Made = append(l.madeAround(path), made...)
		if err = l.keepGiven(path, *given, want); err == nil {
			err = store.Replace(l.person(tamper.CLI), path, was, want, mode)
		}
	}
	if err == nil {
		return backup, nil
	}
	removeFolders(made)
	if backup != "" {
		_ = os.Remove(backup)
	}
	if !protected {
		err = errors.Join(err, store.Release(l.person(tamper.CLI), path), l.dropGiven(path, *given))
	}
	return "", err
}

// remove removes a file that tada-run alone had something in. The protection ends first: a process
// that is killed in between leaves the file as it was, and none that seems to be removed by others.
func (l *Launcher) remove(store *tamper.Store, path string, was []byte) error {
	who := l.person(tamper.CLI)
	protected, _, err := l.Protected(path)
	if err == nil {
		err = store.Release(who, path)
	}
	if err != nil {
		return err
	}
	err = tamper.Remove(path, was)
	if err != nil && protected {
		err = errors.Join(err, store.Protect(who, path))
	}
	return err
}

// deliverOwn writes what happened to protected files into the record.
func (l *Launcher) deliverOwn(store *tamper.Store) error {
	log, err := l.OpenLog()
	if err != nil {
		return err
	}
	return errors.Join(deliver(log, store, audit.Durable), log.Close())
}

// behindLinks is the file that a path leads to: settings that are kept elsewhere stay there, also
// when nothing is there yet. One file has one such path, before it is made and afterwards.
func behindLinks(path string) (string, error) { return followLinks(path, 100) }

func followLinks(path string, most int) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	dir := filepath.Dir(path)
	switch {
	case err == nil:
		return real, nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", refused(path, "its path cannot be followed: %v", err)
	case most == 0:
		return "", refused(path, "its path cannot be followed: %v", syscall.ELOOP)
	case dir == path:
		return path, nil
	}
	if dir, err = followLinks(dir, most-1); err != nil {
		return "", err
	}
	path = filepath.Join(dir, filepath.Base(path))
	to, err := os.Readlink(path)
	if err != nil {
		return path, nil // nothing is there
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(dir, to)
	}
	return followLinks(to, most-1)
}

// ReadSettings reads a file of another program's settings, nil if it is not there. One that is no
// regular file is refused: a FIFO would hold whoever opens it.
func ReadSettings(path string) ([]byte, error) {
	text, _, err := settingsFile(path)
	return text, err
}

// settingsFile is [ReadSettings] with the mode; a file that is not there will be the person's
// alone.
func settingsFile(path string) ([]byte, os.FileMode, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0o600, nil
	case errors.Is(err, syscall.ENXIO): // a socket
		return nil, 0, refused(path, "it is not a regular file")
	case err != nil:
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, 0, err
	case !info.Mode().IsRegular():
		return nil, 0, refused(path, "it is not a regular file")
	case info.Size() > maxSettings:
		return nil, 0, refused(path, "it has %d bytes, too many for a settings file", info.Size())
	}
	b, err := io.ReadAll(io.LimitReader(f, maxSettings))
	return b, info.Mode().Perm(), err
}

// mayWrite returns an error for a file that is there and that the person has not meant to be
// replaced.
func mayWrite(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&0o200 == 0:
		return refused(path, "it is read-only; to let it be changed: chmod u+w %q", path)
	case os.Getuid() != 0 && int(info.Sys().(*syscall.Stat_t).Uid) != os.Getuid():
		return refused(path, "it belongs to uid %d, and you are uid %d",
			info.Sys().(*syscall.Stat_t).Uid, os.Getuid())
	case info.Sys().(*syscall.Stat_t).Nlink > 1:
		return refused(path, "it has a second name (a hard link), which would keep the old text; "+
			"make that a symbolic link first")
	}
	return nil
}

func refused(path, format string, args ...any) error {
	return fmt.Errorf("%q: %w", path, &NotWrittenError{fmt.Sprintf(format, args...)})
}

// A NotWrittenError is returned by [Launcher.Register] for a file that cannot be written as it is.
type NotWrittenError struct{ Why string }

func (e *NotWrittenError) Error() string { return e.Why }

// backUp keeps a file as it was, under its path and the time.
func (l *Launcher) backUp(path string, was []byte) (string, error) {
	if was == nil {
		return "", nil
	}
	if err := state.PrivateDir(l.state.Backups()); err != nil {
		return "", err
	}
	name := strings.ReplaceAll(strings.Trim(path, "/"), "/", "_")
	f, err := os.CreateTemp(l.state.Backups(),
		l.state.Now().UTC().Format("20060102T150405Z")+"-*-"+name)
	if err != nil {
		return "", err
	}
	_, err = f.Write(was)
	return f.Name(), errors.Join(err, f.Sync(), f.Close())
}

// Protected returns whether a file is protected as one of tada-run's own, and what was done to it
// from outside, "" when it is as it was left.
func (l *Launcher) Protected(path string) (bool, string, error) {
	if real, err := behindLinks(path); err == nil {
		path = real
	}
	report, err := l.ownStore().Look()
	for _, f := range report.Findings {
		if f.Path == path {
			return true, string(f.Kind), err
		}
	}
	return slices.Contains(report.Files, path), "", err
}

// untouched returns a [tamper.TamperError] for a protected file that was changed from outside:
// writing over it would hide that.
func untouched(store *tamper.Store, path string) error {
	report, err := store.Look()
	for _, f := range report.Findings {
		if f.Path == path {
			return &tamper.TamperError{Root: store.Root(), Findings: []tamper.Finding{f}}
		}
	}
	return err
}

// LinkShell makes the link by which a client starts tada-run as bash, and returns its path.
func (l *Launcher) LinkShell(runner string) (string, error) {
	if err := state.PrivateDir(l.state.Links()); err != nil {
		return "", err
	}
	link := l.state.ShellLink()
	if to, err := os.Readlink(link); err == nil && to == runner {
		return link, nil
	}
	fresh := filepath.Join(l.state.Links(), ".bash-"+state.ProcessOf(os.Getpid()))
	_ = os.Remove(fresh) // of a process that died
	if err := os.Symlink(runner, fresh); err != nil {
		return "", err
	}
	return link, os.Rename(fresh, link) // a program that starts it finds the old or the new one
}
