package setup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// makeFolders makes a folder and those around it. It returns those that were not there, the
// outermost first.
func makeFolders(dir string) (made []string, err error) {
	for _, d := range missingFolders(dir) {
		if err := os.Mkdir(d, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			removeFolders(made)
			return nil, err
		} else if err == nil {
			made = append(made, d)
		}
	}
	return made, nil
}

// missingFolders returns which of a folder and those around it are not there, the outermost first.
func missingFolders(dir string) (missing []string) {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, d)
	}
	slices.Reverse(missing)
	return missing
}

// removeFolders removes the folders that are empty, the innermost first.
func removeFolders(made []string) {
	for _, d := range slices.Backward(made) {
		if err := syscall.Rmdir(d); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return
		}
	}
}
