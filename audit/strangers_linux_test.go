package audit

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
)

// A verifier that shares no code with this one gives the same result for good and for changed
// records.
func TestStandAloneVerifier(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed; the stand-alone verifier needs it")
	}
	src := readAll(t, "testdata/verify.py")
	if n := bytes.Count(src, newline); n > 150 {
		t.Errorf("it has %d lines, more than 150", n)
	}
	home := t.TempDir()
	dir := filepath.Join(home, "audit")
	must(t, os.Mkdir(filepath.Join(home, "sessions"), 0o700))
	cast := filepath.Join(home, "sessions", "s1.cast")
	l := openMarked(t, dir, dir+".mark")
	mustAppend(t, l, "exec.intent", `{"cmd":"\u00e9\ud83d\ude00\udcff\u007f","n":-1}`)
	writeLog(t, dir, append(readLog(t, dir), `{"body":{"torn`...))
	_, err = l.Append(KindClose, closeBody("s1", sample(t, cast)), Lazy)
	must(t, err)
	mustAppend(t, l, "exec.end", `{}`)
	goodLog, goodCast := readLog(t, dir), readAll(t, cast)
	open := VerifyOptions{Transcript: func(sid string) (io.ReadCloser, error) {
		return OpenTranscript(filepath.Join(home, "sessions", sid+".cast"), packing)
	}}
	// One Python process checks all of them.
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

	// The same for a log in many files, and for one whose beginning was removed.
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

	must(t, os.WriteFile(memory[0], good, 0o600))
	// What is beside the log: the mark, the two slots of the anchor, the content of a checkpoint.
	// (Python cannot check its signature.)
	_, err = l.Append("k", []byte(`{}`), Durable)
	must(t, err)
	secret, public, err := note.GenerateKey(rand.Reader, "log")
	must(t, err)
	signer, err := note.NewSigner(secret)
	must(t, err)
	verifier, err := note.NewVerifier(public)
	must(t, err)
	signed, err := Checkpoint(dir, VerifyOptions{}, signer)
	must(t, err)
	open.Mark, open.Known = dir+".mark", note.VerifierList(verifier)
	beside := filepath.Join(dir, checkpointName)
	must(t, os.WriteFile(beside, signed, 0o600))
	open.Checkpoint = signed
	verdict("with a mark and a checkpoint")
	for i := 0; i < bytes.Index(signed, []byte("\n\n")); i += 9 {
		if i > len("log") {
			open.Checkpoint = change(signed, i)
			must(t, os.WriteFile(beside, open.Checkpoint, 0o600))
			verdict(fmt.Sprintf("checkpoint, byte %d", i))
		}
	}
	must(t, os.WriteFile(beside, signed, 0o600))
	open.Checkpoint = signed
	for _, name := range []string{dir + ".mark", filepath.Join(dir, anchorName)} {
		good := readAll(t, name)
		for i := 3; i < len(good); i += len(good) / 12 {
			must(t, os.WriteFile(name, change(good, i), 0o600))
			verdict(fmt.Sprintf("%s, byte %d", filepath.Base(name), i))
		}
		must(t, os.WriteFile(name, good, 0o600))
	}
	good = readAll(t, filepath.Join(dir, anchorName))
	both := change(change(good, 100), slotSize+100)
	must(t, os.WriteFile(filepath.Join(dir, anchorName), both, 0o600))
	verdict("both slots of the anchor")
	must(t, os.WriteFile(filepath.Join(dir, anchorName), good, 0o600))

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

// A reader neither panics on nor accepts arbitrary bytes.
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
		_, _ = verifyTranscript(bytes.NewReader(b))
		_, _ = Redact(io.Discard, bytes.NewReader(b), []int64{0, 1})
	})
}

// Whatever is in the files, verifying and appending return a result.
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
