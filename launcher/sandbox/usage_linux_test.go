package sandbox

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// Inotify instances that a process inherited are not counted twice when it ends while they are
// counted.
func TestInheritedWatchesOfAnEndedProcess(t *testing.T) {
	const most = 8
	var held []*os.File
	for range most {
		fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
		must(t, err)
		f := os.NewFile(uintptr(fd), "inotify")
		defer f.Close()
		held = append(held, f)
	}
	own := holder{os.Getpid(), itoa(int(held[0].Fd()))}
	if !own.watches() {
		t.Fatalf("%+v is no inotify instance", own)
	}
	for range 200 {
		cmd := exec.Command("/bin/true")
		cmd.ExtraFiles = held
		must(t, cmd.Start())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		members := []sample{{pid: os.Getpid()}, {pid: cmd.Process.Pid}}
		for counting := true; counting; {
			if (&treeWatch{}).watches(members, most, false) {
				t.Fatal("counted more than there are")
			}
			select {
			case err := <-ended:
				must(t, err)
				counting = false
			default:
			}
		}
	}
	one, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	must(t, err)
	defer unix.Close(one)
	if !(&treeWatch{}).watches([]sample{{pid: os.Getpid()}}, most, false) {
		t.Error("one more is not counted")
	}
}
