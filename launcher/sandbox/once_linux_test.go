package sandbox

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// onceMain is the one program. It tries every way to become, or to start, another.
func onceMain() {
	raw := func(nr uintptr, args ...uintptr) unix.Errno {
		var a [6]uintptr
		copy(a[:], args)
		_, _, errno := unix.RawSyscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5])
		return errno
	}
	path, _ := unix.BytePtrFromString("/bin/true")
	argv := []*byte{path, nil}
	p, v := uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(&argv[0]))
	tell := func(what string, err error) { fmt.Printf("%s: %v\n", what, err) }
	tell("execve", raw(unix.SYS_EXECVE, p, v, 0))
	tell("execve of itself", unix.Exec("/proc/self/exe", []string{"once"}, nil))
	tell("vfork and execve", exec.Command("/bin/true").Run())
	tell("the loader", exec.Command("/lib64/ld-linux-x86-64.so.2", "/bin/true").Run())
	for _, guess := range []uintptr{1, ^uintptr(0), 1 << 63, uintptr(os.Getpid())} {
		tell("a guessed number", raw(unix.SYS_EXECVE, p, v, 0, guess, guess, guess))
	}
	f, err := os.Open("/bin/true")
	if err == nil {
		empty, _ := unix.BytePtrFromString("")
		tell("execveat", raw(unix.SYS_EXECVEAT, f.Fd(), uintptr(unsafe.Pointer(empty)), v, 0,
			unix.AT_EMPTY_PATH))
		if fd, err := unix.MemfdCreate("x", 0); err == nil {
			m := os.NewFile(uintptr(fd), "x")
			_, _ = io.Copy(m, f)
			tell("execveat of memory",
				raw(unix.SYS_EXECVEAT, uintptr(fd), uintptr(unsafe.Pointer(empty)), v, 0,
					unix.AT_EMPTY_PATH))
			tell("execve of memory",
				unix.Exec(fmt.Sprintf("/proc/self/fd/%d", fd), []string{"true"}, nil))
		}
	}
	fmt.Println("end")
}

// D-quar-7: with OneProgram nothing is executed but the command, by whatever call and from whatever
// place; the command itself may be a script, a name or a descriptor.
func TestOneProgram(t *testing.T) {
	for _, level := range []Level{Base, Strong} {
		w := newWorld(t)
		p := w.profile(t, level)
		p.OneProgram = true
		run := func(c Command) (string, Status) {
			t.Helper()
			out, in, err := os.Pipe()
			must(t, err)
			c.Files, c.Env = []*os.File{nil, in, in}, []string{"PATH=/usr/bin:/bin"}
			process, receipt, err := Start(p, c)
			in.Close()
			must(t, err)
			text, _ := io.ReadAll(out)
			s, err := process.Wait()
			must(t, err)
			if !strings.Contains(strings.Join(receipt.Proven, ","),
				"another program, by a descriptor") {
				t.Errorf("%v: proven is %q", level, receipt.Proven)
			}
			return string(text), s
		}
		text, s := run(Command{Path: self(t), Argv: []string{"once"}})
		if s.Shell() != 0 || !strings.HasSuffix(text, "end\n") {
			t.Errorf("%v: status %d\n%s", level, s.Shell(), text)
		}
		lines := strings.Split(strings.TrimSuffix(text, "end\n"), "\n")
		for _, line := range lines[:len(lines)-1] {
			if !strings.Contains(line, "permission denied") &&
				!strings.Contains(line, "no such file") {
				t.Errorf("%v: %s", level, line)
			}
		}
		if len(lines) < 10 {
			t.Errorf("%v: too little was tried:\n%s", level, text)
		}

		script := w.Workspace + "/script"
		must(t, hermetic.WriteProgram(script,
			[]byte("#!/bin/bash\necho script; /bin/echo other; exec /bin/echo third\n"), 0o755))
		if text, s := run(Command{Path: script, Argv: []string{"script"}}); s.Shell() != 126 ||
			!strings.HasPrefix(text, "script\n") || strings.Contains(text, "\nother") ||
			strings.Contains(text, "\nthird") {
			t.Errorf("%v: a script: status %d\n%s", level, s.Shell(), text)
		}
		bash, err := os.Open("/bin/bash")
		must(t, err)
		if text, s := run(Command{Exe: bash,
			Argv: []string{"bash", "-c",
				"echo by descriptor; (echo fork); /bin/true"}}); s.Shell() != 126 ||
			!strings.HasPrefix(text, "by descriptor\nfork\n") {
			t.Errorf("%v: a descriptor: status %d\n%s", level, s.Shell(), text)
		}
		bash.Close()
	}
}
