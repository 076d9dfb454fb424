package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// levels runs a test at each level.
func levels(t *testing.T, f func(t *testing.T, p Profile)) {
	for _, level := range []Level{Base, Strong} {
		t.Run(level.String(), func(t *testing.T) {
			t.Parallel()
			p := Default(t.TempDir(), "")
			p.Require, p.Most = level, level
			f(t, p)
		})
	}
}

// shell runs a script and returns its status and what it printed.
func shell(t *testing.T, p Profile, script string, files ...*os.File) (Status, string) {
	t.Helper()
	out, in, err := os.Pipe()
	must(t, err)
	defer out.Close()
	process, _, err := Start(p, Command{Path: "/bin/bash", Argv: []string{"bash", "-c", script},
		Env: []string{"PATH=/usr/bin:/bin"}, Files: append([]*os.File{nil, in, in}, files...)})
	in.Close()
	must(t, err)
	text, _ := io.ReadAll(out)
	s, err := process.Wait()
	must(t, err)
	return s, string(text)
}

// Every exit code and every deadly signal is told as it was.
func TestStatus(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		for _, code := range []int{0, 1, 2, 126, 127, 128, 255} {
			if s, _ := shell(t, p, fmt.Sprintf("exit %d", code)); !s.Exited || s.Code != code ||
				s.Shell() != code || s.Signal != 0 {
				t.Errorf("exit %d: %+v", code, s)
			}
		}
		p.Limits = Limits{CPU: 10}
		for _, sig := range []syscall.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGKILL, unix.SIGPIPE,
			unix.SIGTERM, unix.SIGUSR1, unix.SIGSEGV, 34, 64} {
			if s, _ := shell(t, p, fmt.Sprintf("ulimit -c 0; kill -%d $$", sig)); s.Exited ||
				s.Signal != sig || s.Shell() != 128+int(sig) || s.CoreDump {
				t.Errorf("signal %d: %+v", sig, s)
			}
		}
	})
}

func TestUsage(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		s, _ := shell(t, p, "for ((i=0;i<20000;i++)); do :; done")
		if s.UserTime <= 0 || s.MaxMemory < 1<<20 {
			t.Errorf("%+v", s)
		}
	})
}

// Stops and continues are told one by one, and a stopped command can be killed.
func TestJobControl(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		master, slave, err := pty.Open()
		must(t, err)
		defer master.Close()
		process, _, err := Start(p, Command{Path: "/bin/bash",
			Argv:  []string{"bash", "-c", "kill -TSTP $$; read; kill -STOP $$; exit 3"},
			Files: []*os.File{slave, slave, slave}, HasTTY: true})
		slave.Close()
		must(t, err)
		for _, want := range []syscall.Signal{unix.SIGTSTP, unix.SIGSTOP} {
			s, err := process.Next()
			if err != nil || s.Stopped != want || s.Ended() {
				t.Fatalf("want %v: %+v %v", want, s, err)
			}
			must(t, process.SignalGroup(unix.SIGCONT))
			if want == unix.SIGSTOP {
				break // the kernel reports the end instead, if that comes before the question
			}
			if s, err = process.Next(); err != nil || !s.Continued {
				t.Fatalf("want continued: %+v %v", s, err)
			}
			master.WriteString("\n")
		}
		s, err := process.Wait()
		if err != nil || s.Code != 3 {
			t.Errorf("%+v %v", s, err)
		}
		if again, err := process.Wait(); !reflect.DeepEqual(again, s) || err != nil {
			t.Errorf("second answer %+v %v", again, err)
		}
		if err := process.Signal(unix.SIGTERM); !errors.Is(err, os.ErrProcessDone) {
			t.Errorf("signal after the end: %v", err)
		}
	})
}

// With a terminal the child is its foreground job, and can be stopped and interrupted from it.
func TestTerminal(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		master, slave, err := pty.Open()
		must(t, err)
		defer master.Close()
		process, _, err := Start(p, Command{
			Path: "/bin/bash", Argv: []string{"bash", "-c",
				"tty; echo hi > /dev/tty; read -a s < /proc/$$/stat; ((s[4] == s[7])) && echo foreground || echo ${s[@]}; read x; echo got $x; read x; echo awake; sleep 100"}, Env: []string{"PATH=/usr/bin:/bin"},
			Files: []*os.File{slave, slave, slave}, TTY: 1, HasTTY: true,
		})
		must(t, err)
		slave.Close()
		var text []byte
		until := func(want string) {
			t.Helper()
			for b := make([]byte, 256); !bytes.Contains(text, []byte(want)); {
				n, err := master.Read(b)
				if text = append(text, b[:n]...); err != nil ||
					bytes.Count(text, []byte("\n")) > 5 {
					t.Fatalf("%q %v", text, err)
				}
			}
			_, text, _ = bytes.Cut(text, []byte(want))
		}
		until("/dev/pts/")
		until("hi\r\n")
		until("foreground\r\n")
		master.WriteString("line\n")
		until("got line\r\n")
		master.WriteString("\x1a") // Ctrl-Z stops the group
		if s, err := process.Next(); err != nil || s.Stopped != unix.SIGTSTP {
			t.Errorf("Ctrl-Z: %+v %v", s, err)
		}
		must(t, process.SignalGroup(unix.SIGCONT))
		if s, err := process.Next(); err != nil || !s.Continued {
			t.Errorf("continue: %+v %v", s, err)
		}
		master.WriteString("\n")
		until("awake\r\n")
		master.WriteString("\x03") // Ctrl-C ends it
		if s, err := process.Wait(); err != nil || s.Signal != unix.SIGINT {
			t.Errorf("Ctrl-C: %+v %v", s, err)
		}
	})
}

// Only what Files names is inherited, at its number; nil is closed.
func TestDescriptors(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		leaked := leak(t)
		extra, in, _ := os.Pipe()
		in.WriteString("five\n")
		in.Close()
		// The shell opens the folder with one descriptor more than it names.
		s, out := shell(t, p, "for f in /proc/self/fd/*; do n=${f##*/}; [ -e /proc/self/fd/$n ] && echo -n $n,; done; read x <&5; echo $x", nil, nil, extra)
		if s.Shell() != 0 || out != "1,2,5,five\n" {
			t.Errorf("%+v %q", s, out)
		}
		_ = leaked
	})
}

func TestWorkingDirectory(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		name := p.Write[0].Name
		for _, sub := range []string{"", "/a b", "/\xff\n"} {
			must(t, os.MkdirAll(name+sub, 0o700))
			dir, err := os.Open(name + sub)
			must(t, err)
			out, in, _ := os.Pipe()
			process, _, err := Start(p,
				Command{Path: "/bin/bash",
					Argv: []string{"bash", "-c", "echo -n \"$PWD\"; echo x > made"}, Dir: dir,
					Files: []*os.File{nil, in, in}})
			in.Close()
			must(t, err)
			text, _ := io.ReadAll(out)
			process.Wait()
			if string(text) != name+sub {
				t.Errorf("%q %q", text, name+sub)
			}
			if _, err := os.Stat(name + sub + "/made"); err != nil {
				t.Error(err)
			}
		}
	})
}

// What a shell exits with when it cannot execute is told apart, and is not a broken sandbox.
func TestExecErrors(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		dir := p.Write[0].Name
		must(t, os.WriteFile(dir+"/plain", []byte("data"), 0o600))
		must(t, hermetic.WriteProgram(dir+"/garbage", []byte{1, 2, 3}, 0o700))
		must(t, hermetic.WriteProgram(dir+"/orphan", []byte("#!/no/such\n"), 0o700))
		must(t, hermetic.WriteProgram(dir+"/script", []byte("#!/bin/sh\nexit 7\n"), 0o700))
		for _, test := range []struct {
			path   string
			errno  syscall.Errno
			status int
		}{
			{dir + "/none", unix.ENOENT, 127}, {dir + "/plain", unix.EACCES, 126},
			{dir, unix.EACCES, 126},
			{dir + "/garbage", unix.ENOEXEC, 126}, {dir + "/orphan", unix.ENOENT, 127},
			{"", unix.ENOENT, 127},
		} {
			_, _, err := Start(p, Command{Path: test.path, Argv: []string{"x"}})
			var failed *ExecError
			if !errors.As(err, &failed) || !errors.Is(err, test.errno) ||
				failed.ExitStatus() != test.status {
				t.Errorf("%q: %v", test.path, err)
			}
		}
		process, _, err := Start(p, Command{Path: dir + "/script", Argv: []string{"x"}})
		for errors.Is(err, unix.ETXTBSY) {
			process, _, err = Start(p, Command{Path: dir + "/script", Argv: []string{"x"}})
		}
		must(t, err)
		if s, _ := process.Wait(); s.Code != 7 {
			t.Errorf("%+v", s)
		}
	})
}

// The file that was judged is the file that runs, whatever has taken its name since.
func TestExe(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		dir := p.Write[0].Name
		text, err := os.ReadFile("/bin/true")
		must(t, err)
		must(t, hermetic.WriteProgram(dir+"/judged", text, 0o700))
		fd, err := unix.Open(dir+"/judged", unix.O_PATH|unix.O_CLOEXEC, 0)
		must(t, err)
		exe := os.NewFile(uintptr(fd), "judged")
		defer exe.Close()
		must(t, os.Remove(dir+"/judged"))
		must(t, hermetic.WriteProgram(dir+"/judged", []byte("#!/bin/sh\nexit 9\n"), 0o700))
		process, _, err := Start(p, Command{Path: dir + "/judged", Exe: exe,
			Argv: []string{"true"}})
		for errors.Is(err, unix.ETXTBSY) {
			// another test's fork still has our descriptor for writing
			process, _, err = Start(p,
				Command{Path: dir + "/judged", Exe: exe, Argv: []string{"true"}})
		}
		must(t, err)
		if s, _ := process.Wait(); s.Shell() != 0 {
			t.Errorf("%+v", s)
		}
		// A script can only be opened by name.
		script, err := os.Open(dir + "/judged")
		must(t, err)
		defer script.Close()
		process, _, err = Start(p, Command{Path: dir + "/judged", Exe: script, Argv: []string{"x"}})
		must(t, err)
		if s, _ := process.Wait(); s.Code != 9 {
			t.Errorf("%+v", s)
		}
	})
}

// A rule is about the object that was judged, and so follows it and not its name.
func TestRuleByFile(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		top := t.TempDir()
		must(t, os.Mkdir(top+"/judged", 0o700))
		must(t, os.WriteFile(top+"/judged/f", []byte("judged"), 0o600))
		must(t, os.Mkdir(top+"/other", 0o700))
		must(t, os.WriteFile(top+"/other/f", []byte("other"), 0o600))
		fd, err := unix.Open(top+"/judged", unix.O_PATH|unix.O_CLOEXEC, 0)
		must(t, err)
		file := os.NewFile(uintptr(fd), top+"/judged")
		defer file.Close()
		must(t, os.Rename(top+"/judged", top+"/moved"))
		must(t, os.Symlink(top+"/other", top+"/judged"))
		p.Read = append(p.Read, Path{Name: top + "/judged", File: file})
		if _, out := shell(t, p, "cat "+top+"/judged/f 2>&1; cat "+top+
			"/moved/f"); strings.Contains(out, "other") || !strings.HasSuffix(out, "judged") {
			t.Errorf("%q", out)
		}
	})
}

// C-3.1.5, C-3.1.6: hidden is out of reach for every program, read-only stays as it is, and no file
// is left behind.
func TestHide(t *testing.T) {
	top := t.TempDir()
	for _, f := range []string{"/home/u/.ssh/key", "/home/u/.rc", "/home/u/notes",
		"/home/u/sub/deep/secret", "/home/u/sub/open", "/home/v/x"} {
		must(t, os.MkdirAll(filepath.Dir(top+f), 0o700))
		must(t, os.WriteFile(top+f, []byte("+"), 0o600))
	}
	before := tree(top)
	levels(t, func(t *testing.T, p Profile) {
		p.Read = append(p.Read, Path{Name: top + "/home"})
		p.Hide = []string{top + "/home/u/.ssh", top + "/home/u/.rc", top + "/home/u/sub/deep",
			top + "/home/u/none"}
		_, out := shell(t, p, "cd "+top+
			"/home; for f in u/.ssh/key u/.rc u/notes u/sub/deep/secret u/sub/open v/x; do cat $f 2>/dev/null || echo -n -; done; ls u")
		if out != "--+-++notes\nsub\n" {
			t.Errorf("%q", out)
		}
	})
	t.Cleanup(func() {
		if after := tree(top); after != before {
			t.Errorf("left behind: %s", after)
		}
	})
}

func tree(top string) string {
	var b bytes.Buffer
	filepath.Walk(top, func(name string, info os.FileInfo, err error) error {
		fmt.Fprintln(&b, name, info.Mode(), info.Size())
		return err
	})
	return b.String()
}

// The whole machine readable does not mean its devices: disks, and terminals with what others type
// there.
func TestReadEverything(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		p.Read = append(p.Read, Path{Name: "/"})
		other := terminal(t)
		s, out := shell(t, p, "ls / >/dev/null && ls /dev >/dev/null && cat /etc/hosts >/dev/null && cat /proc/self/stat >/dev/null && echo ok; for f in "+other.Name()+" /dev/ptmx /dev/[sv]da /dev/mem; do [ -e $f ] && : <$f && echo opened $f; done 2>/dev/null; exit 0")
		if s.Shell() != 0 || out != "ok\n" {
			t.Errorf("%+v %q", s, out)
		}
		p.Hide = []string{t.TempDir()}
		must(t, os.WriteFile(p.Hide[0]+"/x", []byte("secret"), 0o600))
		if _, out := shell(t, p, "cat /etc/hosts >/dev/null && cat "+p.Hide[0]+"/x; : <"+
			other.Name()+" && echo opened"); strings.Contains(out, "secret") ||
			strings.Contains(out, "opened") || strings.Count(out, "denied") != 2 {
			t.Errorf("%q", out)
		}
	})
}

// What is hidden in a writable tree stays so, and its folder where it is.
func TestHideInWritable(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		ws := p.Write[0].Name
		must(t, os.MkdirAll(ws+"/conf/deep", 0o700))
		must(t, os.WriteFile(ws+"/conf/deep/.env", []byte("secret"), 0o600))
		p.Hide = []string{ws + "/conf/deep/.env"}
		_, out := shell(t, p, "cd "+ws+
			"; cat conf/deep/.env; mv conf x; mv conf/deep x; rm conf/deep/.env; chmod 600 conf/deep/.env; echo y > conf/deep/new; mv conf/deep/new conf/new; cat conf/new")
		if strings.Contains(out, "secret") || strings.Count(out, "busy") != 3 ||
			!strings.HasSuffix(out, "y\n") {
			t.Errorf("%q", out)
		}
	})
}

// A folder and what lies in it may both be hidden, in any order: neither is found, and what is
// beside them is.
func TestHideAFolderAndWhatIsInIt(t *testing.T) {
	p := Default(t.TempDir(), "")
	p.Require = Strong
	if Probe().Level != Strong {
		t.Skip("needs namespaces, which this machine does not allow")
	}
	ws := p.Write[0].Name
	must(t, os.MkdirAll(ws+"/state/audit", 0o700))
	must(t, os.WriteFile(ws+"/state/audit/log", []byte("secret"), 0o600))
	must(t, os.WriteFile(ws+"/seen", []byte("seen"), 0o600))
	p.Hide = []string{ws + "/state/audit/log", ws + "/state", ws + "/state/audit"}
	for range p.Hide {
		p.Hide = append(p.Hide[1:], p.Hide[0])
		if _, out := shell(t, p, "cd "+ws+
			"; cat seen; cat state/audit/log; ls state"); !strings.HasPrefix(out, "seen") ||
			strings.Contains(out, "secret") || strings.Contains(out, "audit\n") {
			t.Errorf("%v: %q", p.Hide, out)
		}
	}
}

// A protection that must hold refuses the start when the level has lost it.
func TestMust(t *testing.T) {
	p := Default(t.TempDir(), "")
	p.Must, p.Most = []Protection{Processes}, Base
	if _, _, err := Start(p, Command{Path: "/bin/true", Argv: []string{"true"}}); !errors.Is(err,
		ErrUnsupported) || !strings.Contains(fmt.Sprint(err), "processes") {
		t.Errorf("%v", err)
	}
	p.Most = Strong
	process, receipt, err := Start(p, Command{Path: "/bin/true", Argv: []string{"true"}})
	must(t, err)
	process.Wait()
	if receipt.Level != Strong || len(receipt.Lost) != 0 || len(receipt.Proven) < 10 ||
		receipt.Landlock == 0 || receipt.Profile != p.Digest() || receipt.Kernel == "" {
		t.Errorf("%+v", receipt)
	}
	p.Must, p.Require, p.Most = nil, Strong, Base
	if _, _, err := Start(p, Command{Path: "/bin/true"}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("%v", err)
	}
	p.Require, p.Most, p.Network = None, None, Full+1
	if _, _, err := Start(p, Command{Path: "/bin/true"}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("%v", err)
	}
}

// The zero profile allows nothing: not even the loader can be read.
func TestZeroProfile(t *testing.T) {
	_, _, err := Start(Profile{}, Command{Path: "/bin/true", Argv: []string{"true"}})
	var failed *ExecError
	if !errors.As(err, &failed) || !errors.Is(err, unix.EACCES) {
		t.Errorf("%v", err)
	}
}

func TestNetworkFull(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		address := serve(t, "tcp4", "127.0.0.1:0")
		port := address[strings.LastIndex(address, ":")+1:]
		script := "exec 3<>/dev/tcp/127.0.0.1/" + port + " && echo x >&3 && head -1 <&3"
		if s, out := shell(t, p, script); s.Shell() == 0 {
			t.Errorf("off: %q", out)
		}
		p.Network = Full
		if s, out := shell(t, p, script); s.Shell() != 0 || out != "x\n" {
			t.Errorf("full: %+v %q", s, out)
		}
	})
}

// Privilege is gone for good: no capability in any set, root or not.
func TestCapabilities(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		_, out := shell(t, p, "while read k v; do case $k in Cap*|NoNewPrivs:|Seccomp:) echo $k$v;; esac; done < /proc/self/status")
		for line := range strings.Lines(out) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
			want := strings.Repeat("0", 16)
			switch {
			case key == "NoNewPrivs":
				want = "1"
			case key == "Seccomp":
				want = "2"
			case key == "CapBnd" && p.Most == Base && os.Geteuid() != 0:
				continue // an ordinary user cannot drop what it cannot use
			}
			if value != want {
				t.Errorf("%s is %s", key, value)
			}
		}
		if !strings.Contains(out, "CapAmb") {
			t.Errorf("%q", out)
		}
	})
}

func TestProbe(t *testing.T) {
	r := Probe()
	if r.Level != Strong || r.Landlock < 6 {
		t.Errorf("%+v", r)
	}
	for _, f := range r.Findings {
		if f.OK == (f.Fix != "") || f.Detail == "" || f.Name == "" {
			t.Errorf("%+v", f)
		}
	}
	if len(r.Lost) != 0 {
		t.Errorf("strong has lost %v", r.Lost)
	}
	ll, err := queryLandlock()
	must(t, err)
	loses := func(what Protection) bool {
		return slices.ContainsFunc(losses(ll, Base),
			func(l Loss) bool { return l.Protection == what && l.Why != "" })
	}
	if !loses(Processes) || loses(Keeping) {
		t.Errorf("of base doctor says %v", losses(ll, Base))
	}
	file := t.TempDir() + "/level"
	if l := Remembered(file); l != r.Level {
		t.Error(l)
	}
	text, _ := os.ReadFile(file)
	must(t, os.WriteFile(file, bytes.Replace(text, []byte("strong"), []byte("base"), 1), 0o600))
	if l := Remembered(file); l != Base {
		t.Errorf("remembered %v from %q", l, text)
	}
	must(t, os.WriteFile(file, []byte("another-boot 0 base\n"), 0o600))
	if l := Remembered(file); l != r.Level {
		t.Error(l)
	}
	must(t, os.Remove(file))
	must(t, unix.Mkfifo(file, 0o600)) // it holds no one
	if l := Remembered(file); l != r.Level {
		t.Error(l)
	}
}

// Many starts at once: forks of one run must not hold another's lifeline or report open.
func TestConcurrent(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		errs := make(chan error)
		for range 8 {
			go func() {
				for range 10 {
					process, _, err := Start(p, Command{Path: "/bin/true", Argv: []string{"true"}})
					if err == nil {
						_, err = process.Wait()
					}
					errs <- err
				}
			}()
		}
		for range 80 {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
	})
}

// What is to be inherited keeps its number, beside files that are placed, and nothing else comes
// along.
func TestInherit(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		var given, other [2]int
		must(t, unix.Pipe(given[:])) // as a caller has them: an exec passes them on
		must(t, unix.Pipe(other[:]))
		defer func() {
			for _, fd := range []int{given[0], other[0], other[1]} {
				unix.Close(fd)
			}
		}()
		out, in, err := os.Pipe()
		must(t, err)
		const placed = 99
		files := make([]*os.File, placed+1)
		files[1], files[placed] = in, in
		script := fmt.Sprintf("echo through >&%d; echo placed >&%d; for fd in %d %d; do { true >&$fd; } 2>&- && echo leaked $fd; done; true", given[1], placed, other[0], other[1])
		process, _, err := Start(p, Command{Path: "/bin/bash", Argv: []string{"bash", "-c", script},
			Files: files, Inherit: []int{given[1]}})
		in.Close()
		unix.Close(given[1])
		must(t, err)
		text, _ := io.ReadAll(out)
		if s, err := process.Wait(); err != nil || s.Code != 0 {
			t.Errorf("%+v %v", s, err)
		}
		var b [16]byte
		n, err := unix.Read(given[0], b[:])
		if string(b[:max(n, 0)]) != "through\n" || string(text) != "placed\n" {
			t.Errorf("%q %v, %q", b[:max(n, 0)], err, text)
		}
		if n, err := unix.Read(given[0], b[:]); n != 0 || err != nil { // it is closed everywhere
			t.Errorf("%d %v", n, err)
		}
	})
}
