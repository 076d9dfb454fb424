package ship

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/tada-run/tada-run/integration/fleet/document"
)

func aManifest(t testing.TB) (manifest, ed25519.PrivateKey) {
	t.Helper()
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return manifest{Machine: "tada-0123456789abcdef", Number: 3, Before: sum([]byte("b")),
		Time: time.Unix(1, 0).UTC(), Object: sum([]byte("o")), Missing: []string{"plans/x"},
		Pieces:  []piece{{File: logFile, From: 7, Size: 8, Sum: sum(nil)}},
		covered: covered{"checkpoint", 15, []document.Holder{{Record: "other", Key: public}}},
		keys:    keys{document.Holder{Record: "record", Key: public}, "log"}}, key
}

// A manifest reads as it was written.
func TestManifest(t *testing.T) {
	m, key := aManifest(t)
	text, err := m.sign(key)
	if err != nil {
		t.Fatal(err)
	}
	got, err := readManifest(text)
	if err != nil || !reflect.DeepEqual(got, m) {
		t.Errorf("%+v, %v; want %+v", got, err, m)
	}
	if _, _, err := openManifest(text, document.Fleet{}); err == nil {
		t.Error("a machine of no fleet is believed")
	}
	newer, err := document.SignNote(m.Machine, key, "tada-ship/v2\n{}\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readManifest(newer); !errors.Is(err, errVersion) {
		t.Errorf("a newer version: %v", err)
	}
}

// Names that are none of a record are refused: they become paths.
func TestFileName(t *testing.T) {
	for _, name := range []string{"", "..", "sessions/../x.cast", "/etc/passwd", "sessions/.x.cast",
		"sessions/a/b.cast", "plans/x", "log.jsonl", "log\n", "pruned.1",
		"sessions/x"} {
		if fileName.MatchString(name) {
			t.Errorf("%q", name)
		}
	}
	for _, name := range []string{logFile, "pruned.000012", sessionFile("A1b"),
		planFile(sum(nil))} {
		if !fileName.MatchString(name) {
			t.Errorf("%q", name)
		}
	}
}

// Whatever a manifest is, it is read without a panic, and is in bounds.
func FuzzManifest(f *testing.F) {
	m, key := aManifest(f)
	text, err := m.sign(key)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(bytes.Replace(text, []byte(`"size":8`), []byte(`"size":-8`), 1))
	f.Add(bytes.Replace(text, []byte(`"from":7`), []byte(`"from":9007199254740993`), 1))
	f.Add([]byte(version + "{}\n\n— x AAAA\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := readManifest(text)
		if err != nil {
			return
		}
		size := int64(0)
		for _, p := range m.Pieces {
			if !fileName.MatchString(p.File) || p.From < 0 || p.Size < 0 {
				t.Errorf("%+v", p)
			}
			size += p.Size
		}
		if size > maxObject || m.Number < 0 || len(m.Pieces) > maxPieces {
			t.Errorf("%+v", m)
		}
		h := newHistory(nil, document.Fleet{}, m.Machine, nil)
		_ = h.add(m)
		if _, _, err := openManifest(text, document.Fleet{}); err == nil {
			t.Error("nobody signed it")
		}
	})
}
