package sandbox

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/broker/network"
)

// heldMain is a launcher of a run whose connections all wait, to an address that does not answer or
// for a person. It prints how much memory it has then, in KiB.
func heldMain(args []string) {
	n, _ := strconv.Atoi(args[1])
	level := Base
	if args[0] == Strong.String() {
		level = Strong
	}
	p := Readable()
	exe, err := os.Executable()
	p.Require, p.Most = level, level
	p.Network, p.Names, p.Read = Hosts, internet{}, append(p.Read, Path{Name: exe})
	rule, _ := network.ParseRule(args[2])
	rule.Local = true
	p.Reach.Rules = []network.Rule{rule}
	answer := make(chan struct{})
	p.Reach.Ask = func(ctx context.Context, _ network.Want) network.Word {
		select {
		case <-answer:
		case <-ctx.Done():
		}
		return network.Word{Why: "no"}
	}
	var process *Process
	if err == nil {
		process, _, err = Start(p, Command{Path: exe,
			Argv:  append([]string{"connects"}, args[1:]...),
			Files: []*os.File{nil, os.Stdout, os.Stdout}})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	ended := make(chan struct{})
	go func() {
		_, _ = process.Wait()
		close(ended)
	}()
	for runtime.NumGoroutine() < n { // at least one for each call
		select {
		case <-ended:
			fmt.Println("ended with", runtime.NumGoroutine())
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	debug.FreeOSMemory() // on a busy machine the collector comes late
	fmt.Println("held", anonymous())
	close(answer)
	_ = process.Signal(unix.SIGKILL)
	<-ended
}

// anonymous is how much memory this process has that is not of its file, in KiB.
func anonymous() string {
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(status), "RssAnon:")
	return strings.Fields(rest + " ?")[0]
}

// connectsMain connects from as many threads as it is told: each to a port of its own.
func connectsMain(args []string) {
	n, _ := strconv.Atoi(args[0])
	to := netip.MustParseAddrPort(args[2])
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
			port := int(to.Port())
			if args[3] == "each" {
				port += i
			}
			if err == nil {
				_ = unix.Connect(fd, &unix.SockaddrInet4{Addr: to.Addr().As4(), Port: port})
			}
		})
	}
	all.Wait()
}

// A thousand connections that wait take no more than 16 MB, for a person or for a host.
func TestHeldCalls(t *testing.T) {
	const held = 1000
	most := 16 << 10
	if hermetic.Raced {
		most *= 10
	}
	silent := stuck(t, [4]byte{127, 0, 1, 42})
	host := fmt.Sprintf("%s:%d", silent.addr, silent.port)
	for _, level := range []Level{Base, Strong} {
		for _, kind := range [][]string{
			{"203.0.113.1", "203.0.113.9:1000", "each"},
			{host, host, "one"},
		} {
			cmd := exec.Command(self(t))
			cmd.Args = append([]string{"held", level.String(), strconv.Itoa(held)}, kind...)
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			var size int
			if _, bad := fmt.Sscanf(string(out), "held %d", &size); err != nil || bad != nil ||
				size > most {
				t.Errorf("%v, %q: %v %q, want at most %d KiB", level, kind, err, out, most)
			}
			t.Logf("%v, %s: %d KiB with %d calls", level, kind[2], size, held)
		}
	}
}

// stoppedMain is a launcher of a run that connects as often as it is told to.
func stoppedMain(args []string) {
	p := Readable()
	exe, err := os.Executable()
	p.Network, p.Names, p.Read = Hosts, internet{}, append(p.Read, Path{Name: exe})
	p.Require, p.Most = Base, Base
	if args[0] == Strong.String() {
		p.Require, p.Most = Strong, Strong
	}
	rule, _ := network.ParseRule(args[1])
	rule.Local = true
	p.Reach.Rules = []network.Rule{rule}
	var process *Process
	if err == nil {
		process, _, err = Start(p, Command{Path: exe,
			Argv:  append([]string{"tries"}, args[1:]...),
			Files: []*os.File{os.Stdin, os.Stdout, os.Stdout}})
	}
	if err == nil {
		_, err = process.Wait()
	}
	fmt.Println(err)
}

// triesMain connects to the addresses that args are, and says what became of it, for each byte.
func triesMain(args []string) {
	for {
		if n, _ := os.Stdin.Read(make([]byte, 1)); n == 0 {
			return
		}
		fmt.Println("begin")
		for _, arg := range args {
			to := netip.MustParseAddrPort(arg)
			fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
			if err == nil {
				sa := &unix.SockaddrInet4{Addr: to.Addr().As4(), Port: int(to.Port())}
				err = unix.Connect(fd, sa)
				unix.Close(fd)
			}
			fmt.Println(err)
		}
	}
}

// While the launcher is stopped its run waits with its calls, none of which is let through; when
// it goes on they are answered as ever.
func TestStoppedLauncher(t *testing.T) {
	friend := hostSite(t, "127.0.1.43", pages("friend"))
	foe := hostSite(t, "127.0.1.44", pages("foe"))
	for _, level := range []Level{Base, Strong} {
		cmd := exec.Command(self(t))
		cmd.Args = []string{"stopped", level.String(),
			fmt.Sprintf("%s:%d", friend.addr, friend.port),
			fmt.Sprintf("%s:%d", foe.addr, foe.port)}
		in, err := cmd.StdinPipe()
		must(t, err)
		out, answers, err := os.Pipe()
		must(t, err)
		cmd.Stdout, cmd.Stderr = answers, answers
		must(t, cmd.Start())
		answers.Close()
		const want = "begin\n<nil>\npermission denied\n"
		said := make([]byte, len(want))
		for range 3 {
			_, _ = in.Write([]byte("x"))
			if _, err := io.ReadFull(out, said); err != nil || string(said) != want {
				t.Fatalf("%v: %v %q", level, err, said)
			}
			must(t, cmd.Process.Signal(unix.SIGSTOP))
			_, err := unix.Wait4(cmd.Process.Pid, nil, unix.WUNTRACED, nil)
			must(t, err)
			_, _ = in.Write([]byte("x"))
			if _, err := io.ReadFull(out, said[:6]); err != nil || string(said[:6]) != "begin\n" {
				t.Fatalf("%v: %v %q", level, err, said[:6])
			}
			must(t, out.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
			if n, _ := out.Read(said); n > 0 {
				t.Errorf("%v: answered while the launcher is stopped: %q", level, said[:n])
			}
			must(t, out.SetReadDeadline(time.Time{}))
			must(t, cmd.Process.Signal(unix.SIGCONT))
			if _, err := io.ReadFull(out, said[6:]); err != nil || string(said) != want {
				t.Errorf("%v: %v %q", level, err, said)
			}
		}
		in.Close()
		rest, _ := io.ReadAll(out)
		if err := cmd.Wait(); err != nil || string(rest) != "<nil>\n" {
			t.Errorf("%v: %v %q", level, err, rest)
		}
	}
}
