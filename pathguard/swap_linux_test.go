package pathguard

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// B-R1.4.8: TestSwap replaces what stands behind names while plans are made, three thousand times.
// A plan holds one inode, and everything that it says of a target is of that inode: the file
// that was judged is the file that is granted, executed and hashed.
func TestSwap(t *testing.T) {
	t.Parallel()
	root := hermetic.Tree(t, "safe/f", "safe/run.sh", "evil/f", "evil/run.sh")
	os.Chmod(root+"/safe/run.sh", 0o755)
	os.Chmod(root+"/evil/run.sh", 0o755)
	for _, side := range []string{"safe", "evil"} {
		os.Symlink(root+"/"+side+"/f", root+"/link."+side)
		os.Link(root+"/"+side+"/run.sh", root+"/script."+side)
		os.Symlink(side, root+"/dir."+side)
	}
	stop, stopped := make(chan bool), make(chan bool)
	var swaps atomic.Int64
	go swapper(root, stop, stopped, &swaps)
	script := &shellparse.Script{Text: "x", Canonical: "x", Effects: []shellparse.Effect{
		{Right: command.Read, Name: shellparse.Name{Text: "link", Static: true, Dir: root}},
		{Right: command.Write, Name: shellparse.Name{Text: "dir/f", Static: true, Dir: root}},
		{Right: command.Read, Flags: command.Source,
			Name: shellparse.Name{Text: "script", Static: true, Dir: root}},
		{Right: command.Write, Name: shellparse.Name{Text: "dir/../dir/new", Static: true,
			Dir: root}},
	}, Commands: []shellparse.Command{{Name: "./script", Dir: root}}}
	sides := map[string]int{}
	for n := 0; n < hermetic.Rounds(3_000) || swaps.Load() < 100 || sides["safe"] == 0 ||
		sides["evil"] == 0; n++ {
		// a busy machine swaps late
		plan, err := resolve.Resolve(script, resolve.Caller{Dir: root})
		if err != nil {
			t.Fatal(err)
		}
		for i := range plan.Targets {
			if p := &plan.Targets[i]; p.Exists || p.Missing == "new" {
				checkHeld(t, p.File(), p.Real, p.ID)
				sides[filepath.Base(filepath.Dir(p.Real))]++
			}
		}
		for i := range plan.Contents {
			checkSum(t, plan, &plan.Contents[i])
		}
		if p := &plan.Programs[0]; p.Path != "" {
			if body := readHeld(t, p.File()); sumOf(body) != p.Sum {
				t.Fatalf("the program that is held is not the one that was hashed: %q", body)
			}
		}
		plan.Close()
		if t.Failed() {
			break
		}
	}
	close(stop)
	<-stopped
}

// B-R1.4.8: TestSwapBetween replaces a link, a directory, a script and a program after the plan was
// made and before anything uses it, ten thousand times: the plan's open files stay what was judged;
// a plan that is made again is another one, so that no approval fits it; and the last check before
// the command runs reports what its shell would open by a name that leads elsewhere.
func TestSwapBetween(t *testing.T) {
	t.Parallel()
	root := hermetic.Tree(t, "safe/f", "safe/run", "evil/f", "evil/run", "link -> safe/f",
		"dir -> safe")
	for _, side := range []string{"safe", "evil"} {
		put(t, root+"/"+side, map[string]string{"f": side, "run": "#!/bin/sh\necho " + side + "\n"})
		os.Chmod(root+"/"+side+"/run", 0o755)
	}
	point := func(side string) {
		os.Remove(root + "/tmp")
		for name, target := range map[string]string{"link": side + "/f", "dir": side,
			"way": side + "/run"} {
			os.Symlink(target, root+"/tmp")
			os.Rename(root+"/tmp", root+"/"+name)
		}
		for _, name := range []string{"script", "program"} {
			os.Link(root+"/"+side+"/run", root+"/tmp")
			os.Rename(root+"/tmp", root+"/"+name)
			os.Remove(root + "/tmp")
		}
	}
	script := &shellparse.Script{Text: "x", Canonical: "x", Effects: []shellparse.Effect{
		{Right: command.Read, Name: shellparse.Name{Text: "link", Static: true, Dir: root}},
		{Right: command.Write, Name: shellparse.Name{Text: "dir/f", Static: true, Dir: root}},
		{Right: command.Read, Flags: command.Source,
			Name: shellparse.Name{Text: "script", Static: true, Dir: root}},
		{Right: command.Read, Flags: command.Source,
			Name: shellparse.Name{Text: "way", Static: true, Dir: root}},
		{Right: command.Read, Flags: command.Source,
			Name: shellparse.Name{Text: "dir/run", Static: true, Dir: root}},
	}, Commands: []shellparse.Command{{Name: "./program", Dir: root}}}
	sides := []string{"safe", "evil"}
	point(sides[0])
	// Its Look remembers the names of secrets, which no round touches.
	caller := resolve.Caller{Dir: root, Local: resolve.Local{Look: new(resolve.Look)}}
	var before []byte
	for n := range hermetic.Rounds(40_000) {
		side := sides[n%2]
		plan, err := resolve.Resolve(script, caller)
		if err != nil {
			t.Fatal(err)
		}
		facts := plan.Facts()
		if bytes.Equal(before, facts) {
			t.Fatal("the plan is the same")
		}
		before = facts
		if changed, err := plan.Changed(); err != nil || changed != nil {
			t.Fatalf("nothing was touched, and %q changed: %v", changed, err)
		}
		point(sides[(n+1)%2])
		changed, err := plan.Changed()
		want := []string{root + "/program", root + "/script", root + "/" + side + "/run"}
		if err != nil || !slices.Equal(changed, want) {
			t.Fatalf("changed: %q (%v), want %q", changed, err, want)
		}
		for i := range plan.Targets {
			if text := readHeld(t, plan.Targets[i].File()); !strings.Contains(text, side) {
				t.Fatalf("%s: the file in use is %q", plan.Targets[i].Name, text)
			}
		}
		if n%500 < 2 {
			run := exec.Command("/proc/self/fd/3")
			run.ExtraFiles = []*os.File{plan.Programs[0].File()}
			if out, err := run.CombinedOutput(); err != nil || string(out) != side+"\n" {
				t.Fatalf("what ran says %q: %v", out, err)
			}
		}
		plan.Close()
	}
}

// swapper puts the one and the other file behind each name in turn, as an attacker would.
func swapper(root string, stop, stopped chan bool, swaps *atomic.Int64) {
	for n := 0; ; n++ {
		select {
		case <-stop:
			close(stopped)
			return
		default:
		}
		side := []string{"safe", "evil"}[n%2]
		for _, name := range []string{"link", "script", "dir"} {
			tmp := root + "/." + name
			if name == "script" {
				os.Link(root+"/script."+side, tmp)
			} else {
				target, _ := os.Readlink(root + "/" + name + "." + side)
				os.Symlink(target, tmp)
			}
			os.Rename(tmp, root+"/"+name)
		}
		swaps.Add(1)
	}
}

func checkHeld(t *testing.T, f *os.File, real string, id walk.ID) {
	t.Helper()
	if f == nil {
		t.Fatalf("%s is not held", real)
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil || walk.IDOf(&st) != id {
		t.Fatalf("%s: held %d, said %d", real, st.Ino, id.Ino)
	}
	kernel, _ := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(f.Fd())))
	if strings.TrimSuffix(kernel, " (deleted)") != real && st.Nlink < 2 {
		t.Fatalf("said %q, the kernel says %q", real, kernel)
	}
}

func checkSum(t *testing.T, plan *resolve.Plan, c *resolve.Content) {
	t.Helper()
	for i := range plan.Targets {
		if p := &plan.Targets[i]; p.ID == c.ID && p.File() != nil &&
			sumOf(readHeld(t, p.File())) != c.Sum {
			t.Fatalf("%s: the file that is held is not the one that was hashed", c.Path)
		}
	}
}

func readHeld(t *testing.T, f *os.File) string {
	t.Helper()
	r, err := os.Open("/proc/self/fd/" + strconv.Itoa(int(f.Fd())))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text, _ := io.ReadAll(r)
	return string(text)
}
