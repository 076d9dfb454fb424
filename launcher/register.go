package launcher

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// maxSettings bounds another program's settings file.
const maxSettings = 4 << 20

// Backups is where the files of other programs are kept as they were before this one changed them.
func (h Home) Backups() string { return filepath.Join(h.Dir, "backup") }

// Register changes a file in another program's settings on the person's behalf, and protects it from then on as
// tada-run's own configuration is. Edit gets what is there, nil when there is no file, and returns what is to be
// there; with nil the file is removed. Protect says of that text whether it has to be protected. The path that is
// returned is that of the backup, "" where nothing was there or nothing changed. Two at once wait for each other.
func (l *Launcher) Register(path string, edit func([]byte) ([]byte, error), protect func([]byte) bool) (backup string, err error) {
	unlock, err := l.registering()
	if err != nil {
		return "", err
	}
	defer unlock()
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // settings that are kept in a repository stay there
	}
	store, who := l.ownStore(), l.person(tamper.CLI)
	if err := untouched(store, path); err != nil {
		return "", err
	}
	was, mode, err := settingsFile(path)
	if err != nil {
		return "", err
	}
	want, err := edit(was)
	if err != nil {
		return "", fmt.Errorf("%q: %w", path, err)
	}
	if !bytes.Equal(was, want) {
		if backup, err = l.backUp(path, was); err != nil {
			return "", err
		}
	}
	switch {
	case want == nil:
		if err = os.Remove(path); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	case !bytes.Equal(was, want):
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = store.Save(who, path, path, want, mode)
		}
	case protect(want):
		err = store.Protect(who, path)
	}
	if err == nil && (want == nil || !protect(want)) {
		err = store.Release(who, path)
	}
	return backup, errors.Join(err, l.deliverOwn(store))
}

// deliverOwn writes what happened to protected files into the record.
func (l *Launcher) deliverOwn(store *tamper.Store) error {
	log, err := l.openLog()
	if err != nil {
		return err
	}
	return errors.Join(deliver(log, store, audit.Durable), log.Close())
}

// registering waits for others who change settings.
func (l *Launcher) registering() (func(), error) {
	f, err := os.OpenFile(filepath.Join(l.home.Runtime(), "register.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := l.flock(f, syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %q: %w", f.Name(), err)
	}
	return func() { f.Close() }, nil
}

// settingsFile reads a file and its mode; a file that is not there will be the person's alone.
func settingsFile(path string) ([]byte, os.FileMode, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0o600, nil
	case err != nil:
		return nil, 0, err
	case !info.Mode().IsRegular():
		return nil, 0, fmt.Errorf("%q is not a regular file", path)
	case info.Size() > maxSettings:
		return nil, 0, fmt.Errorf("%q has %d bytes, too many for a settings file", path, info.Size())
	}
	b, err := os.ReadFile(path)
	if b == nil {
		b = []byte{}
	}
	return b, info.Mode().Perm(), err
}

// backUp keeps a file as it was, under its path and the time.
func (l *Launcher) backUp(path string, was []byte) (string, error) {
	if was == nil {
		return "", nil
	}
	if err := privateDir(l.home.Backups()); err != nil {
		return "", err
	}
	name := strings.ReplaceAll(strings.Trim(path, "/"), "/", "_")
	f, err := os.CreateTemp(l.home.Backups(), l.now().UTC().Format("20060102T150405Z")+"-*-"+name)
	if err != nil {
		return "", err
	}
	_, err = f.Write(was)
	return f.Name(), errors.Join(err, f.Sync(), f.Close())
}

// Protected returns whether a file is protected as one of tada-run's own, and what was done to it from outside,
// "" when it is as it was left.
func (l *Launcher) Protected(path string) (bool, string, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
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

// untouched returns a [tamper.TamperError] for a protected file that somebody changed: to write over it would hide that.
func untouched(store *tamper.Store, path string) error {
	report, err := store.Look()
	for _, f := range report.Findings {
		if f.Path == path {
			return &tamper.TamperError{Root: store.Root(), Findings: []tamper.Finding{f}}
		}
	}
	return err
}

// Links is where this program stands under the names of shells.
func (h Home) Links() string { return filepath.Join(h.Dir, "bin") }

// ShellLink is the link that [Launcher.LinkShell] makes.
func (h Home) ShellLink() string { return filepath.Join(h.Links(), "bash") }

// LinkShell makes the link by which a client starts tada-run as bash, and returns its path.
func (l *Launcher) LinkShell(runner string) (string, error) {
	if err := privateDir(l.home.Links()); err != nil {
		return "", err
	}
	link := l.home.ShellLink()
	if to, err := os.Readlink(link); err == nil && to == runner {
		return link, nil
	}
	fresh := filepath.Join(l.home.Links(), ".bash-"+runnerOf(os.Getpid()))
	_ = os.Remove(fresh) // of a process that died
	if err := os.Symlink(runner, fresh); err != nil {
		return "", err
	}
	return link, os.Rename(fresh, link) // whoever starts it now finds the old one or the new one
}
