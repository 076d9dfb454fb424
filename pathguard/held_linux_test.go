package pathguard

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// Each descriptor of a plan has one owner, however many goroutines ask for its file at once: ten
// thousand plans are made, fenced twice at the same time and closed, while others open and close
// files, so that a number that is closed by mistake is another file's at once.
func TestOneOwnerOfADescriptor(t *testing.T) {
	t.Parallel()
	root := hermetic.Tree(t, "w/a", "w/b", "w/c", "w/.git/HEAD", "decoy")
	decoy := identityOf(t, filepath.Join(root, "decoy"))
	stop := make(chan struct{})
	var churn sync.WaitGroup
	for range 2 {
		churn.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				takeNumbers(t, filepath.Join(root, "decoy"), decoy)
			}
		})
	}
	defer churn.Wait()
	defer close(stop)
	name := func(s string) shellparse.Name {
		return shellparse.Name{Text: s, Static: true, Dir: root + "/w"}
	}
	script := &shellparse.Script{Text: "x", Canonical: "x", Effects: []shellparse.Effect{
		{Right: command.Delete, Name: name("a"), Command: -1},
		{Right: command.Write, Name: name("b"), Command: -1},
		{Right: command.Create, Name: name("new"), Command: -1},
	}}
	policy := Default(Account{Home: root})
	for round := range hermetic.Rounds(10_000) {
		plan, err := resolve.Resolve(script, resolve.Caller{Dir: root + "/w", Home: root})
		if err != nil {
			t.Fatal(err)
		}
		var both [2]Fence
		var begun, done sync.WaitGroup
		begun.Add(len(both))
		for i, fence := range []func(*resolve.Plan) Fence{policy.Grants, policy.Grants} {
			done.Go(func() {
				begun.Done()
				begun.Wait()
				both[i] = fence(plan)
			})
		}
		done.Wait()
		if round%64 == 0 { // an owner without references closes what it owned
			runtime.GC()
			runtime.Gosched()
		}
		for i := range plan.Targets {
			target := &plan.Targets[i]
			for _, f := range both {
				checkHeld(t, f.Write[i].File, target.Real, target.ID)
			}
			if both[0].Write[i].File != both[1].Write[i].File ||
				both[0].Write[i].Dir != both[1].Write[i].Dir {
				t.Fatalf("%s: two owners of one descriptor", target.Real)
			}
		}
		if err := plan.Close(); err != nil {
			t.Fatalf("close: %v", err)
		}
		if t.Failed() {
			return
		}
	}
}

// takeNumbers opens some files and checks, when it closes them, that each number is still that
// file.
func takeNumbers(t *testing.T, name string, want walk.ID) {
	var fds [4]int
	for i := range fds {
		fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Error(err)
			return
		}
		fds[i] = fd
	}
	runtime.Gosched()
	for _, fd := range fds {
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil || walk.IDOf(&st) != want {
			t.Errorf("somebody else closed descriptor %d: %v", fd, err)
		}
		if err := unix.Close(fd); err != nil {
			t.Errorf("somebody else closed descriptor %d: %v", fd, err)
		}
	}
}

func identityOf(t *testing.T, name string) walk.ID {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Stat(name, &st); err != nil {
		t.Fatal(err)
	}
	return walk.IDOf(&st)
}

// What a plan gave out is of no use once it is closed: it is neither the file that has the number
// by then, nor nil, which means a name that only the policy knows.
func TestClosedPlanGivesNoFile(t *testing.T) {
	root := hermetic.Tree(t, "a", "b")
	name := func(s string) shellparse.Name {
		return shellparse.Name{Text: s, Static: true, Dir: root}
	}
	plan, err := resolve.Resolve(&shellparse.Script{Text: "x", Canonical: "x",
		Effects: []shellparse.Effect{
			{Right: command.Write, Name: name("a"), Command: -1},
			{Right: command.Write, Name: name("b"), Command: -1},
		}}, resolve.Caller{Dir: root})
	if err != nil {
		t.Fatal(err)
	}
	early := plan.Targets[0].File()
	for range 2 {
		if err := plan.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for what, f := range map[string]*os.File{"asked for before": early,
		"asked for after": plan.Targets[1].File(), "the directory": plan.DirFile()} {
		if f == nil {
			t.Fatalf("%s: nil", what)
		}
		if _, err := f.Stat(); !errors.Is(err, os.ErrClosed) || int(f.Fd()) != -1 {
			t.Errorf("%s: %v, number %d", what, err, int(f.Fd()))
		}
	}
}
