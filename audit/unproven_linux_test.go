package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
)

// demands are what a person can require of the record besides the chain. None of them may hide that
// a part is not proven.
var demands = map[string]VerifyOptions{"": {}, "strict": {Strict: true}}

// forgeLast replaces the last entry with another, with the right number, predecessor and form.
func forgeLast(t *testing.T, dir string) (seq int64) {
	t.Helper()
	b := readLog(t, dir)
	at := bytes.LastIndexByte(b[:len(b)-1], '\n') + 1
	f, ok := splitLine(b[at : len(b)-1])
	if !ok {
		t.Fatal("no last entry")
	}
	prev, _ := parseHash(f.prev)
	line := appendLine(nil, "exec.end", []byte(`{"sid":"forged"}`), prev, f.seq, stamp(f.time))
	writeLog(t, dir, append(append(b[:at:at], line...), '\n'))
	return f.seq
}

// What a person accepted after tampering is not proven by that, nor by anything later: a seal, a
// checkpoint, a head that was kept, the removal of its segments. Verify reports from where to
// where, who, when and why.
func TestAcceptedStaysUnproven(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, dir string) (first int64){
		"last entry forged": forgeLast,
		"line in the middle changed": func(t *testing.T, dir string) int64 {
			b := readLog(t, dir)
			b[len(b)/2] ^= 1
			writeLog(t, dir, b)
			return int64(bytes.Count(b[:len(b)/2], newline))
		},
		"cut": func(t *testing.T, dir string) int64 {
			b := readLog(t, dir)
			at := bytes.LastIndexByte(b[:len(b)-1], '\n') + 1
			writeLog(t, dir, b[:at])
			return int64(bytes.Count(b[:at], newline))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "audit")
			l := openTest(t, dir)
			l.rotateAt = 1 << 10
			for i := range 7 {
				_, err := l.Append("k", fmt.Appendf(nil, `{"i":%d}`, i), Durable)
				must(t, err)
			}
			first := spoil(t, dir)
			l.Close()
			l = openTest(t, dir)
			l.rotateAt = 1 << 10
			accepted, err := l.Accept("uid 1000", "the disk was full")
			must(t, err)
			tells := func(when string) Report {
				t.Helper()
				for what, o := range demands {
					r, err := Verify(dir, o)
					if err != nil || len(r.Unproven) != 1 {
						t.Fatalf("%s, %s: %v, %+v", when, what, err, r.Unproven)
					}
					g := r.Unproven[0]
					if g.From.Count > first || g.Seq != accepted.Seq || g.By != "uid 1000" ||
						g.Reason != "the disk was full" || !g.Time.Equal(accepted.Time) {
						t.Fatalf("%s: %+v, entry %d was forged", when, g, first)
					}
				}
				var bad *BadEntry
				if r, err := Verify(dir, VerifyOptions{Complete: true}); !errors.As(err, &bad) ||
					!strings.Contains(bad.Reason, "the disk was full") {
					t.Fatalf("%s: complete: %v, %+v", when, err, r)
				}
				r, _ := Verify(dir, VerifyOptions{})
				return r
			}
			tells("accepted")
			if _, err := l.Accept("uid 1000", "once more"); !errors.Is(err, ErrNothingToAccept) {
				t.Fatalf("accepted again: %v", err)
			}
			mustAppend(t, l, "k", `{}`)
			mustSeal(t, l)
			r := tells("sealed")
			must(t, func() error {
				_, err := Verify(dir, VerifyOptions{Remember: []Point{{r.Entries, r.Head}}})
				return err
			}())
			secret, public, err := note.GenerateKey(nil, "log")
			must(t, err)
			signer, err := note.NewSigner(secret)
			must(t, err)
			verifier, err := note.NewVerifier(public)
			must(t, err)
			known := note.VerifierList(verifier)
			signed, err := Checkpoint(dir, VerifyOptions{}, signer)
			must(t, err)
			for seq := range r.Entries {
				_, err := Prove(dir, VerifyOptions{}, seq, signed, known)
				if doubtful := seq >= r.Unproven[0].From.Count &&
					seq < accepted.Seq; doubtful != (err != nil) {
					t.Errorf("proof of entry %d: %v", seq, err)
				}
			}
			for i := range 30 { // to have something to remove
				mustAppend(t, l, "k",
					fmt.Sprintf(`{"i":%d,"text":%q}`, i, strings.Repeat("x", 200)))
			}
			entries, _, err := l.Prune(Retention{MaxBytes: 1}, "old",
				func(string) bool { return false })
			must(t, err)
			if entries <= accepted.Seq {
				t.Fatalf("only %d entries were removed", entries)
			}
			tells("removed")
		})
	}
}

// An entry inside an accepted part is marked, one outside it is not.
func TestGapCovers(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "audit")
	l := openTest(t, dir)
	for i := range 5 {
		_, err := l.Append("k", fmt.Appendf(nil, `{"i":%d}`, i), Durable)
		must(t, err)
	}
	forged := forgeLast(t, dir)
	l.Close()
	l = openTest(t, dir)
	accepted, err := l.Accept("uid 1000", "why")
	must(t, err)
	mustAppend(t, l, "k", `{}`)
	g, ok := accepted.Gap()
	if !ok {
		t.Fatal("accept is no gap")
	}
	for e, err := range Entries(dir, Filter{}) {
		must(t, err)
		if want := e.Seq >= g.From.Count && e.Seq < accepted.Seq; g.Covers(e.Offset) != want {
			t.Errorf("entry %d: covered %v", e.Seq, !want)
		}
		if e.Seq == forged && !g.Covers(e.Offset) {
			t.Errorf("the forged entry %d is not covered: %+v", e.Seq, g)
		}
	}
	if g.From.Count != forged { // the anchor vouches for what the disk had stored before
		t.Errorf("unproven from %d on; only %d was forged", g.From.Count, forged)
	}
}

// uncovered are the files of the folder whose bytes say nothing about the record.
var uncovered = map[string]string{
	reserveName: "disk space that is kept back",
}

// No byte of a file that belongs to the record can change without Verify failing, or saying what it
// could not check. The test takes all files in the folder, so a new one is either covered or listed
// above.
func TestEveryByteOfEveryFile(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir, markFile := filepath.Join(root, "audit"), filepath.Join(root, "audit.mark")
	l := openMarked(t, dir, markFile)
	l.rotateAt = 700
	for i := range 12 {
		_, err := l.Append("k", fmt.Appendf(nil, `{"i":%d,"text":%q}`, i, strings.Repeat("y", 60)),
			Durable)
		must(t, err)
		if i%5 == 4 {
			mustSeal(t, l)
		}
	}
	_, _, err := l.Prune(Retention{MaxBytes: 2 << 10}, "old", func(string) bool { return false })
	must(t, err)
	secret, public, err := note.GenerateKey(nil, "log")
	must(t, err)
	signer, err := note.NewSigner(secret)
	must(t, err)
	known, err := note.NewVerifier(public)
	must(t, err)
	signed, err := Checkpoint(dir, VerifyOptions{Mark: markFile}, signer)
	must(t, err)
	checkpoint := filepath.Join(dir, checkpointName)
	must(t, os.WriteFile(checkpoint, signed, 0o600))
	_, err = l.Append("k", []byte(`{}`), Durable)
	must(t, err)
	must(t, l.Close())

	verify := func() (string, error) {
		signed, err := os.ReadFile(checkpoint)
		must(t, err)
		r, err := Verify(dir, VerifyOptions{Mark: markFile, Workers: 1,
			Signed: Signed{signed, note.VerifierList(known)}})
		return strings.Join(r.Notes, "\n"), err
	}
	before, err := verify()
	must(t, err)
	paths, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, err)
	seen := 0
	for _, path := range append(paths, markFile) {
		st, err := os.Stat(path)
		must(t, err)
		if _, ok := uncovered[filepath.Base(path)]; ok || st.IsDir() {
			continue
		}
		good := readAll(t, path)
		for i := 0; i < len(good); i += stride() {
			b := bytes.Clone(good)
			b[i] ^= []byte{1, 0x20, 0x80}[i%3]
			must(t, os.WriteFile(path, b, 0o600))
			if notes, err := verify(); err == nil && notes == before {
				t.Errorf("%s: byte %d (%q): verifies without a word", filepath.Base(path), i,
					good[i])
			}
		}
		must(t, os.WriteFile(path, good, 0o600))
		if len(good) > 0 {
			seen++
			must(t, os.WriteFile(path, good[:len(good)-1], 0o600))
			if notes, err := verify(); err == nil && notes == before &&
				filepath.Base(path) != lockName {
				// which means something only when the mark is gone
				t.Errorf("%s: its last byte is gone: verifies without a word", filepath.Base(path))
			}
			must(t, os.WriteFile(path, good, 0o600))
		}
	}
	if notes, err := verify(); err != nil || notes != before || seen < 7 {
		t.Fatalf("%d files; as it was: %q, %v", seen, notes, err)
	}
}

// A record older than marks, or whose mark was never made, verifies, and Verify says what it could
// not check. One whose mark is gone or damaged does not verify, and nothing is appended to it
// before a person has accepted that.
func TestMarkMissing(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir, markFile := filepath.Join(root, "audit"), filepath.Join(root, "audit.mark")
	old := openTest(t, dir) // without a mark
	mustAppend(t, old, "k", `{}`)
	must(t, old.Close())
	r, err := Verify(dir, VerifyOptions{Mark: markFile})
	if err != nil || len(r.Notes) != 1 ||
		!strings.Contains(r.Notes[0], "audit.mark does not exist") {
		t.Fatalf("without a mark: %v, %q", err, r.Notes)
	}
	l := openMarked(t, dir, markFile)
	_, err = l.Append("k", []byte(`{}`), Durable)
	must(t, err)
	must(t, l.Close())
	if r, err := Verify(dir, VerifyOptions{Mark: markFile}); err != nil || len(r.Notes) != 0 {
		t.Fatalf("with a mark: %v, %q", err, r.Notes)
	}
	good := readAll(t, markFile)
	for name, spoil := range map[string]func(){
		"gone":    func() { must(t, os.Remove(markFile)) },
		"emptied": func() { must(t, os.WriteFile(markFile, nil, 0o600)) },
		"damaged": func() { must(t, os.WriteFile(markFile, append([]byte("x"), good...), 0o600)) },
	} {
		spoil()
		var bad *BadEntry
		if _, err := Verify(dir, VerifyOptions{Mark: markFile}); !errors.As(err, &bad) ||
			bad.File != "audit.mark" {
			t.Errorf("%s: verify: %v", name, err)
		}
		l := openMarked(t, dir, markFile)
		var tampered *TamperError
		if _, err := l.Append("k", []byte(`{}`), Durable); !errors.As(err, &tampered) ||
			tampered.File != "audit.mark" {
			t.Errorf("%s: append: %v", name, err)
		}
		_, err := l.Accept("uid 1000", "lost it")
		must(t, err)
		_, err = l.Append("k", []byte(`{}`), Durable)
		must(t, err)
		must(t, l.Close())
		if _, err := Verify(dir, VerifyOptions{Mark: markFile}); err != nil {
			t.Errorf("%s: accepted: %v", name, err)
		}
		good = readAll(t, markFile)
	}
}

// saying returns sessions as VerifyOptions.Transcripts does.
func saying(ids ...string) func(func(sid string)) error {
	return func(say func(sid string)) error {
		for _, id := range ids {
			say(id)
		}
		return nil
	}
}

// A transcript that the log does not mention is reported; so is one of a run that ended without an
// entry about it, but as a different case.
func TestUnnamedTranscripts(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "audit")
	l := openTest(t, dir)
	mustAppend(t, l, KindIntent, `{"sid":"died"}`)
	mustAppend(t, l, KindIntent, `{"sid":"runs"}`)
	mustAppend(t, l, KindDrop, `{"sid":"dropped"}`)
	r, err := Verify(dir, VerifyOptions{
		Transcript:  func(string) (io.ReadCloser, error) { return nil, fs.ErrNotExist },
		Transcripts: saying("died", "dropped", "runs", "strange"),
		Meanwhile:   Meanwhile{Running: func(sid string) bool { return sid == "runs" }},
	})
	if err != nil || fmt.Sprint(r.Unnamed, r.Unvouched) != "[strange] [died]" {
		t.Fatalf("%v, unnamed %q, unvouched %q", err, r.Unnamed, r.Unvouched)
	}
	var bad *BadEntry
	_, err = Verify(dir, VerifyOptions{Transcripts: saying("strange"), Complete: true})
	if !errors.As(err, &bad) || bad.File != "strange.cast" {
		t.Fatalf("complete: %v", err)
	}
}

// A whole log that was rewritten verifies, seals included. Only the key of the first seal shows it:
// the key is in the report, and is not the pinned one.
func TestRewrittenHasAnotherFirstKey(t *testing.T) {
	t.Parallel()
	keys := map[string]bool{}
	pin := ""
	for range 2 {
		dir := filepath.Join(t.TempDir(), "audit")
		l := openTest(t, dir)
		mustAppend(t, l, "k", `{}`)
		body := mustSeal(t, l)
		mustSeal(t, l)
		r, err := Verify(dir, VerifyOptions{})
		if err != nil || r.FirstKey != body.Key {
			t.Fatalf("%v, first key %q", err, r.FirstKey)
		}
		if pin == "" {
			pin = r.FirstKey
			continue
		}
		keys[r.FirstKey] = true
		var bad *BadEntry
		if _, err := Verify(dir, VerifyOptions{SealKey: pin}); !errors.As(err, &bad) {
			t.Fatalf("written anew, under the pinned key: %v", err)
		}
	}
	if keys[pin] {
		t.Error("two logs have one first key")
	}
}
