package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// connectScript runs a command that connects, four times, each after Enter.
const connectScript = `
until tmux list-clients | grep -q .; do sleep 0.02; done
cd %q
for n in 1 2 3 4; do
	clear
	if [ $n = 3 ]; then tadactl grants revoke $(tadactl grants | cut -d' ' -f1); fi
	echo "run $n"
	tada-run 'python3 fetch.py'
	echo "status $?"
	read -r
done
`

const connectProgram = `
import socket
print("before", flush=True)
try:
    socket.create_connection((".".join(["far", "example", "test"]), 443), 20)
except OSError as e:
    raise SystemExit(1)
`

// In tmux, a question about a connection appears while the command waits, and the answer lets it go
// on: for this run, for the workspace until that is revoked, and never after Ctrl-C.
func TestConnectionInTmux(t *testing.T) {
	t.Parallel()
	need(t, "tmux")
	need(t, "python3")
	p := newPlace(t)
	server := fmt.Sprintf("tmux -L tada-connect-%d -f /dev/null ", os.Getpid())
	script := filepath.Join(t.TempDir(), "script")
	for name, text := range map[string]string{script: fmt.Sprintf(connectScript, p.dir),
		filepath.Join(p.dir, "fetch.py"): connectProgram} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out := p.run(server + "new-session -d -s person -x 100 -y 40 'exec bash " + script +
		"'"); out != "" {
		t.Fatal(out)
	}
	t.Cleanup(func() { p.run(server + "kill-server") })
	p.asPerson("exec " + server + "attach -t person -f ignore-size")
	shows := func(want ...string) {
		t.Helper()
		screen := ""
		for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
			screen = p.run(server + "capture-pane -p -t person")
			missing := false
			for _, w := range want {
				missing = missing || !strings.Contains(screen, w)
			}
			if !missing {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("not on the screen: %q\n%s", want, screen)
	}
	keys := func(keys string) {
		time.Sleep(600 * time.Millisecond) // a person does not type that fast
		p.run(server + "send-keys -t person " + keys)
	}
	question := []string{"before\n", "wants to connect to far.example.test:443",
		"command  python3 fetch.py", "y: approve  n: deny"}
	const after = "blocked: connect to far.example.test:443 (" // this host does not exist
	for n, step := range []struct{ key, want string }{
		{"w", after}, {"", after}, {"y", after}, {"C-c", "status 130"},
	} {
		if step.key != "" {
			shows(append(question, fmt.Sprint("run ", n+1))...)
			keys(step.key)
		}
		shows(fmt.Sprint("run ", n+1), step.want, "status 1")
		keys("Enter")
	}
}
