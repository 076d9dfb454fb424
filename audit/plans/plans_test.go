package plans

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/zstandard"
	"github.com/tada-run/tada-run/integration/hermetic"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) { os.Exit(hermetic.Tests(m).Run()) }

var packing = audit.Codec{Encoder: zstandard.Encoder, Decoder: zstandard.Decoder}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// put stores n plans, some of them twice, and returns their names.
func put(t testing.TB, dir string, from, n int) (names []string) {
	t.Helper()
	for i := range n {
		plan := fmt.Appendf(nil, "plan %d %s", from+i, strings.Repeat("x", i%50))
		name, err := Put(dir, plan)
		must(t, err)
		again, err := Put(dir, plan)
		must(t, err)
		if again != name {
			t.Fatalf("%s and %s for one plan", name, again)
		}
		names = append(names, name)
	}
	return names
}

func packAll(t testing.TB, dir string) audit.Packed {
	t.Helper()
	done, err := Pack(context.Background(), dir, packing)
	must(t, err)
	return done
}

// stored are the names of all plans that can be read, sorted.
func stored(t testing.TB, dir string) (names []string) {
	t.Helper()
	for p := range All(dir, packing) {
		must(t, p.Err)
		again, err := Get(dir, p.Name, packing)
		if err != nil || !bytes.Equal(again, p.Bytes) {
			t.Fatalf("%s: %q, %v; want %q", p.Name, again, err, p.Bytes)
		}
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return names
}

func sorted(names ...[]string) []string {
	return slices.Sorted(slices.Values(slices.Concat(names...)))
}

// loose counts the files of plans that are not packed.
func loose(t testing.TB, dir string) (n int) {
	t.Helper()
	names, err := namesIn(dir)
	must(t, err)
	for _, name := range names {
		if isName(name) {
			n++
		}
	}
	return n
}

// A plan is stored once, packed or not, and every one can be read.
func TestPlans(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plans")
	if got := stored(t, dir); len(got) > 0 {
		t.Errorf("in a folder that is not there: %q", got)
	}
	first := put(t, dir, 0, 100)
	if got := stored(t, dir); !slices.Equal(got, sorted(first)) {
		t.Errorf("%d plans before packing, want 100", len(got))
	}
	if done := packAll(t, dir); done.Files != 100 || done.After >= done.Before ||
		loose(t, dir) != 0 {
		t.Errorf("%+v, and %d files are left", done, loose(t, dir))
	}
	put(t, dir, 0, 100) // all of them are packed
	second := put(t, dir, 100, few-1)
	if n := loose(t, dir); n != len(second) {
		t.Errorf("%d files, want %d", n, len(second))
	}
	if done := packAll(t, dir); done.Files != 0 {
		t.Errorf("a few plans were packed: %+v", done)
	}
	second = append(second, put(t, dir, 200, 20)...)
	packAll(t, dir)
	if got := stored(t, dir); !slices.Equal(got, sorted(first, second)) || loose(t, dir) != 0 {
		t.Errorf("%d plans in two packs, %d files", len(got), loose(t, dir))
	}
	if _, err := Get(dir, strings.Repeat("0", 64), packing); !errors.Is(err, ErrNone) {
		t.Errorf("a plan that is not there: %v", err)
	}
	if _, err := Get(dir, "../log.jsonl", packing); !errors.Is(err, ErrNone) {
		t.Errorf("a name that is no hash: %v", err)
	}
}

// The index is derived: one that is missing, of other packs, or something else is not believed, and
// made again. No plan is lost by it.
func TestPlanIndexIsMadeAgain(t *testing.T) {
	other := t.TempDir()
	put(t, other, 100, 50)
	packAll(t, other)
	put(t, other, 150, 50)
	packAll(t, other)
	for name, spoil := range map[string]func(string) error{
		"missing": os.Remove,
		"empty":   func(f string) error { return os.Truncate(f, 0) },
		"cut":     func(f string) error { return os.Truncate(f, 700) },
		"of an earlier version": func(f string) error {
			return os.WriteFile(f, []byte("tada-plans/1\n\x02\x00\x00\x00"), 0o600)
		},
		"of another log": func(f string) error {
			return os.Rename(filepath.Join(other, indexName), f)
		},
		"huge": func(f string) error { return os.Truncate(f, 1<<40) },
		"a link": func(f string) error {
			return errors.Join(os.Rename(f, f+".real"), os.Symlink(f+".real", f))
		},
		"a FIFO": func(f string) error { return errors.Join(os.Remove(f), unix.Mkfifo(f, 0o600)) },
	} {
		t.Run(name, func(t *testing.T) { spoilIndex(t, spoil) })
	}
	for n := int64(0); n < 1200; n += 137 {
		spoilIndex(t, func(f string) error {
			b, err := os.ReadFile(f)
			b[n] ^= 1
			return errors.Join(err, os.WriteFile(f, b, 0o600))
		})
	}
}

func spoilIndex(t *testing.T, spoil func(string) error) {
	t.Helper()
	dir := t.TempDir()
	names := put(t, dir, 0, 50)
	packAll(t, dir)
	names = append(names, put(t, dir, 50, 50)...)
	packAll(t, dir)
	must(t, spoil(filepath.Join(dir, indexName)))
	if got := stored(t, dir); !slices.Equal(got, sorted(names)) {
		t.Errorf("%d plans before packing", len(got))
	}
	names = append(names, put(t, dir, 100, 50)...)
	put(t, dir, 0, 50) // what is not found is stored again
	packAll(t, dir)
	if got := stored(t, dir); !slices.Equal(got, sorted(names)) || loose(t, dir) != 0 {
		t.Errorf("%d plans, %d files", len(got), loose(t, dir))
	}
	for _, name := range names {
		sum, err := hex.DecodeString(name)
		if _, ok := find(dir, [sha256.Size]byte(sum)); err != nil || !ok {
			t.Errorf("the index is without %s, %v", name, err)
		}
	}
}

// A process that dies while it writes or packs leaves what the next one completes.
func TestPlansAfterACrash(t *testing.T) {
	dir := t.TempDir()
	names := put(t, dir, 0, 40)
	must(t, os.Truncate(filepath.Join(dir, names[3]), 2))
	put(t, dir, 0, 40)
	if got := stored(t, dir); !slices.Equal(got, sorted(names)) {
		t.Errorf("%d plans after a torn write", len(got))
	}
	// The pack is complete, and neither the index nor the files know.
	list, err := namesIn(dir)
	must(t, err)
	_, err = writePack(dir, 1, gather(dir, list, nil, packing).content, packing)
	must(t, err)
	packAll(t, dir)
	if got := stored(t, dir); !slices.Equal(got, sorted(names)) || loose(t, dir) != 0 {
		t.Errorf("%d plans after a crash in a packing, %d files", len(got), loose(t, dir))
	}
}

// Changed bytes are never a plan.
func TestChangedPlans(t *testing.T) {
	dir := t.TempDir()
	names := put(t, dir, 0, 40)
	must(t, os.WriteFile(filepath.Join(dir, names[0]), []byte("another"), 0o600))
	bad := 0
	for p := range All(dir, packing) {
		if p.Err != nil {
			bad++
		}
	}
	if _, err := Get(dir, names[0], packing); err == nil || bad != 1 {
		t.Errorf("changed bytes: %v, %d of all", err, bad)
	}
	packAll(t, dir)
	if n := loose(t, dir); n != 1 {
		t.Errorf("%d files are left, want the damaged one", n)
	}
	pack := filepath.Join(dir, packName(1)+suffix)
	content, err := os.ReadFile(pack)
	must(t, err)
	for n := 0; n < len(content); n += 7 {
		changed := bytes.Clone(content)
		changed[n] ^= 0x20
		must(t, os.WriteFile(pack, changed, 0o600))
		for p := range All(dir, packing) {
			if i := slices.Index(names, p.Name); p.Err == nil && i > 0 &&
				!bytes.HasPrefix(p.Bytes, fmt.Appendf(nil, "plan %d ", i)) {
				t.Fatalf("byte %d: %s is %q", n, p.Name, p.Bytes)
			}
		}
	}
}

// No file of a plan is removed for a pack that has it by the index alone, and a damaged pack does
// not end packing.
func TestPlansOfADamagedPackAreStoredAgain(t *testing.T) {
	for what, index := range map[string]bool{"with an index": true, "without": false} {
		dir := t.TempDir()
		names := put(t, dir, 0, 40)
		packAll(t, dir)
		pack := filepath.Join(dir, packName(1)+suffix)
		whole, err := os.ReadFile(pack)
		must(t, err)
		changed := bytes.Clone(whole)
		changed[len(changed)/2] ^= 1
		must(t, os.WriteFile(pack, changed, 0o600))
		other := t.TempDir()
		put(t, other, 0, 40)
		must(t, os.CopyFS(dir, os.DirFS(other)))
		if !index {
			must(t, os.Remove(filepath.Join(dir, indexName)))
		}
		packAll(t, dir)
		bad := 0
		for p := range All(dir, packing) {
			if p.DamagedPack() {
				bad++
			}
		}
		if bad != 1 || loose(t, dir) != 0 {
			t.Errorf("%s: %d damaged packs, %d files", what, bad, loose(t, dir))
		}
		for _, name := range names {
			if _, err := Get(dir, name, packing); err != nil {
				t.Errorf("%s: %v", what, err)
			}
			sum, err := hex.DecodeString(name)
			if at, ok := find(dir, [sha256.Size]byte(sum)); err != nil || !ok || at.pack != 2 {
				t.Errorf("%s: the index has %s in pack %d, %t, %v", what, name, at.pack, ok, err)
			}
		}
	}
}

// A FIFO in the place of a plan is not waited for.
func TestFIFO(t *testing.T) {
	dir := t.TempDir()
	names := put(t, dir, 0, 2)
	must(t, os.Remove(filepath.Join(dir, names[0])))
	must(t, unix.Mkfifo(filepath.Join(dir, names[0]), 0o600))
	if _, err := Get(dir, names[0], packing); err == nil {
		t.Error("a FIFO is a plan")
	}
	bad := 0
	for p := range All(dir, packing) {
		if p.Err != nil {
			bad++
		}
	}
	if bad != 1 {
		t.Errorf("%d plans cannot be read, want 1", bad)
	}
}

// Plans of no entry are given up: of a pack only all of them.
func TestDropPlans(t *testing.T) {
	dir := t.TempDir()
	old := put(t, dir, 0, 20)
	packAll(t, dir)
	kept := put(t, dir, 20, 20)
	packAll(t, dir)
	late := put(t, dir, 40, 2)
	dropped, err := Drop(dir, func(name string) bool {
		return name == kept[7] || name == late[1]
	}, packing)
	if err != nil || dropped != 21 {
		t.Errorf("dropped %d, %v; want 21", dropped, err)
	}
	if got := stored(t, dir); !slices.Equal(got, sorted(kept, late[1:])) {
		t.Errorf("%d plans are left", len(got))
	}
	put(t, dir, 0, 20)
	packAll(t, dir)
	if got := stored(t, dir); !slices.Equal(got, sorted(old, kept, late[1:])) {
		t.Errorf("%d plans after they were stored again", len(got))
	}
}

func BenchmarkPutPlan(b *testing.B) {
	dir := b.TempDir()
	plan := bytes.Repeat([]byte("x"), 800)
	for i := 0; b.Loop(); i++ {
		if _, err := Put(dir, fmt.Appendf(plan, "%d", i)); err != nil {
			b.Fatal(err)
		}
	}
}
