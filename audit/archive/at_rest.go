package archive

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/tada-run/tada-run/audit"
)

// AtRest says in which files of the folder the transcripts are, of the sessions that only is true
// for.
func (f *Folder) AtRest(only func(id string) bool) *audit.AtRest {
	return &audit.AtRest{
		Files: func() ([]string, error) { return f.files(only) },
		In: func(file string) ([]string, error) {
			ids, err := f.inFile(file)
			return slices.DeleteFunc(ids, func(id string) bool { return !only(id) }), err
		},
		Of:   f.filesOf,
		Path: func(file string) string { return filepath.Join(f.Dir, filepath.FromSlash(file)) },
	}
}

// files are the files of transcripts, as paths in the folder.
func (f *Folder) files(only func(id string) bool) ([]string, error) {
	names, archives, err := f.listed()
	names = slices.DeleteFunc(names, func(name string) bool {
		id, ok := idOf(name)
		return !ok || !only(id)
	})
	for _, name := range archives {
		names = append(names, path.Join(archivesName, name))
	}
	return names, err
}

// inFile returns the sessions whose transcripts are in a file.
func (f *Folder) inFile(file string) (ids []string, err error) {
	if id, ok := idOf(file); ok {
		return []string{id}, nil
	}
	a, err := open(f.in(), path.Base(file), f.Codec)
	if err != nil {
		return nil, err
	}
	defer a.text.Close()
	for _, e := range a.list {
		ids = append(ids, e.id)
	}
	return ids, nil
}

// filesOf returns the files that have a transcript of a session.
func (f *Folder) filesOf(id string) (files []string, err error) {
	for _, name := range []string{id + castSuffix, id + castSuffix + suffix} {
		if _, err := os.Lstat(filepath.Join(f.Dir, name)); err == nil {
			files = append(files, name)
		}
	}
	names, err := f.archivesOf(id)
	for _, name := range names {
		a, openErr := open(f.in(), name, f.Codec)
		if openErr != nil {
			err = errors.Join(err, openErr)
			continue
		}
		if _, ok := a.find(id); ok {
			files = append(files, path.Join(archivesName, name))
		}
		a.text.Close()
	}
	return files, err
}
