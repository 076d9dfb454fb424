package ship

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/fleet/document"
)

// shipped is a bucket as commit 42246497 has filled it, with the file of the team's key: a machine
// with three runs, of which one goes on, and the record of a machine that ships nothing.
const shipped = "testdata/shipped.tar.gz"

// What a machine of an earlier version has shipped is proven from the bucket and the key alone.
func TestShippedByAnEarlierVersion(t *testing.T) {
	t.Parallel()
	const id, silent = "tada-7d14e808c22999d5", "tada-693856a620626824"
	dir := unpacked(t, shipped)
	key, err := os.ReadFile(filepath.Join(dir, "team.key"))
	if err != nil {
		t.Fatal(err)
	}
	var c Check
	if c.Identities, err = Identities(key); err != nil {
		t.Fatal(err)
	}
	if c.Bucket, err = OpenCopy(dir); err != nil {
		t.Fatal(err)
	}
	if c, err = c.Newest(t.Context(), PinOf(key)); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	f, err := c.Entries(t.Context(), id, func(_ document.Machine, e audit.Entry) error {
		kinds[e.Kind]++
		return nil
	})
	const head = "bf0a55da2bc6d456bce8ccf55105a133df53057df47844cee6bb91d1c0108a2b"
	if err != nil || f.Manifests != 2 || f.Report.Entries != 11 || f.Report.Runs != 3 ||
		f.Report.Open != 1 || f.Report.Head.String() != head || f.Report.Transcripts != 3 ||
		f.Plans != 0 || f.Stray != 0 || kinds[audit.KindIntent] != 3 {
		t.Errorf("%+v, %v, %v", f, kinds, err)
	}
	list, err := c.Silent(t.Context(), map[string]bool{id: true})
	if err != nil || len(list) != 1 || list[0].ID != silent {
		t.Errorf("%+v, %v", list, err)
	}
}

// unpacked returns a folder with the files of an archive.
func unpacked(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	in, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	r, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	for files := tar.NewReader(r); ; {
		h, err := files.Next()
		if err == io.EOF {
			return dir
		}
		if err == nil && h.Typeflag == tar.TypeReg {
			var text []byte
			path := filepath.Join(dir, filepath.FromSlash(h.Name))
			text, err = io.ReadAll(files)
			err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o700),
				os.WriteFile(path, text, 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
