package ship

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/tada-run/tada-run/integration/served"
)

// A versity is the folder of a bucket of versitygw, whose objects are plain files.
type versity struct {
	*testing.T
	dir    string
	client *minio.Client
}

func startVersity(t *testing.T) (string, store) {
	t.Helper()
	url, dir := served.StartS3(t)
	client, err := minio.New(strings.TrimPrefix(url, "http://"), &minio.Options{
		Creds: credentials.NewStaticV4(served.S3Key, served.S3Secret, "")})
	if err != nil {
		t.Fatal(err)
	}
	v := versity{t, filepath.Join(dir, bucketName), client}
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
	if _, err := v.client.PutObject(v.Context(), bucketName, name, bytes.NewReader(data),
		int64(len(data)), minio.PutObjectOptions{}); err != nil {
		v.Fatal(name, err)
	}
}

func (v versity) Remove(name string) {
	if err := v.client.RemoveObject(v.Context(), bucketName, name,
		minio.RemoveObjectOptions{}); err != nil {
		v.Fatal(name, err)
	}
}
