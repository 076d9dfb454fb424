package launcher

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/pathguard"
)

// personHere is a person at a console, for tests of what follows an answer.
func personHere() approval.Caller {
	return approval.Caller{
		Peer:     approval.PeerFacts{Known: true, Terminal: true},
		Line:     []approval.Process{{PID: 2, Name: "tadactl"}, {PID: 1, Name: "login"}},
		Terminal: approval.Terminal{Device: "tty4:1", Keys: true},
	}
}

// tightened is the launcher's policy, stricter by a text.
func tightened(t *testing.T, l *Launcher, text string) pathguard.Policy {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := l.policy.Tighten(pathguard.ConfigFile{Path: path, Layer: pathguard.UserLayer})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// nowhere is the input and output of a run that no one looks at; a run may close what it was given.
func nowhere(t *testing.T) session.Stdio {
	t.Helper()
	var files [3]*os.File
	for i := range files {
		f, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		files[i] = f
	}
	return session.Stdio{In: files[0], Out: files[1], Err: files[2]}
}

func status(t *testing.T, l *Launcher, req Request, text string) int {
	t.Helper()
	req.Shell.Text, req.Stdio, req.PTY = text, nowhere(t), session.Never
	out, err := l.Run(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	return out.Status
}

// lay writes a file, and makes the folders above it.
func lay(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
