//go:build !linux && !darwin

package walk

import (
	"errors"

	"golang.org/x/sys/unix"
)

const forNothing = 0

func openParent(Dir, string) (Dir, error) { return Dir{}, errors.ErrUnsupported }

func openItself(Dir, string, *unix.Stat_t) (Dir, error) { return Dir{}, errors.ErrUnsupported }

func readLink(Dir, Dir, string) (string, error) { return "", errors.ErrUnsupported }

func apart(string, string) (Kind, string) { return Plain, WhyUnnamed }

func whyMissing(string) string { return WhyUnnamed }

func isThere(int, string) error { return errors.ErrUnsupported }

func openPlain(int, string, int) (int, error) { return -1, errors.ErrUnsupported }

func readEntries(int, []byte) ([]entry, error) { return nil, errors.ErrUnsupported }

// OpenIn returns ErrUnsupported.
func OpenIn(int, string, int) (int, error) { return -1, errors.ErrUnsupported }

// Reopen returns ErrUnsupported.
func Reopen(int) (int, error) { return -1, errors.ErrUnsupported }
