package control

import (
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// lookFor and lookAt bound a search for changed files: a person waits for it.
const (
	lookFor = 300 * time.Millisecond
	lookAt  = 50_000
)

// changedSince lists files below root that were made or written since a time, by their own word
// (mtime) and by the kernel's (ctime). More says that the list is not whole.
func changedSince(root string, since time.Time) (files []string, more bool) {
	files = []string{}
	seen, began := 0, time.Now()
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if seen++; seen > lookAt || time.Since(began) > lookFor || len(files) >= maxFiles {
			more = true
			return fs.SkipAll
		}
		if err != nil {
			return nil
		}
		if e.IsDir() {
			if e.Name() == ".git" && path != root {
				return fs.SkipDir // its own bookkeeping is not a change
			}
			return nil
		}
		if info, err := e.Info(); err == nil && !changedAt(info).Before(since.Truncate(clockTick)) {
			if rel, err := filepath.Rel(root, path); err == nil {
				files = append(files, strings.ToValidUTF8(rel, "\ufffd"))
			}
		}
		return nil
	})
	return files, more
}

// clockTick is how coarse the times of files are (CONFIG_HZ=100).
const clockTick = 10 * time.Millisecond

// changedAt is the later of when a file was written and when anything about it changed.
func changedAt(info fs.FileInfo) time.Time {
	at := info.ModTime()
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		if c := time.Unix(st.Ctim.Unix()); c.After(at) {
			return c
		}
	}
	return at
}
