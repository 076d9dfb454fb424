package audit

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"testing"
)

// Read from the end, the lines of a file are those that it has from the beginning, whatever blocks
// they lie in; what has no newline is no line yet.
func FuzzBackward(f *testing.F) {
	f.Add([]byte("a\nbb\n\nccc"), int64(2))
	f.Add([]byte("\n\n"), int64(1))
	f.Add(bytes.Repeat([]byte("x"), 30), int64(7))
	f.Fuzz(func(t *testing.T, text []byte, block int64) {
		block = 1 + (block&0x7fffffff)%64
		var want []string
		for rest := text; ; {
			line, after, ok := bytes.Cut(rest, newline)
			if !ok {
				break
			}
			want, rest = append(want, string(line)), after
		}
		b := &backward{r: bytes.NewReader(text), at: int64(len(text)), block: block,
			part: func(int64) int64 { return 0 }}
		err := b.skip()
		var got []string
		for err == nil {
			var line []byte
			var at int64
			if line, at, err = b.line(); err == nil {
				if !bytes.HasPrefix(text[at:], line) {
					t.Fatalf("%q is not at byte %d of %q", line, at, text)
				}
				got = append(got, string(line))
			}
		}
		if slices.Reverse(got); err != io.EOF || !slices.Equal(got, want) {
			t.Fatalf("%q in blocks of %d: %q (%v), want %q", text, block, got, err, want)
		}
	})
}

// Newest returns what Entries does, in the other order: also lines that are no entries, those that
// are too long, and entries around the seams of files and blocks.
func TestNewest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := openTest(t, dir)
	for i := range 300 {
		kind := []string{"exec.intent", "exec.end"}[i%2]
		mustAppend(t, l, kind, `{"cmd":"`+string(bytes.Repeat([]byte("x"), i*17%2000))+`"}`)
	}
	b := readLog(t, dir)
	half := bytes.IndexByte(b[len(b)/2:], '\n') + len(b)/2 + 1
	for name, text := range map[string][]byte{
		"whole":   b,
		"torn":    append(bytes.Clone(b), "{\"body"...),
		"garbage": slices.Concat([]byte("no\n"), b[:half], []byte("\x00\n\n"), b[half:]),
		"a long line": slices.Concat(b[:half], bytes.Repeat([]byte("y"), 3*MaxLine), newline,
			b[half:]),
		"a long first line": slices.Concat(bytes.Repeat([]byte("y"), MaxLine), newline, b),
		"the longest line":  slices.Concat(bytes.Repeat([]byte("y"), MaxLine-1), newline, b),
		"nothing":           nil,
		"no line":           []byte("x"),
	} {
		writeLog(t, dir, text)
		for _, f := range []Filter{{}, {Kinds: []string{"exec.end"}}, {From: int64(half)}} {
			if len(text) == 0 && f.From > 0 {
				continue
			}
			type seen struct {
				seq, offset int64
				hash        Hash
				bad         bool
			}
			list := func(next func(yield func(Entry, error) bool)) (all []seen) {
				for e, err := range next {
					s := seen{seq: e.Seq, offset: e.Offset, hash: e.Hash}
					var bad *BadEntry
					if errors.As(err, &bad) {
						s.bad, s.offset = true, bad.Offset
					} else if err != nil {
						t.Fatal(err)
					}
					all = append(all, s)
				}
				return all
			}
			want, got := list(Entries(dir, f)), list(Newest(dir, f))
			if slices.Reverse(got); !slices.Equal(got, want) {
				t.Errorf("%s, %+v: %d entries, want %d", name, f, len(got), len(want))
			}
			f.Last = 7
			if last := list(Entries(dir, f)); len(want) > 20 &&
				!slices.Equal(last, want[len(want)-7:]) {
				t.Errorf("%s, %+v: the last 7 are others", name, f)
			}
		}
	}
}
