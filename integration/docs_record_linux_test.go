package integration

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestDocsVerifier runs the program of docs/record.md: it verifies a real record and prints what
// the runs printed, and refuses each record of which a byte was changed.
func TestDocsVerifier(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed; the program of the page needs it")
	}
	program := ""
	for _, b := range blocksOf(t, read(t, "../docs/record.md")) {
		if b.language == "python" {
			program = b.text
		}
	}
	run := docsPlace(t)
	run("tada-run 'echo hello'; tada-run 'echo wörld >&2; exit 3'; tada-run 'git push --force'")
	state := strings.TrimSpace(run("echo $TRANSCRIPT_HOME"))
	verify := func() (string, error) {
		out, err := exec.Command(python, "-c", program, state).CombinedOutput()
		return string(out), err
	}
	out, err := verify()
	if err != nil || !strings.HasPrefix(out, "hello\nwörld\n") || !strings.HasSuffix(out,
		run("tadactl audit head")) {
		t.Fatalf("%v: %s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(state, "sessions", "*.cast"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	for _, file := range append(files, filepath.Join(state, "audit", "log.jsonl")) {
		good, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		const rounds = 12
		for n := range rounds {
			at := (2*n + 1) * len(good) / (2 * rounds)
			bad := bytes.Clone(good)
			bad[at] ^= 1
			overwrite(t, file, bad)
			if out, err := verify(); err == nil {
				t.Errorf("%s: byte %d was changed: %s", filepath.Base(file), at, out)
			}
		}
		overwrite(t, file, good[:bytes.LastIndexByte(good[:len(good)-1], '\n')+1])
		if out, err := verify(); err == nil {
			t.Errorf("%s: the last line is missing: %s", filepath.Base(file), out)
		}
		overwrite(t, file, good)
	}
}

func overwrite(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestDocsSeals checks seals as docs/record.md describes them, with nothing of ours: each is signed
// by the key that the one before names, over the line without its signature.
func TestDocsSeals(t *testing.T) {
	run := docsPlace(t)
	run("tada-run true; tadactl audit seal; tada-run true; tadactl audit seal")
	state := strings.TrimSpace(run("echo $TRANSCRIPT_HOME"))
	type seal struct{ Key, Next, Sig string }
	next, seals := "", 0
	for line := range strings.Lines(read(t, filepath.Join(state, "audit", "log.jsonl"))) {
		var e struct {
			Kind string
			Body json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Kind != "seal" {
			continue
		}
		var s seal
		if err := json.Unmarshal(e.Body, &s); err != nil {
			t.Fatal(err)
		}
		if seals > 0 && s.Key != next {
			t.Errorf("seal %d is by another key", seals)
		}
		next, seals = s.Next, seals+1
		key, _ := hex.DecodeString(s.Key)
		sig, _ := hex.DecodeString(s.Sig)
		unsigned := "tada-seal/v1\n" + strings.Replace(strings.TrimSuffix(line, "\n"), s.Sig, "", 1)
		if len(key) != ed25519.PublicKeySize || !ed25519.Verify(key, []byte(unsigned), sig) {
			t.Errorf("seal %d is not signed so", seals)
		}
		if ed25519.Verify(key, []byte(strings.Replace(unsigned, `"seq":`, `"seq":1`, 1)), sig) {
			t.Error("another line has the same signature")
		}
	}
	if seals != 2 {
		t.Fatalf("%d seals", seals)
	}
}

// TestDocsArchives reads packed transcripts as docs/record.md describes them.
func TestDocsArchives(t *testing.T) {
	run := docsPlace(t)
	const runs = 20 // fewer are left as they are
	run(fmt.Sprintf("for i in $(seq %d); do tada-run \"echo $i\"; done", runs))
	state := strings.TrimSpace(run("echo $TRANSCRIPT_HOME"))
	plain := map[string]string{}
	files, _ := filepath.Glob(filepath.Join(state, "sessions", "*.cast"))
	for _, file := range files {
		plain[strings.TrimSuffix(filepath.Base(file), ".cast")] = read(t, file)
	}
	said := run("tadactl gc")
	archives, _ := filepath.Glob(filepath.Join(state, "sessions", "archives", "archive.*.zst"))
	if len(archives) == 0 {
		t.Fatalf("nothing was packed: %s", said)
	}
	found := 0
	for _, file := range archives {
		decoder, err := zstd.NewReader(strings.NewReader(read(t, file)))
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := decoder.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		decoder.Close()
		text := b.String()
		begin := text[strings.LastIndex(text, "tada-archive/v1 "):]
		at, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(begin, "tada-archive/v1 ")))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(strings.TrimSuffix(text[at:], begin)) {
			var id string
			var offset, size, written int
			if _, err := fmt.Sscan(line, &id, &offset, &size, &written); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if found++; text[offset:offset+size] != plain[id] {
				t.Errorf("%s is another transcript", id)
			}
		}
	}
	if found != len(plain) || found != runs {
		t.Errorf("%d of %d were found", found, len(plain))
	}
}
