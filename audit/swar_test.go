package audit

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// Code that handles eight bytes at a time does the same as one byte at a time, at every position in
// a word and after every neighbour.
func TestWordsAtATime(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for c := range 256 {
		for at := range 19 {
			b := make([]byte, 20)
			for i := range b {
				b[i] = "az09AZ_-"[rnd.IntN(8)]
			}
			b[at] = byte(c)
			if c%2 == 0 {
				b[at+1] = byte(c ^ 0x80) // a carry from a neighbour would show
			}
			checkWords(t, b)
		}
	}
}

func checkWords(t *testing.T, b []byte) {
	t.Helper()
	plain := plainRun(b)
	got, n := appendPlain([]byte("before"), b)
	if n != plain || string(got) != "before"+string(b[:n]) {
		t.Errorf("appendPlain(%q) takes %d bytes, not %d: %q", b, n, plain, got)
	}
	if n < len(b) && b[n] >= ' ' && b[n] != '"' && b[n] != '\\' && b[n] != 0x7f {
		t.Errorf("appendPlain(%q) stops early at %d", b, n)
	}
	for at := range len(b) + 1 {
		end, start := at, at
		for end < len(b) && tokenByte[b[end]] {
			end++
		}
		for start > 0 && tokenByte[b[start-1]] {
			start--
		}
		if e, s := tokenEnd(b, at), tokenStart(b, at); e != end || s != start {
			t.Errorf("the run of %q at %d is %d to %d, not %d to %d", b, at, s, e, start, end)
		}
	}
}

func FuzzWordsAtATime(f *testing.F) {
	f.Add([]byte("ghp_0123456789\r\n\x00\xff[`{@/:-_\x7f\"\\ and more of it"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if checkWords(t, b); !t.Failed() {
			if got, want := appendText(nil, b), escapeEach(b); !bytes.Equal(got, want) {
				t.Errorf("%q is escaped as %q, not %q", b, got, want)
			}
		}
	})
}

// escapeEach is appendText with the Unicode replacement done first.
func escapeEach(b []byte) (out []byte) {
	for _, r := range string(b) {
		out = appendText(out, []byte(string(r)))
	}
	return out
}
