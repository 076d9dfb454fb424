package audit

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A forged log has a whole chain and a whole anchor: the forger has the rights of a writer, and
// other code. Only one check can detect what is wrong with it.

// A forged entry is part of a whole chain. It may be followed by bytes that are not an entry.
type forged struct {
	kind, body string
	at         int // seconds
	behind     string
}

// forge writes a log and its anchor. In a body, %o, %n and %h are the offset, number and hash of
// the bytes after the entry before, as a covering entry names them.
func forge(t *testing.T, entries []forged) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "audit")
	mustAppend(t, openTest(t, dir), "k", `{}`) // for the files beside the log
	var log []byte
	a, covered := newAnchor(testBoot), ""
	for i, e := range entries {
		from := len(log)
		if covered != "" {
			from -= len(covered) + 1
		}
		body := strings.NewReplacer("%o", fmt.Sprint(from), "%n", fmt.Sprint(len(covered)),
			"%h", fmt.Sprintf("%x", sha256.Sum256([]byte(covered)))).Replace(e.body)
		line := appendLine(nil, e.kind, []byte(body), a.Head, int64(i),
			stampOf(time.Unix(int64(1767225600+e.at), 0)))
		log = append(append(log, line...), '\n')
		a.Count, a.Head, a.Last, a.Size = int64(i+1), sha256.Sum256(line), int64(len(line)+1),
			int64(len(log))
		covered = strings.TrimSuffix(e.behind, "\n")
		log = append(log, e.behind...)
	}
	must(t, writeFile(filepath.Join(dir, logName), log))
	slots := a.appendSlot(nil, nil)
	a.turn = 1
	must(t, writeFile(filepath.Join(dir, anchorName), a.appendSlot(slots, nil)))
	return dir
}

func TestForgedLog(t *testing.T) {
	const torn, covers = `{"body":{"to` + "\n",
		`{"bytes":%n,"offset":%o,"reason":"r","sha256":"%h"}`
	changed := func(old, text string) string { return strings.Replace(covers, old, text, 1) }
	gap := func(kind, body string) []forged {
		return []forged{{kind: "k", body: `{}`, behind: torn}, {kind: kind, body: body},
			{kind: "k", body: `{}`}}
	}
	for _, c := range []struct {
		name    string
		entries []forged
		at      int64
		want    string // "" for a good log
	}{
		{"good", []forged{{kind: "k", body: `{}`, at: 5}, {kind: "k", body: `{}`, at: 5},
			{kind: kindClock, body: `{}`, at: 1}, {kind: "k", body: `{}`, at: 2}}, 0, ""},
		{"back in time", []forged{{kind: "k", body: `{}`, at: 5}, {kind: "k", body: `{}`, at: 4}},
			1, "is before that of the entry before"},
		{"a gap that is covered", gap(KindRecover, covers), 0, ""},
		{"a gap that a person accepted", gap(KindAccept, covers), 0, ""},
		{"a gap behind which something else goes on", gap("k", covers), 1, "not an entry"},
		{"a gap of other bytes", gap(KindRecover, changed("%h", strings.Repeat("0", 64))), 1,
			"not an entry"},
		{"a gap that is elsewhere", gap(KindRecover, changed("%o", "0")), 1, "not an entry"},
		{"a gap that is longer", gap(KindRecover, changed("%n", "99")), 1, "not an entry"},
		{"a gap where there is none",
			[]forged{{kind: "k", body: `{}`}, {kind: KindRecover, body: changed("%n", "3")}}, 1,
			"does not describe"},
		{"no gap", []forged{{kind: "k", body: `{}`}, {kind: KindAccept, body: covers}}, 1, ""},
		{"no gap, elsewhere", []forged{{kind: "k", body: `{}`},
			{kind: KindAccept, body: changed("%o", "3")}}, 1, "does not describe"},
		{"a session without a name", []forged{{kind: KindClose, body: `{"sid":""}`}}, 0,
			"names no session"},
		{"a name that is none", []forged{{kind: KindClose, body: `{"sid":7}`}}, 0,
			"names no session"},
	} {
		_, err := Verify(forge(t, c.entries),
			VerifyOptions{Transcript: func(string) (io.ReadCloser, error) {
				return nil, os.ErrNotExist
			}})
		var bad *BadEntry
		if c.want == "" && err != nil ||
			c.want != "" && (!errors.As(err, &bad) || bad.Seq != c.at ||
				!strings.Contains(bad.Reason, c.want)) {
			t.Errorf("%s: %v, want entry %d %q", c.name, err, c.at, c.want)
		}
	}
}

// What a log says about a transcript that is valid in itself is compared with all of it.
func TestForgedVouching(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "s.cast")
	sum := sample(t, path)
	longer := filepath.Join(root, "longer.cast")
	r := record(t, longer)
	must(t, r.Output(CodeOutput, []byte("one")))
	closed := r.Summary()
	must(t, r.Output(CodeOutput, []byte("two, when the session had ended")))
	_, err := r.Close()
	must(t, err)
	other := sum
	other.Bytes++
	for _, c := range []struct {
		name, path string
		sum        Summary
		want       string
	}{
		{"as it is", path, sum, ""},
		{"other bytes", path, other, "the log remembers"},
		{"more than there was at its end", longer, closed, "after the session had ended"},
	} {
		dir := forge(t, []forged{{kind: KindClose, body: string(closeBody("s", c.sum))}})
		_, err := Verify(dir, VerifyOptions{Transcript: func(string) (io.ReadCloser,
			error) {
			return os.Open(c.path)
		}})
		var bad *BadEntry
		if c.want == "" && err != nil ||
			c.want != "" && (!errors.As(err, &bad) || !strings.Contains(bad.Reason, c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// forgeCast returns a transcript of one good event and another one, which change modifies before it
// is chained.
func forgeCast(change func(l *link, event []byte) []byte) []byte {
	header := Header{}.Line()
	head, cast := Hash(sha256.Sum256(header)), append(header, '\n')
	var mac keyed
	for i := range int64(2) {
		l := link{seq: i, us: 1000 * (i + 1), code: CodeOutput, author: AuthorProgram, length: 2}
		event := appendEvent(nil, 1000, l.code, []byte("hi"))
		if i == 1 {
			event = change(&l, event)
		}
		l.commit = mac.sum(l.salt[:], event)
		l.chain = l.next(head)
		head = l.chain
		cast = append(append(cast, event...), '\n')
		cast = append(l.appendLine(cast), '\n')
	}
	return cast
}

func TestForgedTranscript(t *testing.T) {
	held := func(text string) func(*link, []byte) []byte {
		return func(l *link, _ []byte) []byte {
			l.code = CodeBytes
			return appendEvent(nil, 1000, CodeBytes, []byte(text))
		}
	}
	for _, c := range []struct {
		name   string
		change func(l *link, event []byte) []byte
		want   string
	}{
		{"good", func(_ *link, e []byte) []byte { return e }, ""},
		{"good bytes", held("o aGk="), ""},
		{"another number", func(l *link, e []byte) []byte { l.seq = 7; return e },
			"is numbered 7, not 1"},
		{"back in time", func(l *link, e []byte) []byte { l.us = 500; return e },
			"its time is before"},
		{"no event", func(*link, []byte) []byte { return []byte("[1]") }, "is not the event"},
		{"at another time", func(*link, []byte) []byte { return []byte(`[0.002000,"o","hi"]`) },
			"is not the event"},
		{"typed", func(*link, []byte) []byte { return []byte(`[0.001000,"i","hi"]`) },
			"is not the event"},
		{"no text", func(*link, []byte) []byte { return []byte(`[0.001000,"o",nil]`) },
			"is not the event"},
		{"no end", func(*link, []byte) []byte { return []byte(`[0.001000,"o","]`) },
			"is not the event"},
		{"two texts", func(*link, []byte) []byte { return []byte(`[0.001000,"o","a","b"]`) },
			"is not an event"},
		{"no bytes", held("o"), "holds no bytes"},
		{"fewer bytes", held("o aA=="), "does not hold the bytes"},
		{"bytes that are none", held("o !!!!"), "does not hold the bytes"},
	} {
		r, err := NewReader("a", bytes.NewReader(forgeCast(c.change)))
		must(t, err)
		for err == nil {
			_, err = r.Next()
		}
		var bad *BadEntry
		if c.want == "" && !errors.Is(err, io.EOF) ||
			c.want != "" && (!errors.As(err, &bad) || bad.Seq != 1 ||
				!strings.Contains(bad.Reason, c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
