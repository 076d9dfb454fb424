package resolve

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// How much is deleted is counted without leaving what is deleted: not through a link, and no FIFO
// keeps it waiting.
func TestAmounts(t *testing.T) {
	dir := t.TempDir()
	make := func(name string, bytes int) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Repeat("x", bytes)), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := func(from, to string) {
		if err := os.Link(from, filepath.Join(dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	make("few/a", 10)
	make("few/sub/b", 20)
	link(make("twice/a", 1000), "twice/b")
	link(make("out/a", 1000), "kept")
	make("special/a", 5)
	if err := unix.Mkfifo(dir+"/special/fifo", 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir+"/many", dir+"/special/link"); err != nil {
		t.Fatal(err)
	}
	deep := "deep" + strings.Repeat("/d", maxDeep)
	make(deep+"/a", 5)
	for i := range 210 {
		make(fmt.Sprintf("many/%d", i), 15_000)
	}
	if err := os.Mkdir(dir+"/empty", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"few": "2 files, 30 B", "few/a": "10 B", "twice": "2 files, 1.0 kB", "out": "1 file, 0 B",
		"special": "3 files, 5 B", "deep": "an unknown number of files", "empty": "no files",
		"many": "210 files, 3.1 MB",
	} {
		p := resolved(t, one(command.Delete, command.Recursive, dir, name),
			Caller{Dir: dir, Home: dir})
		got := p.Amounts()[filepath.Join(dir, name)]
		if got.String() != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		if again, ok := ParseAmount(got.Exact()); !ok || again != got {
			t.Errorf("%s: %q is read as %+v", name, got.Exact(), again)
		}
	}
	// One bound holds for all targets together.
	for i := range 100 {
		make(fmt.Sprintf("wide/%d", i), 1)
	}
	var all []shellparse.Effect
	for i := range 200 {
		name := fmt.Sprintf("l%d", i)
		if err := os.Symlink("wide", filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		all = append(all, one(command.Delete, command.Recursive, dir,
			name+"/").Effects...)
	}
	c := counter{left: 50, amounts: map[string]Amount{}}
	c.plan(resolved(t, effects(all...), Caller{Dir: dir, Home: dir}))
	if c.left > 0 || len(c.amounts) == 0 {
		t.Errorf("%d left, %+v", c.left, c.amounts)
	}
}

// An amount is told again as long as it is about the same.
func TestAmountIsLike(t *testing.T) {
	told := Amount{Files: 100, Bytes: 10 << 20, Dir: true}
	for now, want := range map[Amount]bool{
		told: true, {Files: 110, Bytes: 11 << 20, Dir: true}: true, {Dir: true}: true,
		{Files: 300, Bytes: 10 << 20, Dir: true}:             false,
		{Files: 100, Bytes: 1 << 30, Dir: true}:              false,
		{Files: 100, Bytes: 10 << 20}:                        false,
		{Files: 100, Bytes: 10 << 20, Dir: true, More: true}: false,
	} {
		if got := now.Like(told); got != want {
			t.Errorf("%+v: %v", now, got)
		}
	}
}

func FuzzParseAmount(f *testing.F) {
	f.Add("f2 b30 more=false dir=true")
	f.Fuzz(func(t *testing.T, s string) {
		if a, ok := ParseAmount(s); ok && a.Exact() != s {
			t.Errorf("%q is read as %+v", s, a)
		}
	})
}
