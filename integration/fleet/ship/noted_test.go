package ship

import (
	"bytes"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/fleet/document"
)

// gets is how many requests a start reads from the bucket, and what it knows then.
func (m *member) gets() (int, *history) {
	m.Helper()
	s := m.shipper()
	m.faulty.set(http.MethodGet, 0, false, false)
	if sent, _, err := s.Once(m.Context()); err != nil || sent.Manifests > 0 {
		m.Fatal(sent, err)
	}
	m.faulty.mu.Lock()
	defer m.faulty.mu.Unlock()
	return m.faulty.seen, s.history
}

// A start reads one manifest, however many there are, and knows the same as without a note. A note
// that is missing, damaged, of another place or of another history is made again.
func TestNote(t *testing.T) {
	t.Parallel()
	m := newBed(t).member()
	const shipments = 12
	first := []byte(nil)
	for i := range shipments {
		m.run("one", i%3 == 2)
		m.ship()
		if i == 0 {
			first = readNote(m)
		}
	}
	note := readNote(m)
	few, known := m.gets()
	if few > 3 {
		t.Errorf("%d requests to find out what was shipped", few)
	}
	write := func(text []byte) {
		t.Helper()
		if err := os.WriteFile(m.Note, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for what, damage := range map[string]func(){
		"missing": func() { _ = os.Remove(m.Note) },
		"empty":   func() { write(nil) },
		"cut":     func() { write(note[:len(note)-9]) },
		"changed": func() {
			write(bytes.Replace(note, []byte(`"next":12`), []byte(`"next":11`), 1))
		},
		"elsewhere": func() { write(elsewhere(t, m, known)) },
		"forged":    func() { write(forged(t, m, known)) },
	} {
		damage()
		many, again := m.gets()
		if many < shipments || again.next != known.next || again.before != known.before ||
			again.point != known.point || again.log != known.log || len(again.tail) > 0 {
			t.Errorf("%s: %d requests, %+v", what, many, again.covered)
		}
		if !bytes.Equal(readNote(m), note) {
			t.Errorf("%s: it is not made again", what)
		}
	}
	write(first) // of an earlier time: the rest is read
	if some, again := m.gets(); some < shipments-1 || again.before != known.before {
		t.Errorf("%d requests", some)
	}
	m.run("two", false)
	m.ship()
	m.proven()
}

func readNote(m *member) []byte {
	m.Helper()
	text, err := os.ReadFile(m.Note)
	if err != nil {
		m.Fatal(err)
	}
	return text
}

// elsewhere is a note of another bucket.
func elsewhere(t *testing.T, m *member, h *history) []byte {
	t.Helper()
	text, err := h.noteText(strings.Replace(m.shipper().place(), bucketName, "other", 1))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// forged is a note of a history that the bucket does not have.
func forged(t *testing.T, m *member, h *history) []byte {
	t.Helper()
	other := *h
	other.before = sum([]byte("other"))
	text, err := other.noteText(m.shipper().place())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// FuzzNote reads notes whose hash is right, and that are anything otherwise.
func FuzzNote(f *testing.F) {
	f.Add([]byte(`{"before":"x","next":1,"place":"p","tail":[{}],"time":""}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		h := newHistory(nil, document.Fleet{}, "tada-0123456789abcdef", nil)
		if err := h.readNote(append([]byte(sum(body)+"\n"), body...), "p"); err == nil &&
			(h.next < 1 || h.log < 0) {
			t.Errorf("%+v", h)
		}
	})
}
