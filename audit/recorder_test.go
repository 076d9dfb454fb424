package audit

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tada-run/tada-run/audit/zstandard"
)

// steps returns a monotonic clock that advances by d per reading.
func steps(d time.Duration) func() time.Duration {
	var at time.Duration
	return func() time.Duration { at += d; return at }
}

func record(t testing.TB, path string) *Recorder {
	t.Helper()
	r, err := Create(path, Header{Cols: 100, Rows: 30, Term: "xterm-256color",
		Time: time.Unix(1767225600, 0), Command: `echo "hi"`,
		Env: map[string]string{"SHELL": "/bin/sh"}},
		RecordOptions{Now: steps(1500 * time.Microsecond), Rand: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sample records one of everything.
func sample(t testing.TB, path string) Summary {
	t.Helper()
	r := record(t, path)
	must(t, r.Output(CodeOutput, []byte("\x1b[31mhällo\x1b[0m\r\n\"q\"\\ \x7f")))
	must(t, r.Output(CodeStderr, []byte("err")))
	must(t, r.Input("human:1000@pts/3", []byte("ls\r")))
	must(t, r.Stdin("agent:a b", []byte("piped")))
	must(t, r.Output(CodeOutput, []byte{0xff, 0xfe, 'a', 0}))
	must(t, r.Hidden(CodeInput, "human:1000@pts/3", []byte("secret")))
	must(t, r.Resize(120, 40))
	must(t, r.Signal("human:1000@pts/3", "INT"))
	must(t, r.Note(CodeTerm, AuthorTada, "-echo icanon"))
	must(t, r.Gap(70000, sha256.Sum256(nil)))
	must(t, r.Mark("approved"))
	must(t, r.Exit("130"))
	s, err := r.Close()
	must(t, err)
	return s
}

func readAll(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return b
}

// The file is an asciicast v3: a header object and three-element arrays with
// intervals, and everything else is a comment.
func TestTranscriptIsAsciicast(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.cast")
	sample(t, path)
	var got []string
	total := 0.0
	for i, line := range strings.Split(strings.TrimSuffix(string(readAll(t, path)), "\n"), "\n") {
		if i == 0 {
			var h map[string]any
			must(t, json.Unmarshal([]byte(line), &h))
			term := h["term"].(map[string]any)
			if h["version"] != 3.0 || term["cols"] != 100.0 || term["type"] != "xterm-256color" ||
				h["timestamp"] != 1767225600.0 {
				t.Errorf("header %s", line)
			}
			continue
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		var e []any
		must(t, json.Unmarshal([]byte(line), &e))
		if len(e) != 3 {
			t.Fatalf("event %s", line)
		}
		total += e[0].(float64)
		got = append(got, e[1].(string)+" "+e[2].(string))
	}
	want := []string{
		"o \x1b[31mhällo\x1b[0m\r\n\"q\"\\ \x7f", "e err", "i ls\r", "n piped", "b o //5hAA==",
		"o \ufffd\ufffda\x00",
		"h", "r 120x40", "s INT", "t -echo icanon", "g 70000 " + Hash(sha256.Sum256(nil)).String(),
		"m approved", "x 130",
	}
	if len(got) != len(want) {
		t.Fatalf("%d events: %q", len(got), got)
	}
	for i := range want {
		if got[i] != want[i] && want[i] != "h" {
			t.Errorf("event %d is %q, want %q", i, got[i], want[i])
		}
	}
	if d := total - 0.0195; d > 1e-9 || d < -1e-9 {
		t.Errorf("intervals add up to %f", total)
	}
	if strings.Contains(string(readAll(t, path)), "secret") {
		t.Error("the hidden bytes are in the file")
	}
}

// Every byte is read back, with its author and time.
func TestTranscriptReadsBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.cast")
	sum := sample(t, path)
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	r, err := NewReader("a.cast", f)
	must(t, err)
	if r.Header.Command != `echo "hi"` || r.Header.Rows != 30 {
		t.Errorf("header %+v", r.Header)
	}
	var got []string
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		got = append(got, fmt.Sprintf("%c %s %d %q", e.Code, e.Author, e.Length, e.Data))
	}
	for i, want := range []string{
		`o program 23 "\x1b[31mhällo\x1b[0m\r\n\"q\"\\ \x7f"`, `e program 3 "err"`,
		`i human:1000@pts/3 3 "ls\r"`,
		`n agent:a_b 5 "piped"`, `o program 4 "\xff\xfea\x00"`, `h human:1000@pts/3 6 "i `,
		`r tada 0 "120x40"`,
	} {
		if !strings.HasPrefix(got[i], want) {
			t.Errorf("event %d is %s, want %s", i, got[i], want)
		}
	}
	if r.Summary().Head != sum.Head || r.Summary().Bytes != 23+3+3+5+4+6+70000 ||
		r.Summary().Count != 13 {
		t.Errorf("summary %+v, recorder says %+v", r.Summary(), sum)
	}
}

// However the bytes are split, they are read back the same and characters stay whole.
func TestTranscriptSplitCharacters(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 2, 3, 5, 7, 1000, 3 * maxChunk} {
		many := maxChunk
		if testing.Short() && size < 7 {
			many = 1000 // not tens of thousands of events
		}
		text := []byte("a é € 😀 \xff \xe2\x82 é\xf0\x9f\x98 end €" + strings.Repeat("ü",
			many) + "\xe2")
		path := filepath.Join(t.TempDir(), "a.cast")
		r := record(t, path)
		for at := 0; at < len(text); at += size {
			must(t, r.Output(CodeOutput, text[at:min(at+size, len(text))]))
		}
		_, err := r.Close()
		must(t, err)
		rd, err := NewReader("a", bytes.NewReader(readAll(t, path)))
		must(t, err)
		var back []byte
		for {
			e, err := rd.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			must(t, err)
			back = append(back, e.Data...)
		}
		if !bytes.Equal(back, text) {
			t.Fatalf("in pieces of %d: %d bytes came back of %d", size, len(back), len(text))
		}
		if n := bytes.Count(readAll(t, path), []byte("€")); n != 2 {
			t.Errorf("in pieces of %d: %d whole euro signs in the file", size, n)
		}
	}
}

// Nothing waits in the recorder: when a call returns, its bytes are in the file.
func TestTranscriptIsWrittenAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.cast")
	r := record(t, path)
	for i := range 50 {
		must(t, r.Output(CodeOutput, fmt.Appendf(nil, "<%d>", i)))
		if !bytes.Contains(readAll(t, path), fmt.Appendf(nil, "<%d>", i)) {
			t.Fatalf("output %d is not in the file", i)
		}
	}
}

func TestTranscriptNeverOverwrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.cast")
	must(t, os.WriteFile(path, []byte("mine"), 0o600))
	if _, err := Create(path, Header{},
		RecordOptions{Now: steps(1), Rand: rand.Reader}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("existing file: %v", err)
	}
	must(t, os.Remove(path))
	must(t, os.Symlink("elsewhere", path))
	if _, err := Create(path, Header{},
		RecordOptions{Now: steps(1), Rand: rand.Reader}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("link: %v", err)
	}
}

// What no reader would accept is not written.
func TestTranscriptTooLong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.cast")
	long := strings.Repeat("x", 1<<20)
	if _, err := Create(path, Header{Command: long},
		RecordOptions{Now: steps(1), Rand: rand.Reader}); !errors.Is(err, ErrTooLong) {
		t.Errorf("header: %v", err)
	}
	r := record(t, path)
	if err := r.Mark(long); !errors.Is(err, ErrTooLong) {
		t.Errorf("label: %v", err)
	}
	must(t, r.Output(CodeOutput, bytes.Repeat([]byte{0}, 1<<20)))
	_, err := r.Close()
	must(t, err)
	if s, err := verifyTranscript(bytes.NewReader(readAll(t, path))); err != nil ||
		s.Bytes != 1<<20 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestTranscriptConcurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.cast")
	var mu sync.Mutex
	at := time.Duration(0)
	var seen []Summary
	r, err := Create(path, Header{}, RecordOptions{
		Now:        func() time.Duration { mu.Lock(); defer mu.Unlock(); at += time.Millisecond; return at },
		Rand:       rand.Reader,
		Checkpoint: func(s Summary) error { seen = append(seen, s); return nil },
	})
	must(t, err)
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			for range 500 {
				if w == 0 {
					_ = r.Input("human:0@x", []byte("k"))
				} else {
					_ = r.Output(CodeOutput, bytes.Repeat([]byte("x"), 2000))
				}
			}
		})
	}
	all.Wait()
	sum, err := r.Close()
	must(t, err)
	got, err := verifyTranscript(bytes.NewReader(readAll(t, path)))
	must(t, err)
	if got.Head != sum.Head || got.Count != 2000 || got.Bytes != 500+3*500*2000 {
		t.Errorf("verified %+v, recorded %+v", got, sum)
	}
	if len(seen) != 2 {
		t.Errorf("%d checkpoints in 3 MB", len(seen))
	}
}

func TestKeyedIsHMAC(t *testing.T) {
	var k keyed
	for _, msg := range []string{"", "x", strings.Repeat("long", 100)} {
		key := []byte("0123456789abcdef")
		m := hmac.New(sha256.New, key)
		m.Write([]byte(msg))
		if got := k.sum(key, []byte(msg)); !bytes.Equal(got[:], m.Sum(nil)) {
			t.Errorf("HMAC of %d bytes differs", len(msg))
		}
	}
}

// castLine returns the event to which a byte of a transcript belongs.
func castLine(b []byte, i int) int64 {
	return max(int64(bytes.Count(b[:i], []byte("\n"))-1)/2, 0)
}

// vouched returns a function that verifies transcript bytes against a log that closed it with sum.
func vouched(t *testing.T, sum Summary) func(cast []byte) error {
	t.Helper()
	r, ok := readRec(fields{kind: []byte(KindClose), body: closeBody("s1", sum)}, 0)
	if !ok {
		t.Fatal("not an entry about a session")
	}
	return func(cast []byte) error {
		_, err := voucherOf([]rec{r}).verify(func(string) (io.ReadCloser, error) {
			if cast == nil {
				return nil, fs.ErrNotExist
			}
			return io.NopCloser(bytes.NewReader(cast)), nil
		}, nil)
		return err
	}
}

func closeBody(sid string, sum Summary) []byte {
	return fmt.Appendf(nil, `{"bytes":%d,"count":%d,"head":"%s","sid":"%s"}`, sum.Bytes, sum.Count,
		sum.Head, sid)
}

// Verify follows the log to the transcripts that it names.
func TestVerifyTranscripts(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "audit")
	l := openTest(t, dir)
	open := func(sid string) (io.ReadCloser, error) {
		return os.Open(filepath.Join(root, sid+".cast"))
	}
	for _, sid := range []string{"s1", "s2"} {
		_, err := l.Append(KindClose, closeBody(sid, sample(t, filepath.Join(root, sid+".cast"))),
			Lazy)
		must(t, err)
	}
	// A session that is still running, or whose recorder died in the middle of an event.
	r := record(t, filepath.Join(root, "s3.cast"))
	must(t, r.Output(CodeOutput, []byte("one")))
	s := r.Summary()
	mustAppend(t, l, KindCheckpoint,
		fmt.Sprintf(`{"count":%d,"head":"%s","sid":"s3"}`, s.Count, s.Head))
	must(t, r.Output(CodeOutput, []byte("two")))
	live := readAll(t, filepath.Join(root, "s3.cast"))
	must(t, os.WriteFile(filepath.Join(root, "s3.cast"), live[:len(live)-30], 0o600))
	mustAppend(t, l, KindDrop, `{"sid":"s4"}`)

	found := map[string]Session{}
	report, err := Verify(dir, VerifyOptions{Transcript: open, Meanwhile: Meanwhile{
		Session: func(s Session) { found[s.ID] = s }}})
	must(t, err)
	if report.Transcripts != 4 || report.Missing != 1 || len(found) != 4 || !found["s2"].Closed ||
		found["s3"].Summary.Count != 1 || !found["s4"].Missing {
		t.Errorf("report %+v of %+v", report, found)
	}
	must(t, os.WriteFile(filepath.Join(root, "s3.cast"), live[:len(live)/2], 0o600))
	var bad *BadEntry
	if _, err := Verify(dir, VerifyOptions{Transcript: open}); !errors.As(err, &bad) ||
		bad.File != "s3.cast" || bad.Seq != 0 {
		t.Errorf("cut before its checkpoint: %v", err)
	}
	must(t, os.Remove(filepath.Join(root, "s2.cast")))
	if _, err := Verify(dir, VerifyOptions{Transcript: open}); !errors.As(err, &bad) ||
		bad.File != "s2.cast" || !strings.Contains(bad.Reason, "missing") {
		t.Errorf("missing transcript: %v", err)
	}
}

// B-T6 for transcripts: every byte changed, every event dropped, doubled and
// swapped, cut at every position: the log's verification names the event.
func TestEveryTranscriptChange(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.cast")
	sum := sample(t, path)
	verify := vouched(t, sum)
	good := readAll(t, path)
	must(t, verify(good))
	check := func(what string, b []byte, want int64) {
		t.Helper()
		var bad *BadEntry
		if err := verify(b); !errors.As(err, &bad) || bad.File != "s1.cast" || bad.Seq != want {
			t.Errorf("%s: %v, want event %d named", what, err, want)
		}
	}
	for i := 0; i < len(good); i += stride() {
		for _, with := range []byte{good[i] ^ 1, '\n', '-'} {
			if with == good[i] {
				continue
			}
			b := bytes.Clone(good)
			b[i] = with
			check(fmt.Sprintf("byte %d to %q", i, with), b, castLine(good, i))
		}
		check(fmt.Sprintf("byte %d taken out", i), slices.Concat(good[:i], good[i+1:]),
			castLine(good, i))
		check(fmt.Sprintf("a byte before %d", i), slices.Concat(good[:i], []byte("x"), good[i:]),
			castLine(good, i))
		check(fmt.Sprintf("cut at %d", i), append([]byte{}, good[:i]...), castLine(good, i))
	}
	lines := bytes.SplitAfter(good, newline)
	lines = lines[:len(lines)-1]
	events := (len(lines) - 1) / 2
	for n := range events {
		at := 1 + 2*n
		pair := bytes.Join(lines[at:at+2], nil)
		head, tail := bytes.Join(lines[:at], nil), bytes.Join(lines[at+2:], nil)
		check("dropped", append(bytes.Clone(head), tail...), int64(n))
		check("doubled", bytes.Join([][]byte{head, pair, pair, tail}, nil), int64(n+1))
		check("comment", bytes.Join([][]byte{head, []byte("# hello\n"), pair, tail}, nil), int64(n))
		if n+1 < events {
			next := bytes.Join(lines[at+2:at+4], nil)
			check("swapped", bytes.Join([][]byte{head, next, pair, bytes.Join(lines[at+4:], nil)},
				nil), int64(n))
		}
		// Redacted without an entry in the log.
		l, _ := parseLink(bytes.TrimSuffix(lines[at+1], newline))
		l.gone = true
		var was int64
		if n > 0 {
			before, _ := parseLink(bytes.TrimSuffix(lines[at-1], newline))
			was = before.us
		}
		gone := append(appendEvent(nil, l.us-was, l.code, nil), '\n')
		check("redacted", bytes.Join([][]byte{head, gone, l.appendLine(nil), newline, tail}, nil),
			int64(n))
	}
	check("missing", nil, 0)
	other := filepath.Join(t.TempDir(), "b.cast")
	sample(t, other)
	check("another transcript", readAll(t, other), int64(events-1))
}

// packing is how transcripts are packed in tests.
var packing = Codec{Encoder: zstandard.Encoder, Decoder: zstandard.Decoder}

// A transcript of 10 GiB, in a file with a hole: every reader reports it at once and reads no
// further.
func TestTranscriptOfTenGiB(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.cast")
	sum := sample(t, path)
	size := int64(len(readAll(t, path)))
	if err := os.Truncate(path, 10<<30); err != nil {
		t.Skipf("needs a file system that has files with holes: %v", err)
	}
	f, err := OpenTranscript(path, packing)
	must(t, err)
	defer f.Close()
	var bad *BadEntry
	if got, err := verifyTranscript(f); !errors.As(err, &bad) || bad.Seq != sum.Count || bad.Torn ||
		got.Head != sum.Head {
		t.Errorf("%+v, %v", got, err)
	}
	if at, err := f.Seek(0, io.SeekCurrent); err != nil || at > size+4*maxEventLine {
		t.Errorf("%d bytes were read to find it out, %v", at, err)
	}
}

// The content of a transcript is read as by any reader of JSON; the few escapes of its own writer
// are read without one.
func TestUnescape(t *testing.T) {
	for _, text := range []string{`""`, `"plain"`, `"\r\n\t\"\\\u0000\u001b[0m\u007f"`, `"日本\n"`} {
		var want string
		must(t, json.Unmarshal([]byte(text), &want))
		if got, ok := unescape([]byte("x"), []byte(text)); !ok || string(got) != "x"+want {
			t.Errorf("%s: %q, %v", text, got, ok)
		}
		if own := `"` + string(appendText(nil, []byte(want))) + `"`; own != text {
			t.Errorf("%s is written as %s", text, own)
		}
	}
	for _, foreign := range []string{``, `"`, `x`, `"\"`, `"\/"`, `"\b"`, `"\u00e9"`, `"\u65e5"`,
		`"\ud83d\ude00"`, `"\u00"`, `"a"b"`, "\"a\nb\"", `"\x41"`, `"\u00zz"`} {
		if got, ok := unescape(nil, []byte(foreign)); ok {
			t.Errorf("%s is read as %q", foreign, got)
		}
	}
}

// verifyTranscript reads a whole transcript and returns its summary, to be compared with what the
// log remembers. The error is a *BadEntry for the first event that does not verify; the Summary
// covers what is before it.
func verifyTranscript(r io.Reader) (Summary, error) {
	t, err := NewReader("transcript", r)
	if err != nil {
		return Summary{}, err
	}
	for {
		if _, err := t.step(); errors.Is(err, io.EOF) {
			return t.at.sum, nil
		} else if err != nil {
			return t.at.sum, err
		}
	}
}
