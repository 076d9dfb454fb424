package audit

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// realOutput is what commands print here: the text of this repository, what is found in it, and listings.
func realOutput(t *testing.T) map[string][]byte {
	t.Helper()
	outputs := map[string][]byte{}
	for name, argv := range map[string][]string{
		"source":   {"sh", "-c", "cat *.go ../*/*.go ../*/*/*.go | head -c 1500000"},
		"ls -lR":   {"ls", "-lR", ".."},
		"find":     {"find", "..", "-not", "-path", "*/.git/*"},
		"od":       {"sh", "-c", "od -c doc.go | head -c 200000"},
		"grep -rn": {"sh", "-c", "grep -rn --color=always error --include=*.go .. | head -c 500000"},
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

// print4K records output in the smallest pieces in which a terminal gives what a command prints without a pause.
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

// At rest a session takes at most 0.40 of what was printed, whatever that was, and some hundred bytes for every event,
// because commitments look like chance: a command that prints a line now and then takes more than it printed.
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

// A packed transcript reads the same, and any zstd reads it.
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
		got, err := VerifyTranscript(f)
		must(t, err)
		if got.Head != sum.Head || got.Bytes != int64(total) {
			t.Errorf("%+v, want %+v", got, sum)
		}
		_, err = f.Seek(0, io.SeekStart)
		must(t, err)
	}
	if zstd, err := exec.LookPath("zstd"); err == nil {
		if out, err := exec.Command(zstd, "-dc", path+packedSuffix).Output(); err != nil || !bytes.Equal(out, plain) {
			t.Errorf("zstd -d gives %d bytes of %d: %v", len(out), len(plain), err)
		}
	}
	if err := packOne(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("packed twice: %v", err)
	}
	// Damage is told, whatever it hits.
	packed := readAll(t, path+packedSuffix)
	for i := 0; i < len(packed)-9; i += len(packed)/50 + 1 {
		b := bytes.Clone(packed)
		b[i] ^= 0x10
		must(t, os.WriteFile(path+packedSuffix, b, 0o600))
		f, err := OpenTranscript(path, packing)
		if err != nil {
			continue // the index was hit
		}
		if got, err := VerifyTranscript(f); err == nil && got.Head != sum.Head {
			t.Errorf("byte %d changed: no error", i)
		}
		f.Close()
	}
}

// Removing text leaves the proof whole; doing it without a word does not.
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
	report, err := Verify(dir, o)
	must(t, err)
	if s := report.Transcripts[0].Summary; s.Head != sum.Head || s.Bytes != sum.Bytes || len(s.Redacted) != 3 {
		t.Errorf("%+v, want %+v", s, sum)
	}
	// Nobody can put other words in the place of what was removed.
	forged := bytes.Replace(out.Bytes(), []byte(`"i",""`), []byte(`"i","rm -rf /"`), 1)
	must(t, os.WriteFile(path, forged, 0o600))
	if _, err := Verify(dir, o); !errors.As(err, &bad) || bad.Seq != 2 {
		t.Errorf("forged text: %v", err)
	}
}

// A verifier that shares no code with this one says the same of good and of
// changed records.
func TestStandAloneVerifier(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed; the stand-alone verifier needs it")
	}
	src := readAll(t, "testdata/verify.py")
	if n := bytes.Count(src, newline); n > 120 {
		t.Errorf("it has %d lines, more than 120", n)
	}
	home := t.TempDir()
	dir := filepath.Join(home, "audit")
	must(t, os.Mkdir(filepath.Join(home, "sessions"), 0o700))
	cast := filepath.Join(home, "sessions", "s1.cast")
	l := openTest(t, dir)
	mustAppend(t, l, "exec.intent", `{"cmd":"\u00e9\ud83d\ude00\udcff\u007f","n":-1}`)
	writeLog(t, dir, append(readLog(t, dir), `{"body":{"torn`...))
	_, err = l.Append(KindClose, closeBody("s1", sample(t, cast)), Lazy)
	must(t, err)
	mustAppend(t, l, "exec.end", `{}`)
	goodLog, goodCast := readLog(t, dir), readAll(t, cast)
	open := VerifyOptions{Transcript: func(sid string) (io.ReadCloser, error) {
		return OpenTranscript(filepath.Join(home, "sessions", sid+".cast"), packing)
	}}
	// One process of Python judges all of them.
	var homes, what []string
	var here []error
	check := func(name string, log, tape []byte) {
		t.Helper()
		writeLog(t, dir, log)
		must(t, os.WriteFile(cast, tape, 0o600))
		_, err := Verify(dir, open)
		copied := filepath.Join(t.TempDir(), "home")
		must(t, os.CopyFS(copied, os.DirFS(home)))
		homes, what, here = append(homes, copied), append(what, name), append(here, err)
	}
	check("good", goodLog, goodCast)
	change := func(b []byte, i int) []byte { b = bytes.Clone(b); b[i] ^= 1; return b }
	for n := range 12 {
		i := (2*n + 1) * len(goodLog) / 24
		check(fmt.Sprintf("log byte %d", i), change(goodLog, i), goodCast)
		i = (2*n + 1) * len(goodCast) / 24
		check(fmt.Sprintf("transcript byte %d", i), goodLog, change(goodCast, i))
	}
	check("log cut", goodLog[:bytes.LastIndexByte(goodLog[:len(goodLog)-1], '\n')+1], goodCast)
	check("transcript cut", goodLog, goodCast[:len(goodCast)/2])
	check("line inserted", append([]byte("{}\n"), goodLog...), goodCast)

	// The same of a log in many files, and of one whose beginning was removed.
	writeLog(t, dir, goodLog)
	must(t, os.WriteFile(cast, goodCast, 0o600))
	l.rotateAt = 1
	for range 4 {
		mustAppend(t, l, "k", `{}`)
	}
	verdict := func(name string) {
		_, err := Verify(dir, open)
		copied := filepath.Join(t.TempDir(), "home")
		must(t, os.CopyFS(copied, os.DirFS(home)))
		homes, what, here = append(homes, copied), append(what, name), append(here, err)
	}
	verdict("segments")
	if _, err := exec.LookPath("zstd"); err == nil { // Python has no zstd of its own before 3.14
		must(t, packOne(cast))
		verdict("packed")
		packed := readAll(t, cast+packedSuffix)
		must(t, os.WriteFile(cast+packedSuffix, change(packed, len(packed)/2), 0o600))
		verdict("a byte of what is packed")
		must(t, os.Remove(cast+packedSuffix))
		verdict("what was packed is gone")
		must(t, os.WriteFile(cast, goodCast, 0o600))
	}
	second := filepath.Join(dir, segmentName(2))
	good := readAll(t, second)
	must(t, os.WriteFile(second, change(good, 20), 0o600))
	verdict("a byte of a segment")
	must(t, os.Remove(second))
	verdict("a segment removed")
	must(t, os.WriteFile(second, good, 0o600))
	_, _, err = l.Prune(Retention{MaxBytes: 1}, "quota", nil)
	must(t, err)
	verdict("pruned")
	memory, err := filepath.Glob(filepath.Join(dir, "pruned.*"))
	must(t, err)
	good = readAll(t, memory[0])
	for i := 10; i < len(good); i += len(good) / 5 {
		must(t, os.WriteFile(memory[0], change(good, i), 0o600))
		verdict(fmt.Sprintf("pruned, byte %d", i))
	}

	const judge = `
import sys
sys.path.insert(0, "testdata")
import io, contextlib, verify
for home in sys.argv[1:]:
    try:
        with contextlib.redirect_stdout(io.StringIO()): verify.main(home)
        print("good")
    except SystemExit as e: print(e)
`
	out, err := exec.Command(python, append([]string{"-B", "-c", judge}, homes...)...).Output()
	must(t, err)
	there := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(there) != len(homes) {
		t.Fatalf("%d answers for %d records:\n%s", len(there), len(homes), out)
	}
	for i := range homes {
		if (here[i] == nil) != (there[i] == "good") {
			t.Errorf("%s: here %v, there %s", what[i], here[i], there[i])
		}
	}
}

// Whatever bytes a reader is given, it neither panics nor believes them.
func FuzzTranscript(f *testing.F) {
	path := filepath.Join(f.TempDir(), "a.cast")
	r, err := Create(path, Header{}, RecordOptions{Now: steps(1), Rand: rand.Reader})
	must(f, err)
	must(f, r.Output(CodeOutput, []byte("x\xff")))
	must(f, r.Exit("0"))
	_, err = r.Close()
	must(f, err)
	f.Add(readAll(f, path))
	f.Add([]byte("{\"version\":3}\n[0,\"o\",\"x\"]\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = VerifyTranscript(bytes.NewReader(b))
		_, _ = Redact(io.Discard, bytes.NewReader(b), []int64{0, 1})
	})
}

// Whatever stands in the files, verifying and appending end in an answer.
func FuzzLog(f *testing.F) {
	dir := fill(f, 3)
	good := readLog(f, dir)
	anchor := readAll(f, filepath.Join(dir, anchorName))
	f.Add(good, anchor)
	f.Add([]byte(strings.Repeat("\n", 10)), anchor)
	f.Add(append(bytes.Clone(good), good...), anchor[:512])
	f.Fuzz(func(t *testing.T, log, anchor []byte) {
		writeLog(t, dir, log)
		must(t, os.WriteFile(filepath.Join(dir, anchorName), anchor, 0o600))
		_, before := Verify(dir, VerifyOptions{})
		l, err := OpenLog(dir, LogOptions{Now: tick(), BootID: testBoot, MinFree: 1})
		if err != nil {
			return
		}
		defer l.Close()
		if _, err := l.Append("k", []byte(`{}`), Lazy); err == nil && before == nil {
			if _, err := Verify(dir, VerifyOptions{}); err != nil {
				t.Errorf("good before an append, and then: %v", err)
			}
		}
		if !bytes.HasPrefix(readLog(t, dir), log) {
			t.Error("something was removed")
		}
	})
}
