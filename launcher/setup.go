package launcher

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// SetUp writes want into a file of a platform's settings, as [Launcher.Register] does, and first
// keeps what was there, for [Launcher.TakeSetUpBack]. was is what the person was shown, nil for no
// file. When neither was nor want is there by now, nothing is written, and the error wraps
// ErrSetUpChanged.
func (l *Launcher) SetUp(platform, path string, was, want []byte, r Registration) error {
	alone, err := l.state.Lock("setup.lock", syscall.LOCK_EX)
	if err != nil {
		return err
	}
	defer alone.Close()
	earlier, err := readSetUp(l.setUpPath(path))
	if err != nil {
		return err
	}
	f, err := l.setUpOf(platform, path, earlier, r)
	if err != nil {
		return err
	}
	if hash := hashOf(want); !slices.Contains(f.Wrote, hash) {
		f.Wrote = append(f.Wrote, hash)
	}
	if err := l.keepSetUp(f); err != nil {
		return err
	}
	r.Exact = true
	r.Change = func(is, _ []byte) ([]byte, error) {
		if !sameFile(is, was) && !sameFile(is, want) { // by another setup at the same time
			return nil, fmt.Errorf("it was changed after it was shown, so it was %w; run this "+
				"again", ErrSetUpChanged)
		}
		return want, nil
	}
	if _, err = l.Register(path, r); err == nil {
		return l.sweep(path)
	}
	if is, readErr := ReadSettings(path); readErr != nil || sameFile(is, want) {
		return err // it may have been written
	}
	if earlier != nil {
		return errors.Join(err, l.keepSetUp(*earlier))
	}
	return errors.Join(err, l.dropSetUp(f))
}

// setUpOf is what has to be kept of a file. What was kept counts on if nothing but setup has
// changed the file since.
func (l *Launcher) setUpOf(platform, path string, earlier *SetUpFile,
	r Registration) (SetUpFile, error) {
	real, err := behindLinks(path)
	if err != nil {
		return SetUpFile{}, err
	}
	is, mode, err := settingsFile(real)
	f := SetUpFile{Platform: platform, Path: path, Before: is, Mode: mode,
		Made: missingFolders(filepath.Dir(real))}
	all, allErr := l.SetUpFiles()
	if err = errors.Join(err, allErr); err != nil {
		return f, err
	}
	for _, other := range all { // the last to go takes the folders with it
		for _, dir := range other.Made {
			if isWithin(real, dir) {
				f.Made = append(f.Made, dir)
			}
		}
	}
	slices.Sort(f.Made)
	f.Made = slices.Compact(f.Made)
	if earlier == nil {
		return f, nil
	}
	switch {
	case earlier.wrote(is):
		f.Before, f.Mode, f.Wrote = earlier.Before, earlier.Mode, earlier.Wrote
	case is != nil && r.Holds(is): // a person has changed it with our part in it
		f.Before, err = r.Strip(is, earlier.Before)
	}
	return f, err
}

// sameFile reports whether two files are the same, nil for none.
func sameFile(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

// wrote reports whether setup wrote this text.
func (f SetUpFile) wrote(text []byte) bool {
	return text != nil && slices.Contains(f.Wrote, hashOf(text))
}

// Changeable returns nil for a file of another program's settings that Register could write, and
// otherwise the reason why not. Whether its folder can be made is not known before it is tried.
func Changeable(path string) error {
	real, err := behindLinks(path)
	if err != nil {
		return err
	}
	if err := mayWrite(real); err != nil {
		return err
	}
	dir := filepath.Dir(real)
	if missing := missingFolders(dir); len(missing) > 0 {
		dir = filepath.Dir(missing[0])
	}
	if err := unix.Access(dir, unix.W_OK); err != nil {
		return refused(path, "the folder %q cannot be written: %v", dir, err)
	}
	return nil
}
