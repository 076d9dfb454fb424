package quarantine

import (
	"errors"
	"fmt"
	"strings"
)

// leaves reports whether a pattern for file names could match outside the folder in which it is
// searched. Brackets and braces are removed first, because "[.][.]" and "{.,}." also mean "..".
func leaves(pattern string) bool {
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`[]{}()|\!@+,^`, r) {
			return -1
		}
		return r
	}, pattern)
	return strings.HasPrefix(plain, "/") || strings.HasPrefix(plain, "~") ||
		strings.ContainsRune(plain, 0) ||
		strings.HasPrefix(plain, "$") || strings.Contains(plain, "..")
}

// confine returns where a search may take place: the real name of the call's folder, which must be
// below the session's root. dir is the agent's working directory, which is used if the call names
// no path.
func (s *Session) confine(dir, where string, content bool) (string, error) {
	if where == "" {
		where = dir
	}
	if where == "" {
		where = s.Root()
	}
	real, mode, err := s.root.resolve(abs(s.workDir(dir), where))
	switch { // these errors are logged, so they repeat nothing that the caller wrote
	case errors.Is(err, ErrOutside):
		return "", fmt.Errorf("where it looks: %w", ErrOutside)
	case err != nil:
		return "", fmt.Errorf("where it looks: %w", ErrNotFound)
	}
	if !mode.IsRegular() && !mode.IsDir() {
		return "", errors.New("where it looks is neither a file nor a folder")
	}
	if mode.IsRegular() {
		if s.o.OnlyReferred && !s.referredTo(real) {
			return "", fmt.Errorf("where it looks: %w", ErrNotFound)
		}
		if content {
			s.saw(real)
		}
		return real, s.o.MayRead(real)
	}
	if content && !s.o.OnlyReferred {
		// a search in a tree shows its contents, restricted files too
		s.saw(real)
		return real, s.o.MaySearch(real)
	}
	return real, nil
}

func (s *Session) workDir(dir string) string {
	if dir == "" {
		return s.Root()
	}
	return dir
}
