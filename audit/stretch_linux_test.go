package audit

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
)

// Any part of a session can be proven alone. The rest stays unknown, and no byte of the proof can
// be changed unnoticed.
func TestStretch(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir, path := filepath.Join(root, "audit"), filepath.Join(root, "s1.cast")
	l := openTest(t, dir)
	r := record(t, path)
	for i := range 10 {
		must(t, r.Output(CodeOutput, fmt.Appendf(nil, "number <%d> of this\r\n\n", i)))
		if i == 5 {
			_, err := l.Append(KindCheckpoint, closeBody("s1", r.Summary()), Lazy)
			must(t, err)
		}
	}
	must(t, r.Output(CodeOutput, []byte("\xff\x00")))
	sum, err := r.Close()
	must(t, err)
	mustAppend(t, l, "k", `{"sid":"s1"}`)
	_, err = l.Append(KindClose, closeBody("s1", sum), Lazy)
	must(t, err)
	signer, known := testKey(t)
	signed, err := Checkpoint(dir, VerifyOptions{}, signer)
	must(t, err)
	cast := readAll(t, path)
	prove := func(from, to int64) ([]byte, error) {
		return ProveStretch(dir, VerifyOptions{}, "s1", bytes.NewReader(cast), from, to, signed,
			known)
	}
	for _, c := range []struct{ from, to, entry int64 }{{0, 1, 0}, {2, 4, 0}, {0, 6, 0}, {5, 7, 2},
		{9, 12, 2}, {0, 12, 2}} {
		proof, err := prove(c.from, c.to)
		must(t, err)
		s, err := CheckStretch(proof, known)
		if err != nil || s.Session != "s1" || s.From != c.from || s.Entry.Seq != c.entry {
			t.Fatalf("%+v: %+v, %v", c, s, err)
		}
		for i := range int64(10) {
			told := bytes.Contains(proof, fmt.Appendf(nil, "<%d>", i))
			if told != (i >= c.from && i < c.to) {
				t.Errorf("%+v: event %d is told: %v", c, i, told)
			}
			if told && string(s.Events[i-c.from].Data) != fmt.Sprintf("number <%d> of this\r\n\n",
				i) {
				t.Errorf("%+v: event %d is %q", c, i, s.Events[i-c.from].Data)
			}
		}
		if c.to == 12 && string(s.Events[len(s.Events)-1].Data) != "\xff\x00" {
			t.Errorf("%+v: the bytes are %q", c, s.Events[len(s.Events)-1].Data)
		}
		if c.from != 2 {
			continue
		}
		for i := range proof {
			b := bytes.Clone(proof)
			b[i] ^= 1
			got, err := CheckStretch(b, known)
			if err == nil && fmt.Sprint(got) != fmt.Sprint(s) {
				t.Errorf("byte %d changed: believed %+v", i, got)
			}
		}
	}
	for _, c := range [][2]int64{{3, 3}, {4, 3}, {11, 13}, {-1, 2}, {12, 12}} {
		if _, err := prove(c[0], c[1]); err == nil {
			t.Errorf("proved events %v", c)
		}
	}
	var bad *BadEntry
	cast[len(cast)/3] ^= 1
	if _, err := prove(0, 12); !errors.As(err, &bad) {
		t.Errorf("proved a changed transcript: %v", err)
	}
}

// The undisclosed part of a session is bound too: no #t line after the stretch can be left out,
// doubled or replaced.
func TestStretchRefuses(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir, path := filepath.Join(root, "audit"), filepath.Join(root, "s1.cast")
	r := record(t, path)
	for range 4 {
		must(t, r.Output(CodeOutput, []byte("x")))
	}
	sum, err := r.Close()
	must(t, err)
	mustAppend(t, openTest(t, dir), KindClose, string(closeBody("s1", sum)))
	signer, known := testKey(t)
	signed, err := Checkpoint(dir, VerifyOptions{}, signer)
	must(t, err)
	proof, err := ProveStretch(dir, VerifyOptions{}, "s1", bytes.NewReader(readAll(t, path)), 0, 1,
		signed, known)
	must(t, err)
	events, rest, _ := strings.Cut(string(proof), "\n\n")
	behind, entry, _ := strings.Cut(rest, "\n\n")
	lines := strings.SplitAfter(behind, "\n") // of events 1 to 3
	if len(lines) != 3 {
		t.Fatalf("%d lines behind the stretch: %q", len(lines), behind)
	}
	put := func(events string, behind ...string) string {
		return events + "\n\n" + strings.TrimSuffix(strings.Join(behind, ""), "\n") + "\n\n" + entry
	}
	for name, text := range map[string]string{
		"": put(events, lines...),
		"of the future": put(strings.Replace(events, stretchVersion, "tada.run/stretch@v9",
			1), lines...),
		"from nowhere": put(strings.Replace(events, "from 0 0 ", "from -1 0 ", 1),
			lines...),
		"before the start": put(strings.Replace(events, "from 0 0 ", "from 0 -5 ", 1),
			lines...),
		"no head": put(strings.Replace(events, "from 0 0 ", "from 0 0 x", 1),
			lines...),
		"one is left out":      put(events, lines[0], lines[2]),
		"the last is left out": put(events, lines[0], lines[1]),
		"one twice":            put(events, lines[0], lines[0], lines[1], lines[2]),
		"two are swapped":      put(events, lines[1], lines[0], lines[2]),
		"one with its salt": put(events,
			strings.TrimSuffix(lines[0], "-\n")+strings.Repeat("0", 32)+"\n", lines[1], lines[2]),
		"cut behind it": events + "\n\n" + behind,
		"cut":           events,
	} {
		if _, err := CheckStretch([]byte(text), known); (err == nil) != (name == "") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// For arbitrary bytes as a proof, the result is an answer and not a panic.
func FuzzProofs(f *testing.F) {
	f.Add([]byte(stretchVersion + "\nsession s\nfrom 0 0 " + Genesis().String() +
		"\n\n\nc2sp.org/tlog-proof@v1\n\n"))
	f.Add([]byte(proofHeader + "\nextra \nindex 0\n\nx\n0\n\n\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		known := noKeys{}
		if _, err := CheckStretch(b, known); err == nil {
			t.Error("believed a stretch")
		}
		if _, err := CheckProof(b, known); err == nil {
			t.Error("believed a proof")
		}
	})
}

// noKeys knows no key.
type noKeys struct{}

func (noKeys) Verifier(name string, hash uint32) (note.Verifier, error) {
	return nil, &note.UnknownVerifierError{Name: name, KeyHash: hash}
}
