package audit

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func packOne(path string) (err error) {
	for range 100 {
		_, err = packFile(context.Background(), path, path+packedSuffix, frameSize, packing)
		if !errors.Is(err, ErrRecording) {
			break
		}
		// A program that another test starts has our files open, and locked, until it is executed.
		time.Sleep(time.Millisecond)
	}
	return err
}

// long records some megabytes in events of a few hundred bytes.
func long(t testing.TB, path string, events int) {
	t.Helper()
	r := record(t, path)
	for i := range events {
		must(t, r.Output(CodeOutput,
			bytes.Repeat(fmt.Appendf(nil, "line %d of the output\r\n", i), 20)))
		if i%100 == 50 {
			must(t, r.Output(CodeOutput, []byte{0xff, 0xfe, byte(i)}))
		}
	}
	_, err := r.Close()
	must(t, err)
}

// Any part of a packed file reads as the same part of the plain one.
func TestPackedSeeks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.cast")
	long(t, path, 6000)
	plain := readAll(t, path)
	must(t, packOne(path))
	f, err := OpenTranscript(path, packing)
	must(t, err)
	defer f.Close()
	if n, err := f.Seek(0, io.SeekEnd); err != nil || n != int64(len(plain)) {
		t.Fatalf("%d bytes, %v; want %d", n, err, len(plain))
	}
	if _, err := f.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		at, n := rnd.IntN(len(plain)), rnd.IntN(3*frameSize/2)
		_, err := f.Seek(int64(at), io.SeekStart)
		must(t, err)
		got, err := io.ReadAll(io.LimitReader(f, int64(n)))
		must(t, err)
		if !bytes.Equal(got, plain[at:min(at+n, len(plain))]) {
			t.Fatalf("%d bytes from %d differ", n, at)
		}
	}
	if _, err := f.Seek(-1, io.SeekStart); err == nil {
		t.Error("seek to before the start")
	}
}

// A reader can continue at every position of another reader, and nowhere else.
func TestReaderPosition(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.cast")
	sample(t, path)
	cast := readAll(t, path)
	rest := func(r *Reader) string {
		var b strings.Builder
		for {
			e, err := r.Next()
			if err != nil {
				fmt.Fprint(&b, err)
				return b.String()
			}
			fmt.Fprintf(&b, "%d %c %q %v\n", e.Seq, e.Code, e.Data, e.Time)
		}
	}
	r, err := NewReader("a", bytes.NewReader(cast))
	must(t, err)
	var places []Position
	for err == nil {
		places = append(places, r.Position())
		_, err = r.Next()
	}
	whole, err := NewReader("a", bytes.NewReader(cast))
	must(t, err)
	all := rest(whole)
	for i, p := range places {
		again, err := NewReaderAt("a", bytes.NewReader(cast), p)
		must(t, err)
		if got := rest(again); !strings.HasSuffix(all, got) ||
			strings.Count(got, "\n") != len(places)-1-i {
			t.Errorf("from %d: %s", i, got)
		}
		spoilt := bytes.Clone(cast)
		spoilt[p.Offset()-1]++ // what was proven is not proven again
		if again, err = NewReaderAt("a", bytes.NewReader(spoilt), p); err != nil ||
			rest(again) != rest(mustAt(t, cast, p)) {
			t.Errorf("from %d of a file that changed before: %v", i, err)
		}
		if end := p.Offset(); int(end) < len(cast) {
			spoilt = bytes.Clone(cast)
			spoilt[end+1] ^= 1
			if got := rest(mustAt(t, spoilt, p)); !strings.Contains(got, "#t line") &&
				!strings.Contains(got, "changed") {
				t.Errorf("from %d of a file that changed behind: %s", i, got)
			}
		}
	}
	if _, err := NewReaderAt("a", bytes.NewReader(cast), Position{}); err == nil {
		t.Error("a position of nothing")
	}
	// A file that is still being written: the position of the torn event is kept.
	torn, err := NewReader("a", bytes.NewReader(cast[:len(cast)-10]))
	must(t, err)
	before := rest(torn)
	if got := rest(mustAt(t, cast, torn.Position())); !strings.Contains(before, errCut.Error()) ||
		!strings.HasSuffix(all, got) || len(got) < 10 {
		t.Errorf("after a torn tail: %s", got)
	}
}

func mustAt(t *testing.T, cast []byte, p Position) *Reader {
	t.Helper()
	r, err := NewReaderAt("a", bytes.NewReader(cast), p)
	must(t, err)
	return r
}

func TestPackFolder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.cast", "b.cast", "c.cast"} {
		sample(t, filepath.Join(dir, name))
	}
	running := record(t, filepath.Join(dir, "d.cast"))
	must(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("x"), 0o600))
	must(t, os.Symlink("/etc/passwd", filepath.Join(dir, "e.cast")))
	for name, want := range map[string]bool{"a.cast": false, "d.cast": true} {
		f, err := OpenTranscript(filepath.Join(dir, name), packing)
		must(t, err)
		if Recording(f) != want {
			t.Errorf("%s is recorded: %v", name, !want)
		}
		f.Close()
	}
	if err := packOne(filepath.Join(dir, "d.cast")); !errors.Is(err, ErrRecording) {
		t.Errorf("packing a running session: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if done, err := PackFolder(ctx, dir, nil, packing); !errors.Is(err, context.Canceled) ||
		done.Files != 0 {
		t.Errorf("cancelled: %+v %v", done, err)
	}
	done, err := PackFolder(t.Context(), dir, func(name string) bool { return name != "b.cast" },
		packing)
	if !errors.Is(err, ErrUnsafe) || done.Files != 2 || done.After >= done.Before {
		t.Errorf("%+v, %v", done, err)
	}
	var names []string
	list, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range list {
		names = append(names, e.Name())
	}
	if want := []string{"a.cast.zst", "b.cast", "c.cast.zst", "d.cast", "e.cast",
		"notes.txt"}; !slices.Equal(names, want) {
		t.Errorf("left %q", names)
	}
	must(t, running.Exit("0"))
	_, err = running.Close()
	must(t, err)
	must(t, packOne(filepath.Join(dir, "d.cast")))
	if _, err := PackFolder(t.Context(), filepath.Join(dir, "none"), nil, packing); !errors.Is(err,
		fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}

// If many processes pack the same sessions at once, each is packed by one of them, and none is lost
// or left half done.
func TestManyPackers(t *testing.T) {
	dir := t.TempDir()
	want := map[string][]byte{}
	for i := range 20 {
		path := filepath.Join(dir, fmt.Sprintf("%02d.cast", i))
		sample(t, path)
		want[path] = readAll(t, path)
	}
	half := filepath.Join(dir, "00.cast") // left by a process that died
	must(t, os.WriteFile(half+packedSuffix, []byte("half"), 0o600))
	var files atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			done, err := PackFolder(t.Context(), dir, nil, packing)
			files.Add(int64(done.Files))
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if files.Load() != int64(len(want)) {
		t.Errorf("%d sessions were packed, of %d", files.Load(), len(want))
	}
	for path, plain := range want {
		f, err := OpenTranscript(path, packing)
		must(t, err)
		got, err := io.ReadAll(f)
		must(t, err)
		f.Close()
		if _, err := os.Lstat(path); err == nil || !bytes.Equal(got, plain) {
			t.Errorf("%s: %d bytes, want %d; its plain file: %v", path, len(got), len(plain), err)
		}
	}
}

// A false index is detected before memory is allocated for it.
func TestPackedIndexIsNotBelieved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.cast")
	sample(t, path)
	must(t, packOne(path))
	good := readAll(t, path+packedSuffix)
	n := len(good)
	put := func(at int, v uint32) []byte {
		b := bytes.Clone(good)
		binary.LittleEndian.PutUint32(b[at:], v)
		return b
	}
	for name, b := range map[string][]byte{
		"empty":                nil,
		"cut":                  good[:n-1],
		"a plain file":         []byte(strings.Repeat("plain text\n", 10)),
		"of the future":        append(bytes.Clone(good[:n-5]), 0x80, 0xB1, 0xEA, 0x92, 0x8F),
		"too many frames":      put(n-9, 1<<31),
		"more than there are":  put(n-9, 2),
		"a frame of 4 GiB":     put(n-13, 1<<32-1),
		"a frame that is long": put(n-17, 1<<20),
	} {
		must(t, os.WriteFile(path+packedSuffix, b, 0o600))
		if f, err := OpenTranscript(path, packing); err == nil {
			f.Close()
			t.Errorf("%s: opened", name)
		} else if !strings.Contains(err.Error(), "packed file") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A bomb: a frame that unpacks to more than the index says.
	var big bytes.Buffer
	must(t, Pack(&big, bytes.NewReader(make([]byte, 4*frameSize)), packing))
	b := big.Bytes()
	binary.LittleEndian.PutUint32(b[len(b)-seekFooter-4*8+4:], 100)
	must(t, os.WriteFile(path+packedSuffix, b, 0o600))
	f, err := OpenTranscript(path, packing)
	must(t, err)
	defer f.Close()
	if _, err := io.ReadAll(f); err == nil || !strings.Contains(err.Error(), "the index says 100") {
		t.Errorf("a frame larger than told: %v", err)
	}
}

func FuzzUnpack(f *testing.F) {
	var b bytes.Buffer
	if err := Pack(&b, strings.NewReader("some text"), packing); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, in []byte) {
		path := filepath.Join(t.TempDir(), "a.cast")
		must(t, os.WriteFile(path+packedSuffix, in, 0o600))
		r, err := OpenTranscript(path, packing)
		if err != nil {
			return
		}
		defer r.Close()
		n, _ := r.Seek(0, io.SeekEnd)
		_, _ = r.Seek(0, io.SeekStart)
		if text, err := io.ReadAll(r); err == nil && int64(len(text)) != n {
			t.Errorf("%d bytes, told %d", len(text), n)
		}
	})
}
