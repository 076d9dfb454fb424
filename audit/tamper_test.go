package audit

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// named runs Verify and returns the entry that it names.
func named(t *testing.T, dir string) *BadEntry {
	t.Helper()
	_, err := Verify(dir, VerifyOptions{Workers: 2})
	var bad *BadEntry
	if !errors.As(err, &bad) {
		return nil
	}
	return bad
}

// B-T6: any byte of the log is changed to any of three other values, removed, or preceded by
// another: verify names the entry that the byte belongs to.
func TestEveryByteChanged(t *testing.T) {
	t.Parallel()
	dir := fill(t, 5)
	good := readLog(t, dir)
	check := func(i int, what, with string, rest []byte) {
		writeLog(t, dir, slices.Concat(good[:i], []byte(with), rest))
		want := int64(bytes.Count(good[:i], []byte("\n")))
		bad := named(t, dir)
		if bad == nil {
			t.Fatalf("byte %d %s %q: verified", i, what, with)
		}
		if bad.Seq != want || bad.Line != want+1 {
			t.Errorf("byte %d of entry %d %s %q: named %v", i, want, what, with, bad)
		}
	}
	for i := 0; i < len(good); i += stride() {
		for _, with := range []byte{good[i] ^ 1, '\n', '0'} {
			if with != good[i] {
				check(i, "changed to", string([]byte{with}), good[i+1:])
			}
			if with != '\n' || good[i] != '\n' { // an empty line between two belongs to neither
				check(i, "behind", string([]byte{with}), good[i:])
			}
		}
		check(i, "taken out", "", good[i+1:])
	}
}

// B-T6: lines dropped, swapped, doubled, inserted, at every position.
func TestEveryLineMoved(t *testing.T) {
	dir := fill(t, 8)
	good := readLog(t, dir)
	lines := bytes.SplitAfter(good, []byte("\n"))[:8]
	other := bytes.SplitAfter(readLog(t, fill(t, 9)), []byte("\n"))[8]
	join := func(parts ...[][]byte) []byte {
		var b []byte
		for _, p := range parts {
			b = append(b, bytes.Join(p, nil)...)
		}
		return b
	}
	for i := range lines {
		for name, b := range map[string][]byte{
			"dropped":          join(lines[:i], lines[i+1:]),
			"doubled":          join(lines[:i+1], lines[i:]),
			"empty inserted":   join(lines[:i], [][]byte{{'\n'}}, lines[i:]),
			"garbage inserted": join(lines[:i], [][]byte{[]byte("{}\n")}, lines[i:]),
			"foreign inserted": join(lines[:i], [][]byte{other}, lines[i:]),
			"swapped": join(lines[:i], lines[min(i+1, 7):min(i+2, 8)], lines[i:i+1],
				lines[min(i+2, 8):]),
		} {
			if name == "swapped" && i == 7 {
				continue
			}
			writeLog(t, dir, b)
			want := int64(i)
			if name == "doubled" {
				want++
			}
			bad := named(t, dir)
			if bad == nil || bad.Seq != want {
				t.Errorf("line %d %s: named %v", i, name, bad)
			}
		}
	}
	// At the very end, beyond the anchor.
	for _, add := range []string{"\n", "hello\n", "{}\n", string(lines[7]), string(lines[0]),
		strings.Repeat("\x00", 100)} {
		writeLog(t, dir, append(bytes.Clone(good), add...))
		if bad := named(t, dir); bad == nil || bad.Seq != 8 {
			t.Errorf("appended %.20q: named %v", add, bad)
		}
	}
}

// B-T6: cut at every position.
func TestEveryCut(t *testing.T) {
	t.Parallel()
	dir := fill(t, 8)
	good := readLog(t, dir)
	for i := 0; i < len(good); i += stride() {
		writeLog(t, dir, good[:i])
		want := int64(bytes.Count(good[:i], []byte("\n")))
		if bad := named(t, dir); bad == nil || bad.Seq != want ||
			!strings.Contains(bad.Reason, "cut") {
			t.Errorf("cut at %d: named %v", i, bad)
		}
	}
}

// Both files put back as they once were: only a head that was seen elsewhere shows it.
func TestRolledBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := openTest(t, dir)
	for range 5 {
		mustAppend(t, l, "k", `{}`)
	}
	oldLog := readLog(t, dir)
	oldAnchor, err := os.ReadFile(filepath.Join(dir, anchorName))
	if err != nil {
		t.Fatal(err)
	}
	var seen Entry
	for range 3 {
		seen = mustAppend(t, l, "k", `{}`)
	}
	remember := VerifyOptions{Remember: []Point{{Count: seen.Seq + 1, Head: seen.Hash}}}
	if _, err := Verify(dir, remember); err != nil {
		t.Fatal(err)
	}
	writeLog(t, dir, oldLog)
	if err := os.WriteFile(filepath.Join(dir, anchorName), oldAnchor, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := mustVerify(t, dir); r.Entries != 5 {
		t.Fatalf("%d entries", r.Entries)
	}
	var bad *BadEntry
	if _, err := Verify(dir, remember); !errors.As(err, &bad) || bad.Seq != 5 {
		t.Errorf("rollback with a remembered head: %v", err)
	}
	for range 4 {
		mustAppend(t, l, "k", `{"other":true}`)
	}
	if _, err := Verify(dir, remember); !errors.As(err, &bad) || bad.Seq != 7 {
		t.Errorf("a second history with a remembered head: %v", err)
	}
}

// The same in a log of many chunks, where pieces are checked separately.
func TestTamperInLargeLog(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "audit")
	l := openTest(t, dir)
	body := `{"pad":"` + strings.Repeat("x", 3000) + `"}`
	for range 1700 {
		mustAppend(t, l, "k", body)
	}
	good := readLog(t, dir)
	if r := mustVerify(t, dir); r.Entries != 1700 {
		t.Fatalf("%d entries", r.Entries)
	}
	var at []int
	for seam := chunkSize; seam < len(good); seam += chunkSize * stride() {
		line := bytes.LastIndexByte(good[:seam], '\n') + 1
		next := seam + bytes.IndexByte(good[seam:], '\n') + 1
		at = append(at, seam-1, seam, line, line+20, line-1, line-200, next, next+2000, next-1)
	}
	for _, i := range at {
		b := bytes.Clone(good)
		b[i] ^= 1
		writeLog(t, dir, b)
		want := int64(bytes.Count(good[:i], []byte("\n")))
		if bad := named(t, dir); bad == nil || bad.Seq != want || bad.Line != want+1 {
			t.Errorf("byte %d of entry %d changed: named %v", i, want, bad)
		}
	}
}
