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
		Files: func(say func(file string)) error { return f.files(only, say) },
		In: func(file string) ([]string, error) {
			ids, err := f.inFile(file)
			return slices.DeleteFunc(ids, func(id string) bool { return !only(id) }), err
		},
		Span: spanOf,
		Path: func(file string) string { return filepath.Join(f.Dir, filepath.FromSlash(file)) },
	}
}

// files says the files of transcripts, and the archives, as parts of a path.
func (f *Folder) files(only func(id string) bool, say func(file string)) error {
	archives, err := f.visit(func(name string) {
		if id, ok := idOf(name); ok && only(id) {
			say(name)
		}
	})
	for _, name := range archives {
		say(path.Join(archivesName, name))
	}
	return err
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

// spanOf is the first and the last session that a file may have.
func spanOf(file string) (first, last string) {
	if id, ok := idOf(file); ok {
		return id, id
	}
	first, last, _ = span(path.Base(file))
	return first, last
}
