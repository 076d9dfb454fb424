package sandbox

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// A race is two threads against the broker: swap changes what a call is about, and try makes the
// call and returns what it could read.
type race struct {
	name string
	try  func(r *racer) []byte
	swap func(r *racer, odd bool)
}

// A racer is what they share.
type racer struct {
	name, other  []byte // two names in memory; the first is swapped
	own, secret  int    // handles of a file of its own and of a hidden one
	at           int    // a number that is one or the other
	dirs         [2]int // folders: its own has a file of the name of the hidden one
	pair         [2]int
	text, answer [16]byte
}

var guardRaces = []race{
	{"name in memory", (*racer).readName, (*racer).flipName},
	{"name that is linked", (*racer).linkName, (*racer).flipName},
	{"name that is moved", (*racer).moveName, (*racer).flipName},
	{"symbolic link", func(r *racer) []byte { return r.readAt(unix.AT_FDCWD, "l") },
		func(_ *racer, odd bool) {
			_ = unix.Symlink(map[bool]string{true: ".own", false: ".env"}[odd], "l.new")
			_ = unix.Rename("l.new", "l")
		}},
	{"handle under a number", func(r *racer) []byte {
		return r.readAt(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(r.at))
	}, func(r *racer, odd bool) {
		_ = unix.Dup3(map[bool]int{true: r.own, false: r.secret}[odd], r.at, 0)
	}},
	{"folder under a number", func(r *racer) []byte { return r.readAt(r.at, ".env") },
		func(r *racer, odd bool) {
			_ = unix.Dup3(r.dirs[map[bool]int{true: 1}[odd]], r.at, 0)
		}},
	{"handle that is received", func(r *racer) []byte {
		return r.readAt(unix.AT_FDCWD, "/dev/fd/"+strconv.Itoa(r.at))
	}, (*racer).receive},
	{"name, by a thread that ends", (*racer).readAndEnd, (*racer).flipName},
	{"working directory", func(r *racer) []byte { return r.readAt(unix.AT_FDCWD, "./.env") },
		func(r *racer, odd bool) { _ = unix.Fchdir(r.dirs[map[bool]int{true: 1}[odd]]) }},
}

func (r *racer) flipName(odd bool) {
	copy(r.name, map[bool]string{true: ".own", false: ".env"}[odd])
}

func (r *racer) readName() []byte {
	fd, _, errno := unix.RawSyscall6(unix.SYS_OPENAT, uintptr(0xffffffffffffff9c),
		uintptr(unsafe.Pointer(&r.name[0])), unix.O_RDONLY, 0, 0, 0)
	if errno != 0 {
		return nil
	}
	return r.read(int(fd))
}

// readAndEnd has a thread of its own make the call, which ends: its number is soon another's.
func (r *racer) readAndEnd() []byte {
	text := make(chan []byte)
	go func() {
		runtime.LockOSThread() // and never unlocks it
		text <- r.readName()
	}()
	return <-text
}

func (r *racer) read(fd int) []byte {
	defer unix.Close(fd)
	n, _ := unix.Read(fd, r.text[:])
	return r.text[:max(n, 0)]
}

func (r *racer) readAt(dir int, name string) []byte {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY, 0)
	if err != nil {
		return nil
	}
	return r.read(fd)
}

func (r *racer) linkName() []byte {
	const cwd = uintptr(0xffffffffffffff9c)
	unix.RawSyscall6(unix.SYS_LINKAT, cwd, uintptr(unsafe.Pointer(&r.name[0])), cwd,
		uintptr(unsafe.Pointer(&r.other[0])), 0, 0)
	defer unix.Unlink("sub/raced")
	return r.readAt(unix.AT_FDCWD, "sub/raced")
}

func (r *racer) moveName() []byte {
	const cwd = uintptr(0xffffffffffffff9c)
	unix.RawSyscall6(unix.SYS_RENAMEAT2, cwd, uintptr(unsafe.Pointer(&r.name[0])), cwd,
		uintptr(unsafe.Pointer(&r.other[0])), 0, 0)
	text := r.readAt(unix.AT_FDCWD, "sub/raced")
	_ = unix.Rename("sub/raced", ".own")
	return text
}

// receive closes the number and has it given out for a descriptor that comes through a socket.
func (r *racer) receive(odd bool) {
	fd := map[bool]int{true: r.own, false: r.secret}[odd]
	unix.Close(r.at)
	_ = unix.Sendmsg(r.pair[0], []byte("x"), unix.UnixRights(fd), nil, unix.MSG_DONTWAIT)
	control := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(r.pair[1], r.answer[:1], control, unix.MSG_DONTWAIT)
	if err != nil {
		return
	}
	if got, err := unix.ParseSocketControlMessage(control[:n]); err == nil && len(got) == 1 {
		if fds, err := unix.ParseUnixRights(&got[0]); err == nil && fds[0] != r.at {
			_ = unix.Dup3(fds[0], r.at, 0)
			unix.Close(fds[0])
		}
	}
}

// racerMain tries a race as often as args say, and prints what it got.
func racerMain(args []string) {
	which, _ := strconv.Atoi(args[1])
	n, _ := strconv.Atoi(args[2])
	must := func(err error) {
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	must(os.Chdir(args[0]))
	r := &racer{name: []byte(".own\x00"), other: []byte("sub/raced\x00")}
	must(os.WriteFile(".own", []byte("own"), 0o600))
	must(os.WriteFile("sub/.env", []byte("own"), 0o600))
	var err error
	open := func(name string) (fd int) {
		fd, err = unix.Open(name, unix.O_PATH, 0)
		must(err)
		return fd
	}
	r.own, r.secret, r.at = open(".own"), open(".env"), open(".own")
	r.dirs = [2]int{open("sub"), open("conf/deep")}
	r.pair, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET, 0)
	must(err)
	what := guardRaces[which]
	var done atomic.Bool
	var swaps atomic.Int64
	go func() {
		runtime.LockOSThread()
		for i := 0; !done.Load(); i++ {
			what.swap(r, i%2 == 0)
			swaps.Add(1)
		}
	}()
	got := 0
	// In some races one try in a hundred meets its own file: those go on until one has.
	for i, last := 0, int64(0); i < n || got == 0 && i < 1000*n; {
		switch text := what.try(r); {
		case bytes.HasPrefix(text, []byte("secret")):
			fmt.Println("the secret was read")
			return
		case bytes.HasPrefix(text, []byte("own")):
			got++
		}
		if now := swaps.Load(); now != last { // a try that nothing happened beside does not count
			i, last = i+1, now
		}
	}
	done.Store(true)
	fmt.Println("raced", got > 0)
}

// F18: whatever another thread of the caller changes between the broker's look and its answer, no
// hidden file is read, linked or moved, and the caller's own ones can be.
func TestGuardRaces(t *testing.T) {
	p := Default(t.TempDir(), "")
	p.Require, p.Most = Base, Base
	p = guardedTree(t, p)
	ws := p.Write[0].Name
	p.Read = append(p.Read, Path{Name: self(t)})
	for i, what := range guardRaces {
		t.Run(what.name, func(t *testing.T) {
			before := guardState(t, ws)
			from, in, _ := os.Pipe()
			process, _, err := Start(p, Command{Path: self(t),
				Argv:  []string{"racer", ws, fmt.Sprint(i), fmt.Sprint(hermetic.Rounds(1000))},
				Files: []*os.File{nil, in, in}})
			in.Close()
			must(t, err)
			said, _ := io.ReadAll(from)
			if _, err := process.Wait(); err != nil || string(said) != "raced true\n" {
				t.Errorf("%v, %q", err, said)
			}
			if guardState(t, ws) != before {
				t.Error("a guarded file was changed")
			}
		})
	}
}

// racedMain opens files until it is killed.
func racedMain(args []string) {
	for {
		for _, name := range []string{"/.own", "/.env", "/new"} {
			if fd, err := unix.Open(args[0]+name, unix.O_CREAT|unix.O_RDWR, 0o600); err == nil {
				unix.Close(fd)
				_ = unix.Unlink(args[0] + "/new")
			}
		}
	}
}

// diesMain starts processes and kills each in the middle of its calls, and then makes its own.
func diesMain(args []string) {
	n, _ := strconv.Atoi(args[1])
	for range n {
		cmd := exec.Command("/proc/self/exe")
		cmd.Args = []string{"raced", args[0]}
		if err := cmd.Start(); err != nil {
			fmt.Println(err)
			return
		}
		time.Sleep(3 * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	if err := os.WriteFile(args[0]+"/after", nil, 0o600); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("answered")
}

// A caller that is killed in the middle of a call takes it along: the next ones are answered, and
// no guarded file is changed.
func TestGuardCallerDies(t *testing.T) {
	p := Default(t.TempDir(), "")
	p.Require, p.Most = Base, Base
	p = guardedTree(t, p)
	ws := p.Write[0].Name
	p.Read = append(p.Read, Path{Name: self(t)})
	before := guardState(t, ws)
	from, in, _ := os.Pipe()
	process, _, err := Start(p, Command{Path: self(t),
		Argv:  []string{"dies", ws, fmt.Sprint(hermetic.Rounds(100))},
		Files: []*os.File{nil, in, in}})
	in.Close()
	must(t, err)
	said, _ := io.ReadAll(from)
	if _, err := process.Wait(); err != nil || string(said) != "answered\n" {
		t.Errorf("%v, %q", err, said)
	}
	if guardState(t, ws) != before {
		t.Error("a guarded file was changed")
	}
}
