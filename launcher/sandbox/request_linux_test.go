//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/tada-run/tada-run/launcher/broker"
)

// knocks asks for the request socket from a process that has closed all that it inherited, writes
// to what it gets, and then asks for what the same call is made for: the descriptors of other
// processes.
const knocks = `
import ctypes, os
os.closerange(3, 1024)
call = ctypes.CDLL(None, use_errno=True).syscall
fd = call(438, -1, 0x74616461, 0)
if fd >= 0:
    print("open", os.get_inheritable(fd), os.write(fd, b"knock"))
else:
    print("shut")
for args in [(-1, 0, 0), (os.getpid(), 0x74616461, 0), (os.pidfd_open(os.getpid()), 0, 0)]:
    if call(438, *args) >= 0:
        print("another's", args)
`

// A process that inherited nothing gets the request socket of its run, at both levels, with a
// network and without.
func TestRequestSocket(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		for _, network := range []Network{Off, Hosts} {
			p.Network = network
			for _, with := range []bool{true, false} {
				r, w, err := os.Pipe()
				must(t, err)
				defer r.Close()
				c := Command{}
				want := "shut\n"
				if with {
					c.Request, want = w, "open False 5\n"
				}
				level, said := through(t, p, c)
				w.Close()
				heard, err := io.ReadAll(r)
				if said != want || level != p.Most || err != nil ||
					(string(heard) == "knock") != with {
					t.Errorf("network %v, request socket %v: %v %q %q %v", network, with, level,
						said, heard, err)
				}
			}
		}
	})
}

// through runs knocks and returns the level that was reached and what was printed.
func through(t *testing.T, p Profile, c Command) (Level, string) {
	t.Helper()
	out, in, err := os.Pipe()
	must(t, err)
	defer out.Close()
	c.Path, c.Argv, c.Env, c.Files = "/usr/bin/python3", []string{"python3", "-c", knocks},
		[]string{"PATH=/usr/bin:/bin"}, []*os.File{nil, in, in}
	process, receipt, err := Start(p, c)
	in.Close()
	must(t, err)
	said, _ := io.ReadAll(out)
	if _, err := process.Wait(); err != nil {
		t.Error(err)
	}
	return receipt.Level, string(said)
}

// requestMain is a launcher in a sandbox with a request socket, which wants one of its own.
func requestMain([]string) {
	p := Default("", "")
	p.Most = Base
	process, receipt, err := Start(p,
		Command{Path: "/usr/bin/python3", Argv: []string{"python3", "-c", knocks},
			Files: []*os.File{nil, os.Stdout, os.Stderr}, Request: os.Stdout})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = process.Wait()
	fmt.Println(receipt.Level, err)
}

// Where another program answers already, a run goes on without a request socket, at the level that
// it has; nor has it the other's.
func TestRequestBelowAnother(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		p.Read = append(p.Read, Path{Name: self(t)})
		out, in, err := os.Pipe()
		must(t, err)
		defer out.Close()
		process, _, err := Start(p, Command{Path: self(t), Argv: []string{"request"},
			Files: []*os.File{nil, in, in}, Request: in})
		in.Close()
		must(t, err)
		said, _ := io.ReadAll(out)
		_, _ = process.Wait()
		if string(said) != "shut\nbase <nil>\n" {
			t.Errorf("%q", said)
		}

		ll, err := queryLandlock() // such a one that leaves namespaces alone
		must(t, err)
		with := func(level Level) *builder {
			return &builder{attempt: attempt{profile: p,
				command:  Command{Path: "/bin/true", Argv: []string{"true"}, Request: os.Stdin},
				landlock: ll, level: level}}
		}
		h := &Held{base: with(Base), now: with(p.Most)}
		must(t, h.from(&SetupError{listenStep, errors.New("another answers")}))
		defer h.Cancel()
		if h.now.level != p.Most || h.now.command.Request != nil {
			t.Errorf("%v instead of %v, request socket %v", h.now.level, p.Most,
				h.now.command.Request)
		}
	})
	if _, err := broker.RequestSocket(); !errors.Is(err, broker.ErrNoRequestSocket) {
		t.Errorf("outside of a fence: %v", err)
	}
}
