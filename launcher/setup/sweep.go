package setup

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// isFresh reports whether this is the name of a file that takes another's place when it is
// complete.
func isFresh(name string) bool {
	number, fresh := strings.CutPrefix(name, ".tada-")
	return fresh && number != "" && strings.Trim(number, "0123456789") == ""
}

// sweep removes what a process that was killed has left beside a file of settings.
func (s Files) sweep(path string) error {
	alone, err := s.State.Lock("register.lock", syscall.LOCK_EX)
	if err != nil {
		return err
	}
	defer alone.Close()
	path, err = behindLinks(path)
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	entries, _ := os.ReadDir(dir) // none if it is gone
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !isFresh(e.Name()) || !info.Mode().IsRegular() {
			continue
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) == os.Getuid() {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
	return nil
}
