package play

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/audit"
)

// recorded is a transcript of these outputs.
func recorded(t testing.TB, outputs ...string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.cast")
	at := time.Duration(0)
	r, err := audit.Create(path, audit.Header{Cols: 20, Rows: 5}, audit.RecordOptions{
		Now:  func() time.Duration { at += time.Second; return at },
		Rand: rand.NewChaCha8([32]byte{1})})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outputs {
		if err := r.Output(audit.CodeOutput, []byte(o)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := audit.OpenTranscript(path, audit.Codec{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func shownText(t testing.TB, cast []byte) string {
	t.Helper()
	var b strings.Builder
	if err := Text(t.Context(), &b, bytes.NewReader(cast), TextOptions{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What plain output cannot show is sorted out; what it shows never is, however it is written.
func TestMayShow(t *testing.T) {
	for _, c := range []struct {
		outputs []string
		text    string
		want    bool
	}{
		{[]string{"one needle\r\n"}, "needle", true},
		{[]string{"one needle\r\n"}, "noodle", false},
		{[]string{"one nee", "dle\r\n"}, "needle", true},
		{[]string{"a\tneedle b"}, "a needle", true},
		{[]string{"\x1b[1;31mnee\x1b[0mdle\r\n"}, "needle", true},
		{[]string{"\x1b[1;31mnee\x1b[0mdle\r\n"}, "noodle", false},
		{[]string{"caf\u00e9 \u65e5\u672c\r\n"}, "noodle", false},
		{[]string{"nee\u200bdle\r\n"}, "needle", true},
		{[]string{"say \"x\" \\ /\r\n"}, `"x" \ /`, true},
		{[]string{strings.Repeat("x", 19) + "needle\r\n"}, "needle", true},
		// written out of order, or not as characters
		{[]string{"elden\rne"}, "needen", true},
		{[]string{"dle\x1b[1;1Hnee"}, "needle", true},
		{[]string{"nee\x08e"}, "noodle", true},
		{[]string{"\x1b]0;title\x07 x"}, "noodle", true},
		{[]string{"\x1b["}, "noodle", true},
		{[]string{"a\u009bx"}, "noodle", true},
		{[]string{"\xff"}, "noodle", true},
		{[]string{"x"}, "\u00e9", true},
		{[]string{"x"}, " ", true},
		{nil, "noodle", false},
	} {
		if got := NewSieve(c.text).MayShow(recorded(t, c.outputs...)); got != c.want {
			t.Errorf("%q, %q: %t", c.outputs, c.text, got)
		}
	}
}

// What the output went to is what the tags of the header say, not another word of it.
func TestMayShowByTags(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.cast")
	r, err := audit.Create(path, audit.Header{Cols: 20, Rows: 5, Command: "pipe",
		Wire: audit.TagTerminal}, audit.RecordOptions{Now: func() time.Duration { return 0 },
		Rand: rand.NewChaCha8([32]byte{1})})
	if err != nil {
		t.Fatal(err)
	}
	err = r.Output(audit.CodeOutput, []byte(strings.Repeat("x", 18)+"\nza\tbc"))
	if _, closeErr := r.Close(); err != nil || closeErr != nil {
		t.Fatal(err, closeErr)
	}
	cast, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if text := shownText(t, cast); !strings.Contains(text, "zbc") ||
		!NewSieve("zb").MayShow(cast) {
		t.Errorf("%q is sorted out", text)
	}
}

// A text that Text writes in one line is never sorted out.
func FuzzMayShow(f *testing.F) {
	f.Add("one\r\ntwo \x1b[31mthree\x1b[m\tfour", 3, 5)
	f.Add("a\nb\rc\x08d\u200be\u65e5 f", 2, 2)
	f.Fuzz(func(t *testing.T, output string, from, size int) {
		if output == "" || len(output) > 4096 {
			return
		}
		half := len(output) / 2
		cast := recorded(t, output[:half]+" ", output[half:])
		for line := range strings.Lines(shownText(t, cast)) {
			line = strings.TrimSuffix(line, "\n")
			if line == "" {
				continue
			}
			i := (from & 0xffff) % len(line)
			part := line[i:min(len(line), i+1+(size&0xff))]
			if !NewSieve(part).MayShow(cast) {
				t.Fatalf("%q shows %q", output, part)
			}
		}
	})
}
