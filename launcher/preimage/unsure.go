package preimage

import (
	"os"
	"path/filepath"
	"time"

	"github.com/tada-run/tada-run/pathguard"
)

// Undo stands for a question only where it is certain that all is kept. What can be known before
// the start is looked at here, when there is such a question. Whether each file fits is seen when
// it goes: then it stays, and the next time the same command line is a question again.

// leastRoom is the part of the quota for what stands for questions that must be left.
const leastRoom = 8

// Unsure returns why it is not certain that all is kept which a command line changes in a folder;
// "" if it is.
func (h *History) Unsure(set pathguard.Undo, key, dir string) string {
	if !keepsFiles(dir) {
		return "files on this file system cannot be kept for certain"
	}
	if info, err := os.Lstat(h.unkeptMark(key)); err == nil &&
		h.dir.Now().Sub(info.ModTime()) < unkeptLife {
		return "the last time, not all could be kept"
	}
	store, err := h.UndoStore()
	if err != nil {
		return err.Error()
	}
	room, err := store.Room()
	if err == nil && room < set.Quota/2/leastRoom && store.Count(h.dir.Now()) == nil {
		room, err = store.Room() // a run that was killed holds what it used, and no more
	}
	switch {
	case err != nil:
		return err.Error()
	case room < set.Quota/2/leastRoom:
		return "undo.quota is nearly used up by what must not be deleted yet"
	}
	return ""
}

// unkeptLife is how long a command line is a question again after not all could be kept. It is as
// long as a question may live.
const unkeptLife = time.Hour

func (h *History) unkeptMark(key string) string {
	return filepath.Join(h.dir.Runtime(), "unkept", key)
}

// NoteUnkept remembers that not all was kept of what a command line changed.
func (h *History) NoteUnkept(key string) error {
	mark := h.unkeptMark(key)
	folder := filepath.Dir(mark)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && h.dir.Now().Sub(info.ModTime()) > unkeptLife {
			_ = os.Remove(filepath.Join(folder, e.Name()))
		}
	}
	_ = os.Remove(mark) // its time is that of its making
	return os.WriteFile(mark, nil, 0o600)
}
