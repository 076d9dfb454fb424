package setup

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"golang.org/x/sys/unix"
)

// SetUp writes want into a file of a platform's settings, as [Files.Register] does, and first
// keeps what was there, for [Files.TakeBack]. was is what the person was shown, nil for no
// file. When neither was nor want is there by now, nothing is written, and the error wraps
// ErrChanged.
func (s Files) SetUp(platform, path string, was, want []byte, r Registration) error {
	alone, err := s.State.Lock("setup.lock", syscall.LOCK_EX)
	if err != nil {
		return err
	}
	defer alone.Close()
	earlier, err := readKept(s.keptPath(path))
	if err != nil {
		return err
	}
	f, err := s.toKeep(platform, path, earlier, r)
	if err != nil {
		return err
	}
	if hash := hashOf(want); !slices.Contains(f.Wrote, hash) {
		f.Wrote = append(f.Wrote, hash)
	}
	if err := s.keep(f); err != nil {
		return err
	}
	r.Exact = true
	r.Change = func(is, _ []byte) ([]byte, error) {
		if !sameFile(is, was) && !sameFile(is, want) { // by another setup at the same time
			return nil, fmt.Errorf("it was changed after it was shown, so it was %w; run this "+
				"again", ErrChanged)
		}
		return want, nil
	}
	if _, err = s.Register(path, r); err == nil {
		return s.sweep(path)
	}
	if is, readErr := Read(path); readErr != nil || sameFile(is, want) {
		return err // it may have been written
	}
	if earlier != nil {
		return errors.Join(err, s.keep(*earlier))
	}
	return errors.Join(err, s.drop(f))
}

// toKeep is what has to be kept of a file. What was kept counts on if nothing but setup has
// changed the file since.
func (s Files) toKeep(platform, path string, earlier *File, r Registration) (File, error) {
	real, err := behindLinks(path)
	if err != nil {
		return File{}, err
	}
	is, mode, err := settingsFile(real)
	f := File{Platform: platform, Path: path, Before: is, Mode: mode,
		Made: missingFolders(filepath.Dir(real))}
	all, allErr := s.Kept()
	if err = errors.Join(err, allErr); err != nil {
		return f, err
	}
	for _, other := range all { // the last to go takes the folders with it
		for _, dir := range other.Made {
			if pathname.Within(real, dir) {
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
func (f File) wrote(text []byte) bool {
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
