package main

import (
	"archive/tar"
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// tree returns the files of a package below its prefix.
func (m *maker) tree(arch string, pages tree) (tree, error) {
	t := maps.Clone(pages)
	for name, from := range map[string]string{
		"share/doc/tada-run/README.md":   "README.md",
		"share/doc/tada-run/SECURITY.md": "SECURITY.md",
		"share/doc/tada-run/LICENSE":     "LICENSE",
	} {
		text, err := os.ReadFile(filepath.Join(m.root, from))
		if err != nil {
			return nil, err
		}
		t[name] = file{text, 0o644}
	}
	for _, program := range programs {
		text, err := os.ReadFile(m.binary(arch, program))
		if err != nil {
			return nil, err
		}
		t["bin/"+program] = file{text, 0o755}
	}
	return t, nil
}

// archive writes the files as an archive for any Linux, which the installer unpacks.
func (m *maker) archive(arch string, t tree) error {
	packed, err := t.pack(m.time)
	if err != nil {
		return err
	}
	return m.write(m.archiveName(arch), packed)
}

func (m *maker) archiveName(arch string) string {
	return "tada-run_" + m.version + "_linux_" + arch + ".tar.gz"
}

// pack returns a tar.gz of the files: sorted, of root, and all of one time.
func (t tree) pack(at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(t)) {
		f := t[name]
		header := tar.Header{Name: name, Mode: int64(f.mode), Size: int64(len(f.content)),
			ModTime: at, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(&header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return compressed(b.Bytes()), nil
}

// lay writes the files into a folder.
func (t tree) lay(dir string, at time.Time) error {
	for name, f := range t {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.content, f.mode); err != nil {
			return err
		}
		if err := os.Chtimes(path, at, at); err != nil {
			return err
		}
	}
	return nil
}
