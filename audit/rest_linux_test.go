package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// realOutput is what commands print here: the text of this repository, search results in it, and
// listings.
func realOutput(t *testing.T) map[string][]byte {
	t.Helper()
	outputs := map[string][]byte{}
	for name, argv := range map[string][]string{
		"source": {"sh", "-c", "cat *.go ../*/*.go ../*/*/*.go | head -c 1500000"},
		"ls -lR": {"ls", "-lR", ".."},
		"find":   {"find", "..", "-not", "-path", "*/.git/*"},
		"od":     {"sh", "-c", "od -c doc.go | head -c 200000"},
		"grep -rn": {"sh", "-c",
			"grep -rn --color=always error --include=*.go .. | head -c 500000"},
	} {
		cmd := exec.Command(argv[0], argv[1:]...)
		out, err := cmd.Output()
		if err != nil || len(out) < 2000 {
			t.Fatalf("%q printed %d bytes: %v", argv, len(out), err)
		}
		outputs[name] = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	return outputs
}

// print4K records output in the smallest pieces in which a terminal passes on what a command prints
// without a pause.
func print4K(t *testing.T, r *Recorder, out []byte) {
	t.Helper()
	for p := range slices.Chunk(out, 4095) {
		must(t, r.Output(CodeOutput, p))
	}
}

func packedSize(t *testing.T, path string) int64 {
	t.Helper()
	must(t, packOne(path))
	st, err := os.Stat(path + packedSuffix)
	must(t, err)
	return st.Size()
}

// A packed session takes at most 0.40 of what was printed, whatever that was, and some hundred
// bytes for every event, because commitments look random: for a command that prints a line now and
// then, it takes more than what was printed.
func TestPackedIsSmall(t *testing.T) {
	t.Parallel()
	for name, out := range realOutput(t) {
		path := filepath.Join(t.TempDir(), "a.cast")
		r := record(t, path)
		print4K(t, r, out)
		_, err := r.Close()
		must(t, err)
		ratio := float64(packedSize(t, path)) / float64(len(out))
		if t.Logf("%-8s %8d bytes, packed to %.3f", name, len(out), ratio); ratio > 0.40 {
			t.Errorf("the output of %s is packed to %.3f, more than 0.40", name, ratio)
		}
	}
	path := filepath.Join(t.TempDir(), "slow.cast")
	r := record(t, path)
	const lines = 2000
	for i := range lines {
		must(t, r.Output(CodeOutput, fmt.Appendf(nil, "[%d/%d] compiling\r\n", i, lines)))
	}
	_, err := r.Close()
	must(t, err)
	if each := packedSize(t, path) / lines; each > 120 {
		t.Errorf("each event takes %d bytes, more than 120", each)
	}
}

// A packed transcript reads the same, and any zstd can read it.
func TestPack(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.cast")
	r := record(t, path)
	total := 0
	for _, out := range realOutput(t) {
		total += len(out)
		print4K(t, r, out)
	}
	sum, err := r.Close()
	must(t, err)
	plain := readAll(t, path)
	must(t, os.WriteFile(path+packedSuffix, []byte("left by a crash"), 0o600))
	must(t, packOne(path))
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the plain file is still there: %v", err)
	}
	f, err := OpenTranscript(path, packing)
	must(t, err)
	defer f.Close()
	for range 2 {
		got, err := verifyTranscript(f)
		must(t, err)
		if got.Head != sum.Head || got.Bytes != int64(total) {
			t.Errorf("%+v, want %+v", got, sum)
		}
		_, err = f.Seek(0, io.SeekStart)
		must(t, err)
	}
	if zstd, err := exec.LookPath("zstd"); err == nil {
		if out, err := exec.Command(zstd, "-dc", path+packedSuffix).Output(); err != nil ||
			!bytes.Equal(out, plain) {
			t.Errorf("zstd -d gives %d bytes of %d: %v", len(out), len(plain), err)
		}
	}
	if err := packOne(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("packed twice: %v", err)
	}
	// Damage is reported, wherever it is.
	packed := readAll(t, path+packedSuffix)
	for i := 0; i < len(packed)-9; i += len(packed)/50 + 1 {
		b := bytes.Clone(packed)
		b[i] ^= 0x10
		must(t, os.WriteFile(path+packedSuffix, b, 0o600))
		f, err := OpenTranscript(path, packing)
		if err != nil {
			continue // the index was hit
		}
		if got, err := verifyTranscript(f); err == nil && got.Head != sum.Head {
			t.Errorf("byte %d changed: no error", i)
		}
		f.Close()
	}
}

// Removing text leaves the proof whole; doing it without an entry in the log does not.
func TestRedact(t *testing.T) {
	root := t.TempDir()
	dir, path := filepath.Join(root, "audit"), filepath.Join(root, "s1.cast")
	sum := sample(t, path)
	l := openTest(t, dir)
	_, err := l.Append(KindClose, closeBody("s1", sum), Lazy)
	must(t, err)
	var out bytes.Buffer
	removed, err := Redact(&out, bytes.NewReader(readAll(t, path)), []int64{2, 4})
	must(t, err)
	if fmt.Sprint(removed) != "[2 4 5]" {
		t.Errorf("removed %v", removed)
	}
	must(t, os.WriteFile(path, out.Bytes(), 0o600))
	if bytes.Contains(out.Bytes(), []byte(`ls\r`)) || bytes.Contains(out.Bytes(), []byte("//5h")) {
		t.Error("the data is still there")
	}
	o := VerifyOptions{Transcript: func(sid string) (io.ReadCloser, error) {
		return OpenTranscript(filepath.Join(root, sid+".cast"), packing)
	}}
	var bad *BadEntry
	if _, err := Verify(dir, o); !errors.As(err, &bad) || bad.Seq != 2 {
		t.Errorf("without a word in the log: %v", err)
	}
	mustAppend(t, l, KindRedact, `{"events":[2,4,5],"reason":"token","sid":"s1"}`)
	var found Session
	o.Session = func(s Session) { found = s }
	_, err = Verify(dir, o)
	must(t, err)
	if s := found.Summary; s.Head != sum.Head || s.Bytes != sum.Bytes ||
		len(s.Redacted) != 3 {
		t.Errorf("%+v, want %+v", s, sum)
	}
	// No other text can be inserted in place of what was removed.
	forged := bytes.Replace(out.Bytes(), []byte(`"i",""`), []byte(`"i","rm -rf /"`), 1)
	must(t, os.WriteFile(path, forged, 0o600))
	if _, err := Verify(dir, o); !errors.As(err, &bad) || bad.Seq != 2 {
		t.Errorf("forged text: %v", err)
	}
}
