package launcher

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard"
)

// B-R6.3a: a program that is taken for a reader runs in a sandbox that can only read, without a
// network: although its class is wrong, it makes no file, moves none and reaches no host. Each is
// registered as a reader, judged as one, and run for real.
func TestAWrongClassWritesNothing(t *testing.T) {
	t.Parallel()
	for level := sandbox.Base; level <= sandbox.Remembered(filepath.Join(t.TempDir(), "level")); level++ {
		t.Run(level.String(), func(t *testing.T) {
			t.Parallel()
			l, base := world(t)
			l.level = func() sandbox.Level { return level }
			l.policy = registered(t, l, "touch", "tee", "chmod", "mv", "mkdir", "rm", "python3")
			work := base.Dir
			temp, err := os.MkdirTemp("/tmp", "reader")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(temp) })
			for _, line := range []string{
				"touch made", "touch " + temp + "/made", "tee made", "mkdir made", "mv a made",
				"rm a", "chmod 777 a",
				"touch a", // its times
				`python3 -c 'import socket; socket.create_connection(("127.0.0.1", 9))'`,
				"python3 -V made", // a reader works
			} {
				said := base
				said.Shell.Text = line
				status, output := readerRun(t, l, said)
				works := strings.HasPrefix(line, "python3 -V")
				if (status == 0) != works {
					t.Errorf("%s: status %d, said %q", line, status, output)
				}
				if !works && !strings.Contains(output, "Permission denied") &&
					!strings.Contains(output, "Read-only file system") &&
					!strings.Contains(output, "Operation not permitted") {
					t.Errorf("%s: failed for another reason: %q", line, output)
				}
				for _, name := range []string{filepath.Join(work, "made"),
					filepath.Join(temp, "made")} {
					if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
						t.Errorf("%s made %s", line, name)
					}
				}
				if st, err := os.Stat(filepath.Join(work, "a")); err != nil ||
					st.Mode().Perm() != 0o644 {
					t.Errorf("%s: a is %v, %v", line, st, err)
				}
			}
		})
	}
}

// readerRun carries out a line that must be judged to only read, and returns its status and what it
// said.
func readerRun(t *testing.T, l *Launcher, req Request) (int, string) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	req.Stdio.In, req.Stdio.Out, req.Stdio.Err = devNull(t), write, write
	j, err := l.Judge(req)
	if err != nil {
		t.Fatal(err)
	}
	if j.Verdict.Decision != pathguard.Allow || j.Verdict.Class != pathguard.ReadOnly {
		t.Fatalf("%s: %v, class %v: it is not taken for a reader", req.Shell.Text, j.Verdict,
			j.Verdict.Class)
	}
	out, err := l.carry(context.Background(), j, nil, l.permit)
	write.Close()
	text, _ := io.ReadAll(read)
	if err != nil || out.Refusal != nil {
		t.Fatalf("%s: %+v, %v", req.Shell.Text, out, err)
	}
	return out.Status, string(text)
}

// registered is the policy of a person who declares each program a reader.
func registered(t *testing.T, l *Launcher, programs ...string) pathguard.Policy {
	t.Helper()
	text := "network: {default: on}\nprograms: |\n"
	for _, p := range programs {
		text += "  " + p + ": read-only -_ : _*\n"
	}
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := pathguard.Load(pathguard.Account{Home: l.account, UID: os.Getuid()},
		pathguard.ConfigFile{Path: path, Layer: pathguard.UserLayer})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
