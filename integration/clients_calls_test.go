package integration

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// atOnce is how many calls a model makes in one answer.
const atOnce = 20

// What a call prints, of megabytes and of bytes that are not text, with the marks to look for in
// it.
const (
	manyBytes = `head -c 5000000 /dev/zero | tr '\0' x > big; cat big; echo; echo end 4'2'`
	manyMark  = "xxxx"
	oddBytes  = `printf '\000\377\376\033[31m\200' | tee bytes; echo; echo text 4'2'`
	oddMark   = "text 42"
)

var plainMarks sync.Map // by program

// shows reports which of the marks the model gets without us: some clients leave out what is long,
// or not text.
func shows(t *testing.T, c client) map[string]bool {
	t.Helper()
	if marks, ok := plainMarks.Load(c.program); ok {
		return marks.(map[string]bool)
	}
	own := clientNamed(c.name)
	got := newBench(t, c, "/bin/bash").play(t, c, own.tool("true"), own.tool(manyBytes),
		own.tool(oddBytes))
	marks := map[string]bool{manyMark: strings.Contains(got[1], manyMark),
		oddMark: strings.Contains(got[2], oddMark)}
	plainMarks.Store(c.program, marks)
	return marks
}

// A model's calls must have the same results in every way of calling as without us: 20 in one
// answer, here-documents, megabytes, and bytes that are not text. make test-clients.
func TestClientsCalls(t *testing.T) {
	eachDoor(t, func(t *testing.T, b *bench, c client, door string) {
		calls := []toolCall{
			c.tool("cat <<'E' > here\n$HOME 'it''s' \"quoted\"\n\ttab\nE\ncat here | tail -1"),
			c.tool(manyBytes), c.tool(oddBytes),
		}
		for i := range atOnce {
			call := c.tool(fmt.Sprintf("echo %d > one%d; cat one%d; echo %d >> all", i, i, i, i))
			call.joined = i > 0
			calls = append(calls, call)
		}
		got := b.play(t, c, calls...)
		if text := b.read("here"); text != "$HOME 'it''s' \"quoted\"\n\ttab\n" {
			t.Errorf("a here-document: %q: %s", text, got[0])
		}
		plain := shows(t, c)
		if n := len(b.read("big")); n != 5000000 || plain[manyMark] &&
			!strings.Contains(got[1], manyMark) &&
			!strings.Contains(got[1], "exceeds maximum allowed tokens") {
			t.Errorf("%d bytes were written; the model was told %.300q", n, got[1])
		}
		if text := b.read("bytes"); text != "\x00\xff\xfe\x1b[31m\x80" ||
			plain[oddMark] && !strings.Contains(got[2], oddMark) {
			t.Errorf("bytes: %q: %s", text, got[2])
		}
		if n := strings.Count(b.read("all"), "\n"); n != atOnce {
			t.Errorf("%d of %d calls ran: %q", n, atOnce, got[3:])
		}
		if log := b.ctl(t, "log", "--kind", "exec", "--json"); strings.Count(log,
			">> all") < atOnce {
			t.Errorf("not every call is on record: %s", log)
		}
		b.ctl(t, "audit", "verify", "--complete")
	})
}

// read returns the text of a file in the workspace, or "".
func (b *bench) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(b.work, name))
	return string(bytes.Clone(text))
}

// places are how a client's model says where a command runs. If it cannot, it says so in the
// command, and the client may or may not keep the directory for the next call.
var places = map[string]string{"codex": "workdir", "opencode": "workdir", "kilo": "workdir",
	"gemini": "dir_path",
	"qwen":   "directory"}

// A command runs where its model says, and if tada-run is the shell, the client still keeps the
// directory for the next call. make test-clients.
func TestClientsDirectory(t *testing.T) {
	eachDoor(t, func(t *testing.T, b *bench, c client, door string) {
		write(t, filepath.Join(b.work, "sub/x"), "")
		there := c.tool("pwd > here; pwd")
		if name := places[c.name]; door == "mcp" {
			there.args.(o)["cwd"] = filepath.Join(b.work, "sub")
		} else if name != "" {
			there.args.(o)[name] = filepath.Join(b.work, "sub")
		}
		got := b.play(t, c, c.tool("cd sub"), there)
		want := "here"
		if door == "mcp" || places[c.name] != "" ||
			c.name == "claude-code" && (door == "shell" || door == "both") {
			want = "sub/here"
		}
		if b.read(want) != filepath.Join(b.work, filepath.Dir(want))+"\n" {
			t.Errorf("%q: %q", want, got)
		}
	})
}
