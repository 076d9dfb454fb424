package audit

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// credentials are texts, each with what must not be in its transcript.
func credentials() (list [][2]string) {
	a, b := strings.Repeat("a1B2", 10), strings.Repeat("Z9", 29)
	for _, c := range [][3]string{
		{"GITHUB_TOKEN=ghp_", a, " and more\r\n"},
		{"(ghs_", a, ")"},
		{"github_pat_", a, "\n"},
		{"glpat-", a, "\n"},
		{"x-xoxb-", a, "\n"},
		{"AWS_ACCESS_KEY_ID=AKIA", "IOSFODNN7EXAMPLE", "\n"},
		{"ASIA", "IOSFODNN7EXAMPLE", ""},
		{"key: AIza", a[:35], "\n"},
		{"export K=sk-", a, " done"},
		{"npm_", a[:36], "\n"},
		{"STRIPE=sk_live_", a, "\n"},
		{"rk_live_", a, "\n"},
		{"AGE-SECRET-KEY-1", b, "\n"},
		{"Bearer eyJ", a + ".eyJ" + b + "." + a, "\r\n"},
		{"git clone https://me:", "hunter22", "@example.org/x é"},
		{"postgres://app:", "p@ss:word", "@db:5432/x"},
		{"-----BEGIN OPENSSH PRIVATE KEY-----", "\nb3BlbnNzaC1rZXktdjEAAAA\nAAAAAAA\n-----END",
			" OPENSSH PRIVATE KEY-----\n$ "},
	} {
		list = append(list, [2]string{c[0] + c[1] + c[2], c[1]})
	}
	return list
}

// replayed returns what a player shows of a transcript.
func replayed(t testing.TB, cast []byte) (shown string, length int64, hidden int) {
	t.Helper()
	r, err := NewReader("a", bytes.NewReader(cast))
	must(t, err)
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return shown, length, hidden
		}
		must(t, err)
		length += e.Length
		switch e.Code {
		case CodeHidden:
			hidden++
		case CodeOutput:
			shown += string(e.Data)
		}
	}
}

// A credential never reaches the file, however reads split it. Everything around it does, and the
// screen keeps its layout.
func TestSecretsAreNotRecorded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for n, c := range credentials() {
		text, secret := c[0], c[1]
		want := string(stars([]byte(secret)))
		if strings.Contains(secret, "@") {
			// for us the first @ ends the name and password: p@ss:word is p, then host ss
			want = "****:****"
			continue
		}
		for _, cut := range [][]int{{len(text)}, nil} {
			var all [][]int
			if cut != nil {
				all = [][]int{cut}
			} else {
				for i := range text {
					all = append(all, []int{i, i + 3})
				}
				all = append(all, slices.Collect(func(yield func(int) bool) { // one byte at a time
					for i := range text {
						if !yield(i) {
							return
						}
					}
				}))
			}
			for k, cuts := range all {
				path := filepath.Join(dir, fmt.Sprintf("%d-%v-%d.cast", n, cut != nil, k))
				r := record(t, path)
				at := 0
				for _, i := range append(cuts, len(text)) {
					i = min(i, len(text))
					must(t, r.Output(CodeOutput, []byte(text[at:i])))
					at = i
				}
				sum, err := r.Close()
				must(t, err)
				cast := readAll(t, path)
				for _, part := range strings.Split(secret, "\n") {
					if len(part) > 0 && bytes.Contains(cast, []byte(part)) {
						t.Fatalf("%q cut at %v: it is in the file", text, cuts)
					}
				}
				shown, length, hidden := replayed(t, cast)
				if shown != strings.Replace(text, secret, want, 1) || length != int64(len(text)) ||
					sum.Bytes != length || hidden == 0 {
					t.Fatalf("%q cut at %v: shown %q, %d of %d bytes, %d hidden", text, cuts, shown,
						length, len(text), hidden)
				}
			}
		}
	}
}

// What only resembles a credential is recorded unchanged, at once or with the next bytes, and all
// of it at the end.
func TestNoSecrets(t *testing.T) {
	t.Parallel()
	text := "ghosts sk-ip AKIArea http://host/path eyJust.eyJust ghp_short sk-learn-0.1 https://a:b@c user@host:dir " +
		"a::b://c AKIAIOSFODNN7EXAMPLETOOLONG " + strings.Repeat("deadbeef",
		100) + " x" + strings.Repeat("-", 200) + " -----BEGIN CERTIFICATE----- é\xff sk-"
	for _, size := range []int{1, 2, 3, 7, 20, 64, 1000, len(text)} {
		path := filepath.Join(t.TempDir(), "a.cast")
		r := record(t, path)
		for at := 0; at < len(text); at += size {
			must(t, r.Output(CodeOutput, []byte(text[at:min(at+size, len(text))])))
		}
		must(t, r.Exit("0"))
		_, err := r.Close()
		must(t, err)
		shown, length, hidden := replayed(t, readAll(t, path))
		if shown != text || hidden != 0 || length != int64(len(text)) {
			t.Errorf("in pieces of %d: %d hidden, %d of %d bytes:\n%q\n%q", size, hidden, length,
				len(text), shown, text)
		}
	}
}

// The amount that waits is limited, whatever the input.
func TestSecretsWaitBounded(t *testing.T) {
	t.Parallel()
	for _, begin := range []string{"sk-", "https://me:", "-----BEGIN PRIVATE KEY-----", "eyJ"} {
		path := filepath.Join(t.TempDir(), "a.cast")
		r := record(t, path)
		must(t, r.Output(CodeOutput, []byte(begin)))
		total := len(begin)
		for range 3000 {
			must(t, r.Output(CodeOutput, []byte("0123456789abcdef0123456789abcdef")))
			total += 32
			if n := r.masks[0].waiting(); n > maxHeld {
				t.Fatalf("%q: %d bytes wait", begin, n)
			}
		}
		sum, err := r.Close()
		must(t, err)
		if sum.Bytes != int64(total) {
			t.Errorf("%q: %d bytes, want %d", begin, sum.Bytes, total)
		}
	}
}

// The mask agrees with a second implementation by the expressions alone, for all bytes and splits.
func FuzzMask(f *testing.F) {
	for _, c := range credentials() {
		f.Add([]byte(c[0]), 5)
	}
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		size = max(1, size%len(append(text, 0)))
		var whole, cut mask
		b, secret := whole.add(text, true)
		if !bytes.Equal(b, text) {
			t.Fatalf("%d bytes of %d", len(b), len(text))
		}
		want := bytes.Clone(text)
		for _, s := range secret {
			copy(want[s.from:s.to], stars(text[s.from:s.to]))
		}
		var got []byte
		for at := 0; ; at += size {
			end := min(at+size, len(text))
			b, secret := cut.add(text[min(at, end):end], at >= len(text))
			piece := bytes.Clone(b)
			for _, s := range secret {
				copy(piece[s.from:s.to], stars(b[s.from:s.to]))
			}
			got = append(got, piece...)
			cut.next(len(b))
			if at >= len(text) {
				break
			}
		}
		if len(got) != len(text) {
			t.Fatalf("in pieces of %d: %d bytes of %d", size, len(got), len(text))
		}
		// In pieces more may be hidden (because of a limit), but never less of what is within the
		// limits.
		for i := range got {
			if want[i] == '*' && got[i] != '*' && len(text) < maxUser {
				t.Fatalf("in pieces of %d, byte %d is shown:\n%q\n%q\n%q", size, i, text, want, got)
			}
		}
	})
}

// A program that asks for a password with the echo on: up to the end of the line, neither what is
// typed nor its echo is stored.
func TestPasswordPrompts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		shown string
		want  bool
	}{
		{"[sudo] password for me: ", true}, {"Password:", true},
		{"\r\nEnter passphrase for key '/home/me/.ssh/id_ed25519': ", true},
		{"PIN: ", true}, {"Enter token> ", true}, {"mot de passe : ", true}, {"API key: ", true},
		{"$ ", false}, {"password: \r\n$ ", false}, {"Username: ", false},
		{"the password is wrong, try again\r\n> ", false}, {"", false},
	} {
		for _, echo := range []bool{true, false} {
			path := filepath.Join(t.TempDir(), "a.cast")
			r := record(t, path)
			must(t, r.Output(CodeOutput, []byte(c.shown)))
			for _, key := range "hunter2" {
				must(t, r.Input("human:1@pts/1", []byte(string(key))))
				if echo {
					must(t, r.Output(CodeOutput, []byte(string(key))))
				}
			}
			must(t, r.Input("human:1@pts/1", []byte("\r")))
			must(t, r.Output(CodeOutput, []byte("\r\nwelcome\r\n")))
			must(t, r.Input("human:1@pts/1", []byte("ls\r")))
			_, err := r.Close()
			must(t, err)
			cast := string(readAll(t, path))
			plain, _, hidden := replayed(t, []byte(cast))
			if stored := strings.Contains(cast, `"i","h"`); stored == c.want {
				t.Errorf("%q: what was typed is stored: %v", c.shown, stored)
			}
			wantShown := c.shown + "hunter2\r\nwelcome\r\n"
			if c.want {
				wantShown = c.shown + "*******\r\nwelcome\r\n"
			}
			if !echo {
				wantShown = c.shown + "\r\nwelcome\r\n"
			}
			if plain != wantShown || (hidden > 0) != c.want ||
				!strings.Contains(cast, `"i","ls\r"`) {
				t.Errorf("%q, echo %v: shown %q, want %q (%d hidden)", c.shown, echo, plain,
					wantShown, hidden)
			}
		}
	}
}

// Beyond the limit a session's output is counted and hashed; its end is kept, and every byte is
// accounted for.
func TestRecordLimit(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.cast")
	r, err := Create(path, Header{}, RecordOptions{Now: steps(1), Rand: zeros{}, MaxBytes: 10_000})
	must(t, err)
	var all []byte
	for i := range 3000 {
		p := fmt.Appendf(nil, "line %d: é %s\n", i, strings.Repeat("x", 100))
		must(t, r.Output(CodeOutput, p))
		all = append(all, p...)
	}
	must(t, r.Exit("0"))
	sum, err := r.Close()
	must(t, err)
	if sum.Bytes != int64(len(all)) {
		t.Errorf("%d bytes accounted for, want %d", sum.Bytes, len(all))
	}
	rd, err := NewReader("a", bytes.NewReader(readAll(t, path)))
	must(t, err)
	var before, after, gap []byte
	for {
		e, err := rd.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		switch {
		case e.Code == CodeGap:
			gap = bytes.Clone(e.Data)
		case e.Code == CodeOutput && gap == nil:
			before = append(before, e.Data...)
		case e.Code == CodeOutput:
			after = append(after, e.Data...)
		}
	}
	if !bytes.HasPrefix(all, before) || len(before) < 9_000 || len(before) > 10_000 ||
		!bytes.HasSuffix(all, after) || len(after) < keepTail-4 {
		t.Fatalf("kept %d and %d bytes", len(before), len(after))
	}
	lost := all[len(before) : len(all)-len(after)]
	if want := fmt.Sprintf("%d %x", len(lost), sha256.Sum256(lost)); string(gap) != want {
		t.Errorf("gap %q, want %q", gap, want)
	}
}

// Output faster than the rate leaves gaps, each counted and hashed. Slow output before and after it
// is kept in full, so that a flood does not hide what follows.
func TestRecordRate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.cast")
	now := time.Duration(0)
	const rate = 64 << 10
	r, err := Create(path, Header{},
		RecordOptions{Now: func() time.Duration { return now }, Rand: zeros{}, Rate: rate})
	must(t, err)
	var all []byte
	say := func(p []byte) { must(t, r.Output(CodeOutput, p)); all = append(all, p...) }
	for i := range 2 {
		say(fmt.Appendf(nil, "calm %d\n", i))
		for range 100 {
			say(bytes.Repeat([]byte("noise noise noise\n"), 3000))
		}
		now += time.Hour
	}
	say([]byte("calm at last\n"))
	must(t, r.Exit("0"))
	sum, err := r.Close()
	must(t, err)
	dropped, total := r.Dropped()
	if sum.Bytes != int64(len(all)) || total {
		t.Errorf("%d bytes accounted for, want %d; in all too many: %v", sum.Bytes, len(all), total)
	}
	rd, err := NewReader("a", bytes.NewReader(readAll(t, path)))
	must(t, err)
	var kept, gone int64
	var shown []byte
	at := int64(0)
	for {
		e, err := rd.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		switch e.Code {
		case CodeGap:
			var n int64
			_, err := fmt.Sscan(string(e.Data), &n)
			must(t, err)
			if want := fmt.Sprintf("%d %x", n,
				sha256.Sum256(all[at:at+n])); string(e.Data) != want {
				t.Errorf("gap %q, want %q", e.Data, want)
			}
			at, gone = at+n, gone+n
		case CodeOutput:
			if !bytes.Equal(e.Data, all[at:at+int64(len(e.Data))]) {
				t.Fatalf("at byte %d the record has something else", at)
			}
			at, kept = at+int64(len(e.Data)), kept+int64(len(e.Data))
			shown = append(shown, e.Data...)
		}
	}
	if want := int64(2 * (burst*rate + keepTail)); gone != dropped || gone == 0 ||
		kept > want+200_000 || kept < want-200_000 {
		t.Errorf("kept %d, about %d expected; dropped %d, told %d", kept, want, gone, dropped)
	}
	for _, calm := range []string{"calm 0\n", "calm 1\n", "calm at last\n"} {
		if !bytes.Contains(shown, []byte(calm)) {
			t.Errorf("%q is not in the record", calm)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func BenchmarkMask(b *testing.B) {
	for name, text := range map[string]string{
		"text":   "\x1b[32m-rw-r--r--\x1b[0m 1 root root  1234 Jan  1 12:00 some_file_name.txt\r\n",
		"base64": "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6\r\n",
	} {
		b.Run(name, func(b *testing.B) {
			p := bytes.Repeat([]byte(text), 32768/len(text))
			b.SetBytes(int64(len(p)))
			var m mask
			for b.Loop() {
				out, _ := m.add(p, false)
				m.next(len(out))
			}
		})
	}
}
