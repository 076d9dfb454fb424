package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What runs reaches neither the console, by any address of this machine, nor its files. It is not
// asked about either: nobody can allow it by mistake.
func TestConsoleIsOutOfReach(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	g := openPage(t)
	_, port, _ := strings.Cut(strings.TrimPrefix(g.base, "http://"), ":")
	client := `import os, socket, sys
for host in sys.argv[3:]:
    try:
        s = socket.create_connection((host, int(sys.argv[1])), 3)
        s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        print("reached", host, s.recv(64))
    except OSError as e:
        print("kept from", host)
for name in "run/console", "run/pairing", "passkeys.json", "push.json", "audit/log.jsonl":
    try:
        print("read", open(sys.argv[2][::-1] + "/" + name).read())
    except OSError as e:
        print("kept from", name)
`
	file := filepath.Join(g.p.dir, "client.py")
	if err := os.WriteFile(file, []byte(client), 0o644); err != nil {
		t.Fatal(err)
	}
	backwards := []byte(g.p.state) // so that the command line does not name it
	slices.Reverse(backwards)
	out := g.p.run("tada-run 'python3 client.py " + port + " " + string(backwards) +
		" 127.0.0.1 localhost 0.0.0.0 ::ffff:127.0.0.1 :: ::1 127.1 2130706433 0x7f.1'")
	if strings.Count(out, "kept from") != 9+5 || strings.Contains(out, "reached") ||
		strings.Contains(out, "read ") {
		t.Error(out)
	}
	if out := g.p.run("tadactl pending"); strings.Contains(out, "connect") {
		t.Error(out)
	}
}
