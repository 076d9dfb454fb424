package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// A world is a workspace and what lies around it.
type world struct{ Workspace, Secret, Hidden, Kept string }

func newWorld(t *testing.T) world {
	t.Helper()
	top := t.TempDir()
	w := world{Workspace: top + "/ws", Secret: top + "/readable/secret",
		Hidden: top + "/readable/hidden", Kept: top + "/ws/conf/kept"}
	for _, dir := range []string{w.Workspace + "/conf", w.Hidden} {
		must(t, os.MkdirAll(dir, 0o700))
	}
	for _, file := range []string{w.Secret, w.Hidden + "/key", w.Kept, top + "/readable/open"} {
		must(t, os.WriteFile(file, []byte("secret"), 0o600))
	}
	must(t, os.WriteFile(w.Workspace+"/own", []byte("own"), 0o600))
	return w
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func self(t *testing.T) string {
	t.Helper()
	name, err := os.Executable()
	must(t, err)
	return name
}

func serve(t *testing.T, network, address string) string {
	t.Helper()
	l, err := net.Listen(network, address)
	must(t, err)
	t.Cleanup(func() { l.Close() })
	go echo(l)
	return l.Addr().String()
}

// echo answers each connection with what it says.
func echo(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() { io.Copy(c, c); c.Close() }()
	}
}

// profile hides and keeps what the world has for it.
func (w world) profile(t *testing.T, level Level) Profile {
	p := Default(w.Workspace, "", w.Secret, w.Hidden)
	p.Read = append(p.Read, Path{Name: filepath.Dir(w.Secret)}, Path{Name: self(t)})
	p.ReadOnly = []string{w.Kept}
	p.Require, p.Most = level, level
	return p
}

const leakSize = 7919

// leak is a file that the launcher has open and that every exec would inherit.
func leak(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Create(t.TempDir() + "/leak")
	must(t, err)
	must(t, f.Truncate(leakSize))
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETFD, 0)
	must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func terminal(t *testing.T) *os.File {
	t.Helper()
	master, slave, err := pty.Open()
	must(t, err)
	t.Cleanup(func() { master.Close(); slave.Close() })
	return slave
}

// What the sandbox must not break.
func TestAllowed(t *testing.T) {
	for _, level := range []Level{Base, Strong} {
		for _, test := range []struct{ name, script, want string }{
			{"write in the workspace", "echo x > new && cat new", "x\n"},
			{"rename between folders", "mkdir a b && echo x > a/f && mv a/f b/g && cat b/g", "x\n"},
			{"link and rename between folders, without a way round",
				"mkdir a b && echo x > a/f && ln a/f b/h && perl -e 'rename(\"a/f\", \"b/g\") or die $!' && cat b/g b/h", "x\nx\n"},
			{"hard link inside", "ln own own2 && cat own2", "own"},
			{"chmod inside", "chmod 755 own && stat -c %a own", "755\n"},
			{"read what is not hidden", "cat ../readable/open", "secret"},
			{"a pipe and a here-document", "cat <<E | tr a-z A-Z\nx\nE\n", "X\n"},
			{"background and wait", "sleep 0 & wait $!; echo $?", "0\n"},
			{"signals among its own", "sleep 100 & kill $!; wait $!; echo $?", "143\n"},
			{"/dev/null and urandom", "head -c 4 /dev/urandom | wc -c > /dev/null; echo ok",
				"ok\n"},
			{"process substitution", "cat <(echo x)", "x\n"},
			{"threads", "head -c 300000 /dev/zero | sort -z --parallel=4 | wc -c", "300000\n"},
			{"git", "git init -q . && git config user.name x && git config user.email x@y && git add own && git commit -qm x && git branch y && git status --porcelain --untracked-files=no && echo ok", "ok\n"},
		} {
			t.Run(level.String()+"/"+test.name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				dir, err := os.Open(w.Workspace)
				must(t, err)
				defer dir.Close()
				out, in, _ := os.Pipe()
				p, _, err := Start(w.profile(t, level),
					Command{Path: "/bin/bash", Argv: []string{"bash", "-c", test.script},
						Env: []string{"PATH=/usr/bin:/bin", "HOME=" + w.Workspace,
							"TMPDIR=" + w.Workspace}, Dir: dir, Files: []*os.File{nil, in, in}})
				in.Close()
				must(t, err)
				text, _ := io.ReadAll(out)
				s, err := p.Wait()
				if err != nil || s.Shell() != 0 || string(text) != test.want {
					t.Errorf("status %d, %v, %q", s.Shell(), err, text)
				}
			})
		}
	}
}

// TestOrdinaryUser runs these tests again as an ordinary user. They begin beside the first one of
// root's, see TestMain: the two wait for different things.
func TestOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("these tests are run by an ordinary user already")
	}
	out, err := ordinaryUser()()
	if err != nil || !strings.Contains(out, "--- PASS: TestAllowed") {
		var failed []string
		for line := range strings.Lines(out) {
			if strings.Contains(line, "FAIL") || strings.Contains(line, "_test.go") {
				failed = append(failed, line)
			}
		}
		t.Errorf("%v\n%s", err, strings.Join(failed, ""))
	}
}

// forAnyone are the tests that are the same for every user, and long: races and floods are lost by
// the launcher's own threads and descriptors, and a filter of system calls is the same program; or
// that compare with files beside the tests, which nobody may not read. An ordinary user who runs
// the tests runs them all.
const forAnyone = "Benchmark|Race|^Test(ViewProgramAtOnce|Flood|AnswersUnderSignals" +
	"|QuestionsInBulk|StreamsInBulk|ProgramReadsTheTable|ExplainOutput|DigestCoversEverything" +
	"|Seatbelt)$"

// ordinaryUser starts the tests as nobody, once, and returns what waits for their end.
var ordinaryUser = sync.OnceValue(func() func() (string, error) {
	dir, err := os.MkdirTemp("", "sandbox")
	if err == nil {
		err = errors.Join(hermetic.Chmod(dir, 0o755), os.Mkdir(dir+"/tmp", 0o700),
			os.Chown(dir+"/tmp", 65534, 65534))
	}
	name, found := os.Executable()
	text, read := os.ReadFile(name)
	if err = errors.Join(err, found, read); err == nil {
		err = hermetic.WriteProgram(dir+"/sandbox.test", text, 0o755)
	}
	cmd := exec.Command(dir+"/sandbox.test", "-test.v", "-test.skip="+forAnyone,
		fmt.Sprintf("-test.short=%t", testing.Short()))
	cmd.Dir, cmd.Env = dir, []string{"PATH=/usr/bin:/bin", "TMPDIR=" + dir + "/tmp",
		"HOME=" + dir + "/tmp", "GORACE=" + os.Getenv("GORACE")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err == nil {
		err = cmd.Start()
	}
	return sync.OnceValues(func() (string, error) {
		defer os.RemoveAll(dir)
		if err != nil {
			return "", err
		}
		err := cmd.Wait()
		return out.String(), err
	})
})
