package archive

import (
	"path"
	"path/filepath"
	"slices"

	"github.com/tada-run/tada-run/audit"
)

// AtRest says in which files of the folder the transcripts are, of the sessions that only is true
// for.
func (f *Folder) AtRest(only func(id string) bool) *audit.AtRest {
	return &audit.AtRest{
		Files: f.files,
		In: func(file string) ([]string, error) {
			ids, err := f.inFile(file)
			return slices.DeleteFunc(ids, func(id string) bool { return !only(id) }), err
		},
		Sum: func(file string) (audit.Hash, error) {
			return audit.SumFile(filepath.Join(f.Dir, filepath.FromSlash(file)))
		},
	}
}

// files are the files of transcripts, as paths in the folder.
func (f *Folder) files() ([]string, error) {
	names, archives, err := f.listed()
	names = slices.DeleteFunc(names, func(name string) bool {
		_, ok := idOf(name)
		return !ok
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
