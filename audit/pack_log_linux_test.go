package audit

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// packedLog is a log in several files of which all but the last are packed, and what it was.
func packedLog(t testing.TB) (dir, pin string, before Report, entries []Entry) {
	t.Helper()
	dir, pin = fillSegments(t, 80, 3000)
	before, err := Verify(dir, VerifyOptions{SealKey: pin})
	must(t, err)
	entries = allEntries(t, dir)
	l := openPacking(t, dir)
	done, err := l.Pack(t.Context())
	if err != nil || done.Files < 4 || done.After >= done.Before {
		t.Fatalf("%+v, %v", done, err)
	}
	return dir, pin, before, entries
}

func openPacking(t testing.TB, dir string) *Log {
	t.Helper()
	now := time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
	l, err := OpenLog(dir, LogOptions{Now: func() time.Time { return now }, BootID: "boot-1",
		Codec: packing})
	must(t, err)
	t.Cleanup(func() { l.Close() })
	return l
}

func allEntries(t testing.TB, dir string) (list []Entry) {
	t.Helper()
	for e, err := range Entries(dir, Filter{Codec: packing}) {
		must(t, err)
		list = append(list, e)
	}
	return list
}

func sameEntries(a, b []Entry) bool {
	return slices.EqualFunc(a, b, func(a, b Entry) bool {
		return a.Hash == b.Hash && a.Offset == b.Offset && a.Seq == b.Seq
	})
}

// A packed log is the log that it was: for verifying, reading from either end, proofs, times, new
// entries, and pruning.
func TestPackedLog(t *testing.T) {
	t.Parallel()
	dir, pin, before, entries := packedLog(t)
	for _, workers := range []int{1, 3} {
		r, err := Verify(dir, VerifyOptions{SealKey: pin, Workers: workers, Codec: packing})
		must(t, err)
		if r.Entries != before.Entries || r.Head != before.Head || r.Segments != before.Segments {
			t.Errorf("%+v, want %+v", r, before)
		}
	}
	if !sameEntries(allEntries(t, dir), entries) {
		t.Error("other entries")
	}
	var back []Entry
	for e, err := range Newest(dir, Filter{Codec: packing}) {
		must(t, err)
		back = append(back, e)
	}
	if slices.Reverse(back); !sameEntries(back, entries) {
		t.Error("other entries from the end")
	}
	signer, known := testKey(t)
	o := VerifyOptions{Codec: packing}
	signed, err := Checkpoint(dir, o, signer)
	must(t, err)
	proof, err := Prove(dir, o, 3, signed, known)
	must(t, err)
	if e, err := CheckProof(proof, known); err != nil || e.Seq != 3 {
		t.Errorf("%+v, %v", e, err)
	}
	var x Index
	must(t, x.Extend(dir, packing))
	at, err := x.Since(dir, entries[20].Time, packing)
	if err != nil || at > entries[20].Offset {
		t.Errorf("since the time of entry 20: byte %d, %v", at, err)
	}
	if ok, err := Holds(dir, entries[5].Place(), packing); !ok || err != nil {
		t.Errorf("entry 5: %t, %v", ok, err)
	}
	l := openPacking(t, dir)
	mustAppend(t, l, "test.entry", `{"i":1000}`)
	_, err = l.Seal(rand.Reader)
	must(t, err)
	n, _, err := l.Prune(Retention{MaxBytes: before.Bytes / 2}, "size", nil)
	if err != nil || n == 0 {
		t.Errorf("pruned %d, %v", n, err)
	}
	r, err := Verify(dir, VerifyOptions{SealKey: pin, Codec: packing})
	if err != nil || r.Pruned != n || r.Entries != before.Entries+3 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Who has no codec is told so, and believes nothing; appending needs none.
func TestPackedLogWithoutCodec(t *testing.T) {
	t.Parallel()
	dir, _, before, _ := packedLog(t)
	if _, err := Verify(dir, VerifyOptions{}); !errors.Is(err, ErrPacked) {
		t.Errorf("verify: %v", err)
	}
	n := 0
	for _, err := range Newest(dir, Filter{}) {
		if err != nil {
			if !errors.Is(err, ErrPacked) {
				t.Error(err)
			}
			break
		}
		n++
	}
	if n == 0 {
		t.Error("nothing of what is not packed")
	}
	l := openTest(t, dir)
	mustAppend(t, l, "test.entry", `{"i":1000}`)
	p, err := Head(dir, VerifyOptions{})
	if err != nil || p.Count != before.Entries+1 {
		t.Errorf("%v, %v", p, err)
	}
}

// B-T6 over packed segments: a packed file that was cut, changed or removed is named, and not
// believed.
func TestPackedLogTampered(t *testing.T) {
	t.Parallel()
	dir, pin, before, _ := packedLog(t)
	names, err := filepath.Glob(filepath.Join(dir, "log*"+packedSuffix))
	must(t, err)
	for _, path := range names {
		name := filepath.Base(path)
		whole := readAll(t, path)
		try := func(what string, b []byte) {
			must(t, os.WriteFile(path, b, 0o600))
			r, err := Verify(dir, VerifyOptions{SealKey: pin, Codec: packing})
			// bits that zstd does not use leave the text as it was
			if err == nil && r.Head != before.Head || err != nil && !strings.Contains(err.Error(),
				name) {
				t.Errorf("%s %s: %v", name, what, err)
			}
		}
		for i := 0; i < len(whole); i += 11 {
			b := bytes.Clone(whole)
			b[i] ^= 0x10
			try(fmt.Sprint("byte ", i), b)
		}
		for _, n := range []int{0, 1, len(whole) / 2, len(whole) - 1} {
			must(t, os.WriteFile(path, whole[:n], 0o600))
			if _, err := Verify(dir, VerifyOptions{Codec: packing}); err == nil {
				t.Errorf("%s cut to %d bytes: verified", name, n)
			}
		}
		must(t, os.Remove(path))
		if _, err := Verify(dir, VerifyOptions{Codec: packing}); err == nil {
			t.Errorf("%s removed: verified", name)
		}
		must(t, os.WriteFile(path, whole, 0o600))
	}
	// what was written last is gone: the log continues in a new file
	for n := range int64(2) { // the last two, which are not packed
		must(t, os.Remove(filepath.Join(dir, segmentName(int64(len(names))+n))))
	}
	l := openPacking(t, dir)
	_, err = l.Append("test.entry", []byte(`{}`), Durable)
	var tampered *TamperError
	if !errors.As(err, &tampered) {
		t.Errorf("append: %v", err)
	}
	_, err = l.Accept("dev", "the last file is gone")
	must(t, err)
	mustAppend(t, l, "test.entry", `{"i":1}`)
	r, err := Verify(dir, VerifyOptions{Codec: packing})
	if err != nil || len(r.Unproven) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}
