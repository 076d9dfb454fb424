package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A year is a record that grows: a log in small files, which are packed, and transcripts in a
// folder.
type year struct {
	testing.TB
	rand    *mathrand.Rand
	root    string
	log     *Log
	n       int
	open    []string // not ended
	closed  []string
	running map[string]bool
	dropped map[string][]byte
	note    *Verified
}

func newYear(t testing.TB, seed uint64) *year {
	y := &year{TB: t, rand: mathrand.New(mathrand.NewPCG(seed, 1)), root: t.TempDir(),
		running: map[string]bool{}, dropped: map[string][]byte{}, note: &Verified{}}
	must(t, os.Mkdir(y.sessions(), 0o700))
	y.log = openPacking(t, y.dir())
	y.log.rotateAt = 3000
	return y
}

func (y *year) dir() string               { return filepath.Join(y.root, "audit") }
func (y *year) sessions() string          { return filepath.Join(y.root, "sessions") }
func (y *year) cast(sid string) string    { return filepath.Join(y.sessions(), sid+".cast") }
func (y *year) say(kind, body string)     { mustAppend(y, y.log, kind, body) }
func (y *year) some(list []string) string { return list[y.rand.IntN(len(list))] }

func (y *year) options() VerifyOptions {
	names := func() (list []string, err error) {
		entries, err := os.ReadDir(y.sessions())
		for _, e := range entries {
			list = append(list, e.Name())
		}
		return list, err
	}
	files := func(say func(file string)) error {
		list, err := names()
		for _, name := range list {
			say(name)
		}
		return err
	}
	in := func(file string) ([]string, error) {
		sid, _, _ := strings.Cut(file, ".cast")
		return []string{sid}, nil
	}
	span := func(file string) (first, last string) {
		sid, _, _ := strings.Cut(file, ".cast")
		return sid, sid
	}
	return VerifyOptions{Codec: packing,
		Meanwhile: Meanwhile{
			Running: func(sid string) bool { return y.running[sid] },
			AtRest: &AtRest{Files: files, In: in, Span: span,
				Path: func(file string) string { return filepath.Join(y.sessions(), file) }}},
		Transcript: func(sid string) (io.ReadCloser, error) {
			return OpenTranscript(y.cast(sid), packing)
		},
		Transcripts: func(say func(sid string)) error {
			list, err := names()
			for _, name := range list {
				sids, _ := in(name)
				say(sids[0])
			}
			return err
		},
	}
}

// begin announces a run and records a part of it.
func (y *year) begin() {
	y.n++
	sid := fmt.Sprintf("s%03d", y.n)
	y.say(KindIntent, fmt.Sprintf(`{"sid":"%s"}`, sid))
	s := sample(y, y.cast(sid))
	if y.rand.IntN(3) == 0 {
		y.say(KindCheckpoint, fmt.Sprintf(`{"count":%d,"head":"%s","sid":"%s"}`, s.Count, s.Head,
			sid))
	}
	y.open = append(y.open, sid)
	y.running[sid] = y.rand.IntN(2) == 0
}

// end closes a run that began some time ago.
func (y *year) end() {
	if len(y.open) == 0 {
		return
	}
	i := y.rand.IntN(len(y.open))
	sid := y.open[i]
	y.open = slices.Delete(y.open, i, i+1)
	delete(y.running, sid)
	b, err := os.ReadFile(y.cast(sid))
	if err != nil {
		return // packed as it was
	}
	r, err := NewReader("", bytes.NewReader(b))
	must(y, err)
	for err == nil {
		_, err = r.Next()
	}
	y.say(KindClose, string(closeBody(sid, r.Summary())))
	y.closed = append(y.closed, sid)
}

// drop removes a transcript, and says so.
func (y *year) drop() {
	if len(y.closed) == 0 {
		return
	}
	sid := y.some(y.closed)
	y.say(KindDrop, fmt.Sprintf(`{"sid":"%s"}`, sid))
	for _, name := range []string{y.cast(sid), y.cast(sid) + packedSuffix} {
		if b, err := os.ReadFile(name); err == nil {
			y.dropped[name] = b
			must(y, os.Remove(name))
		}
	}
}

// redact removes the text of an event, and says so.
func (y *year) redact() {
	if len(y.closed) == 0 {
		return
	}
	sid := y.some(y.closed)
	b, err := os.ReadFile(y.cast(sid))
	if err != nil {
		return
	}
	var out bytes.Buffer
	_, err = Redact(&out, bytes.NewReader(b), []int64{2})
	must(y, err)
	y.say(KindRedact, fmt.Sprintf(`{"events":[2],"sid":"%s"}`, sid))
	must(y, os.WriteFile(y.cast(sid), out.Bytes(), 0o600))
}

// stranger adds a transcript that no entry names, or puts one back for a while that was dropped.
func (y *year) stranger() {
	for name, b := range y.dropped {
		must(y, os.WriteFile(name, b, 0o600))
		y.verify("put back")
		must(y, os.Remove(name))
		delete(y.dropped, name)
		return
	}
	y.n++
	sample(y, y.cast(fmt.Sprintf("x%03d", y.n)))
}

// double puts a second file beside that of a session, the same or another, for a while.
func (y *year) double() {
	if len(y.closed) == 0 {
		return
	}
	sid := y.some(y.closed)
	own, packed := y.cast(sid), y.cast(sid)+packedSuffix
	b, err := os.ReadFile(own)
	if err == nil {
		own, packed = packed, own
	} else if b, err = os.ReadFile(packed); err != nil {
		return
	}
	if y.rand.IntN(2) == 0 {
		b[y.rand.IntN(len(b))] ^= 1
	}
	must(y, os.WriteFile(own, b, 0o600))
	y.verify("two files")
	was := readAll(y, packed)
	must(y, os.Remove(packed))
	y.verify("the other file")
	must(y, os.WriteFile(packed, was, 0o600))
	must(y, os.Remove(own))
}

// odd puts something in the place of a transcript that is none, for a while.
func (y *year) odd() {
	name := y.cast(fmt.Sprintf("odd%d", y.rand.IntN(100)))
	switch y.rand.IntN(3) {
	case 0:
		must(y, os.Mkdir(name, 0o700))
	case 1:
		must(y, os.Symlink("s001.cast", name))
	default:
		must(y, unix.Mkfifo(name, 0o600))
	}
	y.verify("something odd")
	must(y, os.Remove(name))
}

func (y *year) pack() {
	_, err := y.log.Pack(y.Context())
	must(y, err)
	if y.rand.IntN(2) == 0 {
		_, err = PackFolder(y.Context(), y.sessions(), nil, packing)
		must(y, err)
	}
}

// tear leaves an append that was interrupted, and the next one sets it apart.
func (y *year) tear() {
	f, err := os.OpenFile(filepath.Join(y.dir(), segmentName(y.log.segment)),
		os.O_WRONLY|os.O_APPEND, 0o600)
	must(y, err)
	_, err = f.WriteString(`{"body":{"i":`)
	must(y, errors.Join(err, f.Close()))
	y.say("test.entry", `{}`)
}

func (y *year) seal() { mustSeal(y, y.log) }

func (y *year) prune() {
	_, _, err := y.log.Prune(Retention{MaxBytes: 9000}, "size",
		func(sid string) bool { return y.rand.IntN(4) > 0 })
	must(y, err)
}

// verify compares the two ways, and keeps the note of the first.
func (y *year) verify(what string) (ok, quick bool) {
	y.Helper()
	full, fullErr := Verify(y.dir(), y.options())
	o := y.options()
	o.AtRest.Before = ParseVerified(y.note.Text())
	r, err := Verify(y.dir(), o)
	if got, want := toldAs(r, err), toldAs(full, fullErr); got != want {
		y.Errorf("%s: with what was verified before:\n%s\nreading everything:\n%s", what, got, want)
	}
	if err == nil && r.Before.Next != nil {
		y.note = r.Before.Next
	}
	return err == nil, r.Before.Entries > 0
}

// toldAs is what a report says, in whatever way it was found.
func toldAs(r Report, err error) string {
	if err != nil {
		return err.Error()
	}
	missing, all := r.Before.Missing+r.Missing, r.Transcripts+r.Before.Transcripts
	r.Transcripts, r.Missing, r.Before = 0, 0, Before{}
	slices.SortFunc(r.Gaps, func(a, b Gap) int { return int(a.Seq - b.Seq) })
	return fmt.Sprintf("%+v %d transcripts, %d missing", r, all, missing)
}

// damage changes a byte of a file, or removes it, and puts it back as it was.
func (y *year) damage() (undo func()) {
	var names []string
	for _, pattern := range []string{"audit/log*", "sessions/*"} {
		list, err := filepath.Glob(filepath.Join(y.root, pattern))
		must(y, err)
		names = append(names, list...)
	}
	name := y.some(names)
	was := readAll(y, name)
	if len(was) == 0 || y.rand.IntN(4) == 0 {
		must(y, os.Remove(name))
	} else {
		is := bytes.Clone(was)
		is[y.rand.IntN(len(is))] ^= byte(1 + y.rand.IntN(255))
		must(y, os.WriteFile(name, is, 0o600))
	}
	return func() { must(y, os.WriteFile(name, was, 0o600)) }
}

// What was verified before changes nothing about the verdict, and about what is told: whatever
// happens to the record between two verifications, it is that of reading everything.
func TestVerifyWithBefore(t *testing.T) {
	t.Parallel()
	seeds := uint64(2)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			y := newYear(t, seed)
			acts := []struct {
				name  string
				times int // of 100
				do    func()
			}{
				{"begin", 34, y.begin}, {"end", 34, y.end}, {"seal", 8, y.seal},
				{"pack", 8, y.pack}, {"drop", 3, y.drop}, {"redact", 3, y.redact},
				{"stranger", 2, y.stranger}, {"tear", 3, y.tear}, {"prune", 3, y.prune},
				{"double", 1, y.double}, {"odd", 1, y.odd},
			}
			verdicts := map[[2]bool]int{}
			for i := range 250 {
				at := y.rand.IntN(100)
				for _, a := range acts {
					if at -= a.times; at < 0 {
						a.do()
						if i%3 == 0 || a.times < 8 {
							ok, quick := y.verify(fmt.Sprintf("%d, after %s", i, a.name))
							verdicts[[2]bool{ok, quick}]++
						}
						break
					}
				}
				if i%7 == 6 {
					undo := y.damage()
					ok, quick := y.verify(fmt.Sprintf("%d, damaged", i))
					verdicts[[2]bool{ok, quick}]++
					undo()
				}
			}
			for _, v := range [][2]bool{{true, true}, {true, false}, {false, false}} {
				if verdicts[v] == 0 {
					t.Errorf("none was ok %t, from what was verified before %t: %v", v[0], v[1],
						verdicts)
				}
			}
			t.Log(verdicts)
		})
	}
}

// A note that is damaged, or of another log, is not believed.
func TestVerifyWithBadNote(t *testing.T) {
	t.Parallel()
	var years [2]*year
	for i := range years {
		y := newYear(t, uint64(i))
		for range 60 {
			y.begin()
			y.end()
		}
		y.seal()
		y.pack()
		y.verify("made")
		if _, quick := y.verify("again"); !quick {
			t.Fatal("nothing was kept")
		}
		years[i] = y
	}
	y := years[0]
	text := y.note.Text()
	for i := 0; i < len(text); i += 13 {
		b := bytes.Clone(text)
		b[i] ^= 1
		if k := ParseVerified(b); len(k.Parts) > 0 {
			t.Fatalf("byte %d changed: still believed", i)
		}
		if k := ParseVerified(text[:i]); len(k.Parts) > 0 {
			t.Fatalf("cut at byte %d: still believed", i)
		}
	}
	y.note = years[1].note
	if ok, quick := y.verify("the note of another log"); !ok || quick {
		t.Errorf("ok %t, from what was verified before %t", ok, quick)
	}
	if k := LoadVerified(filepath.Join(y.root, "none")); len(k.Parts) > 0 {
		t.Error("a note that is not there")
	}
	if _, err := SumFile(filepath.Join(y.root, "none"), 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
