package pathguard

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// one is a script with a single effect on a name.
func one(right command.Right, flags command.Flags, dir, text string) *shellparse.Script {
	return effects(shellparse.Effect{Right: right, Flags: flags,
		Name: shellparse.Name{Text: text, Static: true, Dir: dir}, Command: -1})
}

func effects(list ...shellparse.Effect) *shellparse.Script {
	return &shellparse.Script{Text: "x", Canonical: "x", Effects: list}
}

func resolved(t testing.TB, s *shellparse.Script, c resolve.Caller) *resolve.Plan {
	t.Helper()
	plan, err := resolve.Resolve(s, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { plan.Close() })
	return plan
}

func sumOf(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// TestResolveManyMatches keeps 4,096 of 100,000 matches and says how many there were. A
// thousand files under a hundred names of their directory are that many matches.
func TestResolveManyMatches(t *testing.T) {
	t.Parallel()
	root := hermetic.Tree(t, "real/")
	const files, links, n = 1000, 100, 100_000
	for i := range files {
		if err := unix.Mknod(root+"/real/f"+strconv.Itoa(i), unix.S_IFREG|0o600, 0); err != nil {
			t.Fatal(err)
		}
	}
	for i := range links {
		if err := os.Symlink("real", root+"/d"+strconv.Itoa(i)); err != nil {
			t.Fatal(err)
		}
	}
	plan := resolved(t, effects(shellparse.Effect{Right: command.Read,
		Name: shellparse.Name{Text: "d*/f*", Glob: true, Dir: root}, Command: -1}),
		resolve.Caller{Dir: root})
	if g := plan.Globs[0]; g.Count != n || g.Kept != 4096 || len(plan.Targets) != 4096 {
		t.Errorf("%+v, %d targets", g, len(plan.Targets))
	}
	v := Default(Account{Home: "/home/dev"}).Judge(plan)
	if v.Decision != Ask || v.Reasons[0].Rule != "path.many" ||
		!strings.Contains(v.Reasons[0].Message, "100000") {
		t.Errorf("%+v", v)
	}
}

// TestResolveNeverOpens: a FIFO as an operand, as a script and as a program is found by its
// name and never opened, or the test would wait for a writer.
func TestResolveNeverOpens(t *testing.T) {
	root := t.TempDir()
	if err := syscall.Mkfifo(root+"/fifo", 0o777); err != nil {
		t.Fatal(err)
	}
	done := make(chan *resolve.Plan)
	go func() {
		plan, _ := resolve.Resolve(&shellparse.Script{
			Effects: []shellparse.Effect{
				{Right: command.Read, Name: shellparse.Name{Text: "fifo", Static: true, Dir: root},
					Command: -1},
				{Right: command.Read, Flags: command.Source,
					Name: shellparse.Name{Text: "fifo", Static: true, Dir: root}, Command: -1},
			},
			Commands: []shellparse.Command{{Name: "./fifo", Dir: root}},
		}, resolve.Caller{Dir: root})
		done <- plan
	}()
	select {
	case plan := <-done:
		defer plan.Close()
		if v := Default(Account{Home: "/home/dev"}).Judge(plan); v.Decision != Ask ||
			!slices.ContainsFunc(v.Reasons,
				func(r Reason) bool { return r.Rule == "code.stream" }) {
			t.Errorf("a script that nobody can look at: %+v", v)
		}
		if plan.Targets[0].Mode&os.ModeNamedPipe == 0 ||
			plan.Contents[0].Why != "not a regular file" || plan.Programs[0].Sum != "" {
			t.Errorf("%+v %+v", plan.Targets[0], plan.Contents)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("waits for a writer")
	}
}

// FuzzResolve: whatever the name, resolving ends, in the tree or out of it, without a panic,
// and every path that it gives is absolute and has no link left in what exists.
func FuzzResolve(f *testing.F) {
	for _, name := range []string{"a", "../..", "l/../x", "/proc/self/fd/0/..",
		"/proc/self/task/1/cwd/a", "//a//", "~", "\xff", "a\nb", "*", "[", "{a,b}", "l/l/l",
		"/dev/stdin/x", "/proc/self/cwd/../root"} {
		for kind := range uint8(4) {
			f.Add(name, kind)
		}
	}
	root := hermetic.Tree(f, "a", "d/e/f", "l -> d", "m -> l/e", "loop -> loop", "abs -> @/d")
	f.Fuzz(func(t *testing.T, name string, kind uint8) {
		if strings.ContainsRune(name, 0) || strings.Count(name, "*") > 3 ||
			strings.HasPrefix(name, "/") && strings.Contains(name, "*") {
			t.Skip()
		}
		n := shellparse.Name{Text: name, Static: kind&1 == 0, Glob: kind&1 == 1, Dir: root}
		script := effects(shellparse.Effect{Right: command.Right(1 + kind%4),
			Flags: command.Flags(kind), Name: n, Command: -1})
		plan, err := resolve.Resolve(script, resolve.Caller{Dir: root, Home: root + "/d"})
		if err != nil {
			t.Fatal(err)
		}
		defer plan.Close()
		for i := range plan.Targets {
			p := &plan.Targets[i]
			if p.Real != "" && p.Real[0] != '/' ||
				p.Real != filepath.Clean(p.Real) && p.Real != "" {
				t.Fatalf("%q: at %q", name, p.Real)
			}
			if real, err := filepath.EvalSymlinks(p.Real); p.Real != "" && err == nil &&
				real != p.Real && p.Mode&os.ModeSymlink == 0 {
				t.Fatalf("%q: %q is %q", name, p.Real, real)
			}
		}
		Default(Account{Home: root + "/d"}).Judge(plan)
	})
}
