package launcher

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
	StandsAsWritten Standing = "as written" // it can be put back
	StandsAsBefore  Standing = "as before"  // someone has put it back, or it was never written
	StandsWithout   Standing = "without"    // changed by someone, and nothing of tada-run is in it
	StandsChanged   Standing = "changed"    // changed by someone, with something of tada-run in it
)

// Standing returns the present text of a file, nil for none, and what has become of it.
func (l *Launcher) Standing(f SetUpFile, r Registration) ([]byte, Standing, error) {
	real, err := behindLinks(f.Path)
	if err != nil {
		return nil, "", err
	}
	is, mode, err := settingsFile(real)
	return is, f.standing(is, mode, r), err
}

func (f SetUpFile) standing(is []byte, mode os.FileMode, r Registration) Standing {
	switch {
	case sameFile(is, f.Before) && (is == nil || mode == f.Mode):
		return StandsAsBefore
	case f.wrote(is) && mode == f.Mode:
		return StandsAsWritten
	case is == nil || !r.Holds(is):
		return StandsWithout
	}
	return StandsChanged
}

// TakeSetUpBack puts a file back as it was before tadactl setup: bytes, mode, or absence. One that
// someone has changed is left as it is: the error wraps ErrSetUpChanged if something of tada-run is
// still in it, and is a [tamper.TamperError] if nobody has reviewed the change. When it returns
// nil, the file is forgotten.
func (l *Launcher) TakeSetUpBack(f SetUpFile, r Registration) error {
	alone, err := l.state.Lock("setup.lock", syscall.LOCK_EX)
	if err != nil {
		return err
	}
	defer alone.Close()
	_, standing, err := l.Standing(f, r)
	if err != nil {
		return err
	}
	if standing == StandsChanged {
		return fmt.Errorf("%q was changed since setup wrote it, so it is %w", f.Path,
			ErrSetUpChanged)
	}
	r.Exact = true
	r.Change = func(is, _ []byte) ([]byte, error) {
		switch {
		case f.wrote(is) && standing == StandsAsWritten:
			return f.Before, nil
		case standing == StandsAsWritten:
			return nil, fmt.Errorf("it was changed meanwhile, so it is %w", ErrSetUpChanged)
		}
		return is, nil // only its protection ends
	}
	if _, err := l.Register(f.Path, r); err != nil {
		return err
	}
	if err := l.sweep(f.Path); err != nil {
		return err
	}
	removeFolders(f.Made)
	return l.dropSetUp(f)
}

// SetUpOf returns those of the files that belong to one of some platforms; all if none is named.
func SetUpOf(files []SetUpFile, platforms []string) (list []SetUpFile) {
	for _, f := range files {
		if len(platforms) == 0 || slices.Contains(platforms, f.Platform) {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b SetUpFile) int { return strings.Compare(a.Path, b.Path) })
	return list
}
