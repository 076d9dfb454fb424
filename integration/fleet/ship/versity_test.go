package ship

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tada-run/tada-run/integration/served"
)

// A versity is the folder of a bucket of versitygw, whose objects are plain files.
type versity struct {
	*testing.T
	dir string
}

func startVersity(t *testing.T) (string, store) {
	t.Helper()
	url, dir := served.StartS3(t)
	v := versity{t, filepath.Join(dir, bucketName)}
	if err := os.Mkdir(v.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return url, v
}

func (v versity) path(name string) string { return filepath.Join(v.dir, filepath.FromSlash(name)) }

func (v versity) Names() (list []string) {
	err := filepath.WalkDir(v.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == ".sgwtmp" {
			return fs.SkipDir
		}
		if err == nil && d.Type().IsRegular() {
			name, _ := filepath.Rel(v.dir, path)
			list = append(list, name)
		}
		return err
	})
	if err != nil {
		v.Fatal(err)
	}
	slices.Sort(list)
	return list
}

func (v versity) Get(name string) []byte {
	b, err := os.ReadFile(v.path(name))
	if err != nil {
		return nil
	}
	return bytes.Clone(b)
}

func (v versity) Put(name string, data []byte) {
	if err := os.MkdirAll(filepath.Dir(v.path(name)), 0o700); err != nil {
		v.Fatal(err)
	}
	if err := os.WriteFile(v.path(name), data, 0o600); err != nil {
		v.Fatal(err)
	}
}

func (v versity) Remove(name string) {
	if err := os.Remove(v.path(name)); err != nil {
		v.Fatal(err)
	}
}
