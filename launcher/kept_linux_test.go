package launcher

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/launcher/undo"
)

//go:embed testdata/changing.txt
var changingText string

// Each line of the table changes the workspace. After an undo the workspace is as it was before:
// names, types, modes, owners, content, links, times and attributes; or the run has said why not.
// A redo makes it as the line left it.
func TestChangingLinesAreUndone(t *testing.T) {
	every := 1
	if testing.Short() {
		every = 2
	}
	undoLines(t, furnished(t), changingText, every)
}

//go:embed testdata/changing_odd.txt
var oddText string

// python makes a line of the table of odd spellings a command line.
const python = `python3 -c "import os,ctypes,mmap,socket
C=ctypes.CDLL(None)
def T(f,*a,**k):
 try: return f(*a,**k)
 except OSError: pass
%s"`

// So with unusual calls, names and descriptors: none is missed in silence.
func TestOddChangesAreUndone(t *testing.T) {
	undoLines(t, furnished(t), oddText, max(1, 24/hermetic.Rounds(60)))
}

//go:embed testdata/changing_deep.txt
var deepText string

// So with programs' own ways, and with what is changed through a descriptor before or after its
// file has another name.
func TestDeepChangesAreUndone(t *testing.T) {
	undoLines(t, furnished(t), deepText, max(1, 24/hermetic.Rounds(60)))
}

//go:embed testdata/changing_more.txt
var moreText string

// So with odd files, and calls that are seldom made.
func TestMoreChangesAreUndone(t *testing.T) {
	template := furnished(t)
	inFolder(t, template, `mkdir odd; cd odd; mkdir -p locked others deep/$(printf a/%.0s {1..200})
cp /bin/true set; chmod 4755 set; echo x > shut; cp /bin/true able
truncate -s 1M holes; echo x >> holes; echo x > locked/in; chmod 555 locked; chmod 1777 others
echo x > other; printf x > $'\n\xff'; ln -s $'\xfe' link
setcap cap_net_raw+ep able 2> /dev/null || true # root can
test $(id -u) != 0 || chown -hR 1234:4321 other others link
touch -h -d '2020-01-02 03:04:05.678' * deep/a/a .`)
	t.Cleanup(func() { _ = hermetic.Chmod(filepath.Join(template, "odd/locked"), 0o755) })
	undoLines(t, template, moreText, max(1, 24/hermetic.Rounds(60)))
}

// undoLines tries a table of lines at both levels, or one in so many of both.
func undoLines(t *testing.T, template, table string, every int) {
	for _, level := range []sandbox.Level{sandbox.Base, sandbox.Strong} {
		n := int(level)
		for line := range strings.Lines(table) {
			line = strings.TrimSuffix(line, "\n")
			program, text, row := strings.Cut(line, " | ")
			if !row || strings.HasPrefix(line, "#") {
				continue
			}
			if n++; n%every != 0 {
				continue // of two, the other level has it
			}
			t.Run(level.String()+"/"+text, func(t *testing.T) {
				t.Parallel()
				if name, rest, _ := strings.Cut(program, " "); name == "py" {
					program, text = "python3 "+rest, fmt.Sprintf(python, text)
				}
				for _, name := range strings.Fields(program) {
					if name == "strong" && level == sandbox.Base {
						t.Skip("base refuses it")
					} else if name == "strong" {
						continue
					}
					if _, err := exec.LookPath(name); err != nil {
						t.Skip(err)
					}
				}
				plain, how := undoLine(t, template, level, text, false)
				strict, whole := undoLine(t, template, level, text, true)
				if !slices.Equal(plain, strict) || how == true && whole != true {
					t.Errorf("allowed because it can be undone (%v) it leaves %q, else (%v) %q",
						whole, missing(strict, plain), how, missing(plain, strict))
				}
			})
		}
	}
}

// The kernel does not replace a file by a core file where that would be lost.
func TestNoCoreFileWhereUndoStands(t *testing.T) {
	template := furnished(t)
	inFolder(t, template, "echo mine > core")
	for _, level := range []sandbox.Level{sandbox.Base, sandbox.Strong} {
		const line = "ulimit -c unlimited; sh -c 'kill -SEGV $$'; rm u"
		if _, how := undoLine(t, template, level, line, true); how != true {
			t.Errorf("%v: it is reversible: %v", level, how)
		}
	}
}

// So of an ordinary user, where root runs the tests.
func TestChangesOfAUserAreUndone(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("an ordinary user runs all tests")
	}
	t.Parallel()
	const user = 64005
	dir, err := os.MkdirTemp("/tmp", "u")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	text, err := os.ReadFile("/proc/self/exe")
	program := filepath.Join(dir, "launcher.test")
	if err := errors.Join(err, hermetic.WriteProgram(program, text, 0o755),
		os.Chown(dir, user, user)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run=^Test(Changing|Odd|Deep|More)[A-Za-z]*AreUndone$",
		fmt.Sprintf("-test.short=%t", os.Getenv("TEST_ROUNDS") == ""))
	cmd.Dir, cmd.Env = dir, []string{"PATH=/usr/bin:/bin", "TMPDIR=" + dir, "HOME=" + dir,
		"TEST_ROUNDS=" + os.Getenv("TEST_ROUNDS")}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Credential: &syscall.Credential{Uid: user, Gid: user}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// What a run writes through a descriptor that its caller passes on is kept, as if it had opened it.
func TestInheritedIsUndone(t *testing.T) {
	template := furnished(t)
	for _, level := range []sandbox.Level{sandbox.Base, sandbox.Strong} {
		for _, stands := range []bool{false, true} {
			for _, line := range []string{"echo x >&%d; rm empty", "rm f hard; echo x >&%d",
				"mv f x; echo x >&%d; rm x hard"} {
				_, how := undoAround(t, template, level, stands, func(req *Request) {
					fd, err := unix.Open(filepath.Join(req.Dir, "f"), unix.O_WRONLY, 0)
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { unix.Close(fd) })
					req.Files, req.Shell.Text = []int{fd}, fmt.Sprintf(line, fd)
				})
				if how != true {
					t.Errorf("%v, %v: %q is reversible: %v", level, stands, line, how)
				}
			}
		}
	}
}

// undoLine returns the names that the line left, but for those of git's objects, and whether it can
// be taken back.
func undoLine(t *testing.T, template string, level sandbox.Level, line string,
	stands bool) (names []string, reversible any) {
	return undoAround(t, template, level, stands,
		func(req *Request) { req.Shell.Text = line })
}

// undoAround is undoLine for a request that prepare completes.
func undoAround(t *testing.T, template string, level sandbox.Level, stands bool,
	prepare func(*Request)) (names []string, reversible any) {
	l, req := world(t)
	t.Cleanup(func() { // a line may have closed a folder to its owner
		_ = exec.Command("chmod", "-R", "u+rwX", req.Dir).Run()
	})
	l.stands = stands
	if l.level() < level {
		t.Skip("this machine has no such sandbox")
	}
	l.level = func() sandbox.Level { return level }
	if out, err := exec.Command("cp", "-a", template+"/.", req.Dir).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	// cp cannot read what is closed.
	if err := os.Chmod(req.Dir+"/odd/shut", 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	before := tree(t, req.Dir)
	req.Stdio, req.PTY = nowhere(t), session.Never
	prepare(&req)
	req.Ask = approves
	out, err := l.Run(context.Background(), req)
	if err != nil || out.Refusal != nil {
		t.Fatalf("%v %+v", err, out.Refusal)
	}
	after := tree(t, req.Dir)
	changed := unlike(before, after)
	if len(changed) == 0 {
		t.Fatal("it changes nothing")
	}
	if out.Reversible != true {
		t.Logf("%v: %+v", out.Reversible, out.Lacks)
	}
	_, err = l.Undo(undo.Take{Runs: []string{out.Session}}, ordered("undo", req.Dir))
	if err != nil && out.Reversible != false {
		t.Fatal(err)
	}
	left := unlike(before, tree(t, req.Dir))
	if len(left) > 0 && out.Reversible == true {
		t.Errorf("said to be reversible, and not undone:\n%s", strings.Join(left, "\n"))
	}
	names = slices.DeleteFunc(slices.Sorted(maps.Keys(after)),
		func(name string) bool { return strings.HasPrefix(name, ".git/objects/") })
	if out.Reversible != true {
		return names, out.Reversible
	}
	last, err := l.LastUndo()
	if err == nil {
		_, err = l.Undo(undo.Take{Runs: []string{last}}, ordered("redo", req.Dir))
	}
	if err != nil {
		t.Fatal(err)
	}
	if left := unlike(after, tree(t, req.Dir)); len(left) > 0 {
		t.Errorf("not done again:\n%s", strings.Join(left, "\n"))
	}
	return names, true
}

func approves(_ context.Context, e approval.Envelope) (approval.Decision, error) {
	d := permit.Answer(e, true, "", "tty")
	d.Challenge, d.Paged, d.Took = e.Challenge, true, 10*time.Second
	return d, nil
}

// furnished is a folder with what the lines change, with times in the past.
func furnished(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	inFolder(t, dir, `umask 022; mkdir -p d/e many; for i in {1..9}; do echo $i > many/$i; done
printf 'one\ntwo\nthree\n' > f; echo g > d/g; echo h > d/e/h
ln f hard; ln -s d/g soft; ln -s nowhere dangling
echo 'print(1)' > p.py; head -c 20000 /dev/zero > big; mkfifo pipe; touch empty; mkdir hollow
chmod 750 d/e; chmod 600 d/g
git init -q . ; git config user.name x; git config user.email x@y; git config commit.gpgsign false
git add -A . ; git commit -qm one; git branch other; echo four >> f; git commit -qam two
echo dirty >> d/g; echo untracked > u
touch -d '2020-01-02 03:04:05.678' f d/g d/e/h d/e d hollow many .`)
	err := unix.Lsetxattr(filepath.Join(dir, "d/g"), "user.was", []byte("there"), 0)
	if err != nil {
		t.Logf("no attributes here: %v", err)
	}
	return dir
}

// missing returns the names that are not among others.
func missing(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names),
		func(name string) bool { return slices.Contains(others, name) })
}

// inFolder runs a script in a folder.
func inFolder(t *testing.T, dir, script string) {
	t.Helper()
	cmd := exec.Command("bash", "-ec", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
}

// tree is what is in a folder: a line for each name. Times of access are not compared.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	inodes := map[uint64]string{}
	err := filepath.Walk(dir, func(name string, info os.FileInfo, err error) error {
		rel, _ := filepath.Rel(dir, name)
		if errors.Is(err, fs.ErrPermission) {
			all[rel] += " closed"
			return nil
		}
		if err != nil {
			return err
		}
		st := &unix.Stat_t{}
		if err := unix.Lstat(name, st); err != nil {
			return err
		}
		line := fmt.Sprintf("%v %d:%d %s", info.Mode(), st.Uid, st.Gid,
			info.ModTime().UTC().Format(time.RFC3339Nano))
		switch {
		case info.Mode().IsRegular():
			text, err := os.ReadFile(name)
			if errors.Is(err, fs.ErrPermission) {
				text, err = []byte("closed"), nil
			}
			if err != nil {
				return err
			}
			if len(text) > 64<<10 {
				text = fmt.Appendf(nil, "%d bytes, %x", len(text), sha256.Sum256(text))
			}
			line += fmt.Sprintf(" %q", text)
			if first := inodes[st.Ino]; first != "" {
				line += " is " + first
			} else {
				inodes[st.Ino] = rel
			}
		case info.Mode()&os.ModeSymlink != 0:
			target, _ := os.Readlink(name)
			line += " to " + target
		}
		names := make([]byte, 4096)
		if n, err := unix.Llistxattr(name, names); err == nil {
			for key := range strings.SplitSeq(string(names[:n]), "\x00") {
				value := make([]byte, 4096)
				if key == "" {
					continue
				}
				if n, err := unix.Lgetxattr(name, key, value); err == nil {
					line += fmt.Sprintf(" %s=%q", key, value[:n])
				}
			}
		}
		all[rel] = line
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// unlike are the names that two trees have not alike.
func unlike(a, b map[string]string) (list []string) {
	for name, line := range a {
		if b[name] != line {
			list = append(list, fmt.Sprintf("%s: %.200s, now %.200s", name, line, b[name]))
		}
	}
	for name, line := range b {
		if a[name] == "" {
			list = append(list, fmt.Sprintf("%s: none, now %.200s", name, line))
		}
	}
	slices.Sort(list)
	return list
}
