package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker/network"
	"github.com/tada-run/tada-run/launcher/seccomp"
)

// nestedReachMain is a launcher in a sandbox of the kind that it wants to build.
func nestedReachMain([]string) {
	rule, _ := network.ParseRule("allowed.test")
	p := Readable()
	p.Network, p.Reach.Rules, p.Most = Hosts, []network.Rule{rule}, Base
	_, _, err := Start(p, Command{Path: "/bin/true", Argv: []string{"true"}})
	fmt.Println(errors.Is(err, ErrNoAnswers), err)
	p.Reach = network.Reach{Localhost: true}
	process, receipt, err := Start(p,
		Command{Path: "/bin/echo", Argv: []string{"echo", "ran"},
			Files: []*os.File{nil, os.Stdout, os.Stdout}})
	if err != nil {
		fmt.Println(err)
		return
	}
	process.Wait()
	for _, l := range receipt.Lost {
		if l.Protection == Localhost {
			fmt.Println("lost", l.Protection)
		}
	}
}

// Below another who answers, hosts are refused and a run that only wants this machine has no
// network.
func TestReachNested(t *testing.T) {
	p := Readable()
	p.Read = append(p.Read, Path{Name: self(t)})
	p.Network, p.Reach.Localhost, p.Most = Hosts, true, Base
	s, said, _ := talkAs(t, p, self(t), "nested-reach")
	if s.Shell() != 0 || !strings.Contains(said,
		"true connections cannot be limited to hosts here") ||
		!strings.Contains(said, "ran\nlost localhost") {
		t.Errorf("%d %s", s.Shell(), said)
	}
}

// belowMain becomes a program below a filter: "supervised" by one that passes a call to the process
// that holds the listener, whose number it prints, or "unheard" by one that hides whether calls can
// be passed on. Then it continues as a launcher that wants to name hosts.
func belowMain(args []string) {
	runtime.LockOSThread()
	filter, flags := seccomp.Compile(0, []seccomp.Rule{seccomp.On(unix.SYS_SECCOMP,
		seccomp.Errno(unix.EINVAL), seccomp.Arg(0, unix.SECCOMP_GET_NOTIF_SIZES))}), uintptr(0)
	if args[0] == "supervised" {
		rules := []seccomp.Rule{seccomp.On(unix.SYS_GETPGID, seccomp.Ask)}
		filter, flags = seccomp.Compile(0, rules), unix.SECCOMP_FILTER_FLAG_NEW_LISTENER
	}
	program := unix.SockFprog{Len: uint16(len(filter)),
		Filter: (*unix.SockFilter)(unsafe.Pointer(&filter[0]))}
	err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	listener, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags,
		uintptr(unsafe.Pointer(&program)))
	if err == nil && errno != 0 {
		err = errno
	}
	if flags != 0 && err == nil {
		fmt.Println(listener)
		_, _ = os.Stdin.Read(make([]byte, 1)) // until the supervisor has it
		group, bad := unix.Getpgid(0)
		fmt.Println("answered", group, bad)
	}
	if err == nil {
		err = unix.Exec("/proc/self/exe", []string{"nested-reach"}, nil)
	}
	fmt.Println(err)
}

// Below a foreign supervisor, which takes hold of the listener and answers by it, and where
// listeners are unknown, the sandbox does not claim what it cannot do: hosts are refused, and the
// rest continues without.
func TestReachBelow(t *testing.T) {
	for _, kind := range []string{"supervised", "unheard"} {
		cmd := exec.Command(self(t))
		cmd.Args = []string{"below", kind}
		out, err := cmd.StdoutPipe()
		must(t, err)
		in, err := cmd.StdinPipe()
		must(t, err)
		cmd.Stderr = cmd.Stdout
		must(t, cmd.Start())
		want := "true connections cannot be limited to hosts here: "
		if kind == "supervised" {
			var number int
			if _, err := fmt.Fscanln(out, &number); err != nil {
				t.Fatal(err)
			}
			pidfd, err := unix.PidfdOpen(cmd.Process.Pid, 0)
			must(t, err)
			listener, err := unix.PidfdGetfd(pidfd, number, 0)
			must(t, err)
			unix.Close(pidfd)
			go supervise(listener)
			want = "answered 4711 <nil>\n" + want
		}
		in.Close()
		said, _ := io.ReadAll(out)
		if err := cmd.Wait(); err != nil || !strings.HasPrefix(string(said), want) ||
			!strings.Contains(string(said), "only no network or all of it is possible") ||
			!strings.HasSuffix(string(said), "ran\nlost localhost\n") {
			t.Errorf("%s: %v %s", kind, err, said)
		}
	}
}

// supervise answers one call with 4711, and lets the others be made, until no process is left.
func supervise(listener int) {
	defer unix.Close(listener)
	for first := true; ; first = false {
		poll := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(poll, -1); err != nil && err != unix.EINTR ||
			poll[0].Revents&unix.POLLHUP != 0 {
			return
		}
		var n seccomp.Notification
		if seccomp.Listener(listener).Receive(&n) != nil {
			continue
		}
		a := seccomp.Answer{ID: n.ID, Flags: seccomp.Continue}
		if first {
			a = seccomp.Answer{ID: n.ID, Val: 4711}
		}
		_ = seccomp.Listener(listener).Send(&a)
	}
}
