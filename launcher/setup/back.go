package setup

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
)

// A Standing says what has become of a file since tadactl setup wrote it.
type Standing string

// The standings.
const (
	AsWritten Standing = "as written" // it can be put back
	AsBefore  Standing = "as before"  // someone has put it back, or it was never written
	Without   Standing = "without"    // changed by someone, and nothing of tada-run is in it
	Changed   Standing = "changed"    // changed by someone, with something of tada-run in it
)

// Standing returns the present text of a file, nil for none, and what has become of it.
func (s Files) Standing(f File, r Registration) ([]byte, Standing, error) {
	real, err := behindLinks(f.Path)
	if err != nil {
		return nil, "", err
	}
	is, mode, err := settingsFile(real)
	return is, f.standing(is, mode, r), err
}

func (f File) standing(is []byte, mode os.FileMode, r Registration) Standing {
	switch {
	case sameFile(is, f.Before) && (is == nil || mode == f.Mode):
		return AsBefore
	case f.wrote(is) && mode == f.Mode:
		return AsWritten
	case is == nil || !r.Holds(is):
		return Without
	}
	return Changed
}

// TakeBack puts a file back as it was before tadactl setup: bytes, mode, or absence. One that
// someone has changed is left as it is: the error wraps ErrChanged if something of tada-run is
// still in it, and is a [tamper.TamperError] if nobody has reviewed the change. When it returns
// nil, the file is forgotten.
func (s Files) TakeBack(f File, r Registration) error {
	alone, err := s.State.Lock("setup.lock", syscall.LOCK_EX)
	if err != nil {
		return err
	}
	defer alone.Close()
	_, standing, err := s.Standing(f, r)
	if err != nil {
		return err
	}
	if standing == Changed {
		return fmt.Errorf("%q was changed since setup wrote it, so it is %w", f.Path, ErrChanged)
	}
	r.Exact = true
	r.Change = func(is, _ []byte) ([]byte, error) {
		switch {
		case f.wrote(is) && standing == AsWritten:
			return f.Before, nil
		case standing == AsWritten:
			return nil, fmt.Errorf("it was changed meanwhile, so it is %w", ErrChanged)
		}
		return is, nil // only its protection ends
	}
	if _, err := s.Register(f.Path, r); err != nil {
		return err
	}
	if err := s.sweep(f.Path); err != nil {
		return err
	}
	removeFolders(f.Made)
	return s.drop(f)
}

// Of returns those of the files that belong to one of some platforms; all if none is named.
func Of(files []File, platforms []string) (list []File) {
	for _, f := range files {
		if len(platforms) == 0 || slices.Contains(platforms, f.Platform) {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return list
}
