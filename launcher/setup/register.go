package setup

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// registerTries is how often a file is read again if another program changes it at the same time.
const registerTries = 8

// Register changes a file in another program's settings on the person's behalf, and protects it as
// tada-run's own configuration as long as something of this program is in it. When the last of that
// is taken out, the file is what it was, byte for byte; changes by others in between stay. Through
// a symbolic link the file behind it is written. The path that is returned is that of the backup,
// "" if nothing was there or nothing changed. Concurrent calls wait for each other.
func (s Files) Register(path string, r Registration) (backup string, err error) {
	alone, err := s.State.Lock("register.lock", syscall.LOCK_EX)
	if err != nil {
		return "", err
	}
	defer alone.Close()
	if path, err = behindLinks(path); err != nil {
		return "", err
	}
	if err := s.untouched(path); err != nil {
		return "", err
	}
	for range registerTries {
		if backup, err = s.register(path, r); !errors.Is(err, tamper.ErrChangedSince) {
			return backup, errors.Join(err, s.deliver())
		}
	}
	return "", errors.Join(fmt.Errorf("%q is being written by another program, so it was left as "+
		"it is; close that, then run this again", path), s.deliver())
}

// register is one try. Whatever goes wrong leaves the file, its protection and what is known of it
// as they were.
func (s Files) register(path string, r Registration) (backup string, err error) {
	was, mode, err := settingsFile(path)
	if err != nil {
		return "", err
	}
	given, err := s.givenBack(path, was, r)
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
	} else if backup, err = s.replace(path, was, want, mode, &given); err != nil {
		return "", err
	}
	if ours {
		return backup, errors.Join(s.Own.Protect(s.Who, path), s.keepGiven(path, given, want))
	}
	return backup, errors.Join(s.Own.Release(s.Who, path), s.dropGiven(path, given))
}

// replace writes or removes the file, with a backup of what was there.
func (s Files) replace(path string, was, want []byte, mode os.FileMode,
	given *given) (backup string, err error) {
	if err := mayWrite(path); err != nil {
		return "", err
	}
	protected, _, err := s.Protected(path)
	if err != nil {
		return "", err
	}
	if backup, err = s.backUp(path, was); err != nil {
		return "", err
	}
	var made []string
	if want == nil {
		err = s.remove(path, was)
	} else if made, err = makeFolders(filepath.Dir(path)); err == nil {
		given.Made = append(s.madeAround(path), made...)
		if err = s.keepGiven(path, *given, want); err == nil {
			err = s.Own.Replace(s.Who, path, was, want, mode)
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
		err = errors.Join(err, s.Own.Release(s.Who, path), s.dropGiven(path, *given))
	}
	return "", err
}

// remove removes a file that tada-run alone had something in. The protection ends first: a process
// that is killed in between leaves the file as it was, and none that seems to be removed by others.
func (s Files) remove(path string, was []byte) error {
	protected, _, err := s.Protected(path)
	if err == nil {
		err = s.Own.Release(s.Who, path)
	}
	if err != nil {
		return err
	}
	err = tamper.Remove(path, was)
	if err != nil && protected {
		err = errors.Join(err, s.Own.Protect(s.Who, path))
	}
	return err
}

// deliver writes what happened to protected files into the record.
func (s Files) deliver() error {
	log, err := s.Record.OpenLog()
	if err != nil {
		return err
	}
	return errors.Join(record.Deliver(log, s.Own, audit.Durable), log.Close())
}

// backUp keeps a file as it was, under its path and the time.
func (s Files) backUp(path string, was []byte) (string, error) {
	if was == nil {
		return "", nil
	}
	if err := state.PrivateDir(s.State.Backups()); err != nil {
		return "", err
	}
	name := strings.ReplaceAll(strings.Trim(path, "/"), "/", "_")
	f, err := os.CreateTemp(s.State.Backups(),
		s.State.Now().UTC().Format("20060102T150405Z")+"-*-"+name)
	if err != nil {
		return "", err
	}
	_, err = f.Write(was)
	return f.Name(), errors.Join(err, f.Sync(), f.Close())
}

// Protected returns whether a file is protected as one of tada-run's own, and what was done to it
// from outside, "" when it is as it was left.
func (s Files) Protected(path string) (bool, string, error) {
	if real, err := behindLinks(path); err == nil {
		path = real
	}
	report, err := s.Own.Look()
	for _, f := range report.Findings {
		if f.Path == path {
			return true, string(f.Kind), err
		}
	}
	return slices.Contains(report.Files, path), "", err
}

// untouched returns a [tamper.TamperError] for a protected file that was changed from outside:
// writing over it would hide that.
func (s Files) untouched(path string) error {
	report, err := s.Own.Look()
	for _, f := range report.Findings {
		if f.Path == path {
			return &tamper.TamperError{Root: s.Own.Root(), Findings: []tamper.Finding{f}}
		}
	}
	return err
}
