package integration

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A shell that writes down how it was called, one line of base64 each, and then is the real one.
const captureShell = "#!/bin/bash\nprintf '%s\\0' \"$0\" \"$@\" | base64 -w0 >> LOG\necho >> LOG\nexec -a \"$0\" /bin/bash \"$@\"\n"

// version is what the program says of itself, by its first number.
func (c client) version(t *testing.T) string {
	t.Helper()
	out, err := exec.Command(c.find(t), "--version").CombinedOutput()
	found := regexp.MustCompile(`[0-9]+\.[0-9]+\.[0-9]+`).Find(out)
	if err != nil || found == nil {
		t.Fatalf("%s --version: %v\n%s", c.bin, err, out)
	}
	return string(found)
}

// TestClientsCapture writes what each installed client gives its shell into testdata/clients, one file for
// a version: make capture-clients.
func TestClientsCapture(t *testing.T) {
	needClients(t)
	if os.Getenv("UPDATE") == "" {
		t.Skip("writes testdata/clients; to run it: make capture-clients")
	}
	for _, c := range clients {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, c, "BIN/bash")
			base := filepath.Dir(b.home)
			log := filepath.Join(base, "shell.log")
			if err := os.Remove(filepath.Join(b.bin, "bash")); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(b.bin, "bash"), strings.ReplaceAll(captureShell, "LOG", log))
			if err := os.Chmod(filepath.Join(b.bin, "bash"), 0o700); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"CLAUDE_CODE_SHELL", "SHELL"} {
				setenv(b, name, filepath.Join(b.bin, "bash"))
			}
			setenv(b, "PATH", b.bin+":"+os.Getenv("PATH"))
			b.play(t, c, c.tool("true"), c.tool("echo 'it''s' \"$HOME\"; cd sub"), c.tool("cat <<'E' | wc -l\none\nE"), c.tool("pwd < /dev/null"), c.tool("make -j2 && ls -l | head -3"))
			text, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			fmt.Fprintf(&out, "-- shell --\n")
			for line := range strings.Lines(string(text)) {
				raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(line))
				if err != nil {
					t.Fatal(err)
				}
				argv, _ := json.Marshal(strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00"))
				argv = bytes.ReplaceAll(argv, []byte(base), []byte("/base"))
				out.Write(bytes.ReplaceAll(argv, []byte(os.Getenv("PATH")), []byte("/usr/bin:/bin")))
				out.WriteByte('\n')
			}
			name := filepath.Join("testdata/clients", c.name, c.version(t)+".txtar")
			write(t, name, out.String())
			t.Logf("%s: %d bytes", name, out.Len())
		})
	}
}
