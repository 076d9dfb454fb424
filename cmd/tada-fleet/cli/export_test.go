package cli

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tada-run/tada-run/integration/served"
	"github.com/tada-run/tada-run/launcher/exit"
)

// A found is what the test reads of a row.
type found struct {
	Machine string `parquet:"machine"`
	Command string `parquet:"command"`
}

// The file has the runs of the machines that are proven, and it is said which are left out and why.
// Without any, a file of an earlier day stays.
func TestExport(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", served.S3Key)
	t.Setenv("AWS_SECRET_ACCESS_KEY", served.S3Secret)
	s := newShipped(t)
	path := filepath.Join(t.TempDir(), "runs.parquet")
	commands := func() (list []string) {
		rows, err := parquet.ReadFile[found](path)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			list = append(list, r.Machine+" "+r.Command)
		}
		return list
	}
	first := s.id + " make " + s.id
	if out, status := s.do("export", path); status != 0 || !strings.Contains(out,
		"1 run of 1 machine\n") || len(commands()) != 1 || commands()[0] != first {
		t.Fatalf("%d: %s: %q", status, out, commands())
	}
	one := s.id
	s.ship()
	folder := t.TempDir()
	for _, name := range s.bucket.Names() {
		to := filepath.Join(folder, filepath.FromSlash(strings.TrimPrefix(name, "acme/")))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700),
			os.WriteFile(to, s.bucket.Get(name), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, words := range [][]string{{path}, {path, one, s.id}} {
		if out, status := s.do("export", words...); status != 0 || len(commands()) != 2 {
			t.Errorf("%q: %d: %s: %q", words, status, out, commands())
		}
	}
	for _, verb := range [][]string{{"export", path}, {"verify"}} {
		if out, status := s.do(verb[0], append(verb[1:], "--copy", folder)...); status != 0 {
			t.Errorf("a copy: %q: %d: %s", verb, status, out)
		}
	}
	for _, name := range s.bucket.Names() {
		if strings.Contains(name, one+"/objects/") {
			s.bucket.Put(name, []byte("x"))
		}
	}
	out, status := s.do("export", path, "--json")
	var said struct {
		Runs, Machines int
		LeftOut        []leftOut `json:"left_out"`
	}
	text, _, _ := strings.Cut(out, "\n")
	if err := json.Unmarshal([]byte(text), &said); err != nil || status != exit.Tampered ||
		said.Runs != 1 || len(said.LeftOut) != 1 || said.LeftOut[0].Machine != one ||
		!strings.Contains(said.LeftOut[0].Reason, "replaced or cut") {
		t.Errorf("%d: %s: %v", status, out, err)
	}
	if list := commands(); len(list) != 1 || strings.Contains(list[0], one) {
		t.Errorf("%q", list)
	}
	if out, status := s.do("export", path, one); status != exit.Tampered ||
		!strings.Contains(out, "nothing is written") || !strings.Contains(out, "LEFT OUT: "+one) ||
		len(commands()) != 1 {
		t.Errorf("%d: %s", status, out)
	}
	if list, err := os.ReadDir(filepath.Dir(path)); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}

// A bucket without machines, or a copy that is none, is an error, and no file is made.
func TestExportNothing(t *testing.T) {
	s := newShipped(t)
	path := filepath.Join(t.TempDir(), "runs.parquet")
	for folder, text := range map[string]string{t.TempDir(): "holds no machine's record",
		"/nowhere": "no such file", s.document: "is not a folder"} {
		if out, status := s.do("export", path, "--copy", folder); status == 0 ||
			!strings.Contains(out, text) {
			t.Errorf("%d: %s", status, out)
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
