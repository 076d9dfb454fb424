package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/broker"
	"github.com/tada-run/tada-run/launcher/seccomp"
)

// kernels are older or stricter ones, played by a filter on the launcher: what it may not call,
// they do not have.
var kernels = map[string][]seccomp.Rule{
	"no Landlock": {seccomp.On(unix.SYS_LANDLOCK_CREATE_RULESET,
		seccomp.Errno(unix.ENOSYS))},
	"Landlock switched off": {seccomp.On(unix.SYS_LANDLOCK_CREATE_RULESET,
		seccomp.Errno(unix.EOPNOTSUPP))},
	"no namespaces": {seccomp.On(unix.SYS_CLONE, seccomp.Errno(unix.EPERM),
		seccomp.Bits(0, unix.CLONE_NEWUSER)),
		seccomp.On(unix.SYS_CLONE3, seccomp.Errno(unix.ENOSYS)),
		seccomp.On(unix.SYS_UNSHARE, seccomp.Errno(unix.EPERM),
			seccomp.Bits(0, unix.CLONE_NEWUSER))},
	"no mounts": {seccomp.On(unix.SYS_MOUNT, seccomp.Errno(unix.EPERM))},
	"no new mount calls": {seccomp.On(unix.SYS_OPEN_TREE, seccomp.Errno(unix.ENOSYS)),
		seccomp.On(unix.SYS_MOUNT_SETATTR, seccomp.Errno(unix.ENOSYS))},
	"no listener": {seccomp.On(unix.SYS_SECCOMP, seccomp.Errno(unix.EOPNOTSUPP),
		seccomp.Arg(0, unix.SECCOMP_GET_NOTIF_SIZES))},
	"no seccomp":               {seccomp.On(unix.SYS_SECCOMP, seccomp.Errno(unix.EINVAL))},
	"no capset":                {seccomp.On(unix.SYS_CAPSET, seccomp.Errno(unix.EPERM))},
	"no signals by descriptor": {seccomp.On(unix.SYS_PIDFD_SEND_SIGNAL, seccomp.Errno(unix.EPERM))},
	"no messages":              {seccomp.On(unix.SYS_RECVMSG, seccomp.Errno(unix.EPERM))},
	"no look at the dead":      {seccomp.On(unix.SYS_WAITID, seccomp.Errno(unix.EPERM))},
	"no process descriptors":   {seccomp.On(unix.SYS_PIDFD_OPEN, seccomp.Errno(unix.EPERM))},
	"no end of a pipe":         {seccomp.On(unix.SYS_CLOSE, seccomp.Errno(unix.EPERM))},
	"no memory of others":      {seccomp.On(unix.SYS_PROCESS_VM_READV, seccomp.Errno(unix.EPERM))},
	"no burial":                {seccomp.On(unix.SYS_WAIT4, seccomp.Errno(unix.EPERM))},
	"all there":                {},
}

// kernelMain starts a command on such a kernel and says what became of it.
func kernelMain(args []string) {
	program := seccomp.Compile(0, kernels[args[0]])
	prog := unix.SockFprog{Len: uint16(len(program)),
		Filter: (*unix.SockFilter)(unsafe.Pointer(&program[0]))}
	runtime.LockOSThread()
	unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog))); errno != 0 {
		fmt.Println("the filter was refused:", errno)
		return
	}
	p := Default(args[2], "")
	switch args[1] {
	case "strong":
		p.Require = Strong
	case "hosts":
		p.Network = Hosts
	case "view": // of another directory: every call comes to the broker all the same
		p.View = &broker.View{Dirs: []string{"/var/tmp"}}
	}
	process, receipt, err := Start(p,
		Command{Path: "/bin/bash", Argv: []string{"bash", "-c", "echo ran > " + args[2] + "/ran"}})
	var setup *SetupError
	if err != nil {
		fmt.Println("refused", errors.Is(err, ErrUnsupported) || errors.As(err, &setup),
			strings.Count(err.Error(), "\n")+1)
		return
	}
	s, err := process.Wait()
	fmt.Println(receipt.Level, lost(receipt, Namespaces), lost(receipt, Metadata), s.Shell(), err)
}

// A kernel that lacks something: the next level that can be had, which the receipt tells, or
// nothing runs and one line says why.
func TestKernels(t *testing.T) {
	for _, test := range []struct{ kernel, require, want string }{
		{"no Landlock", "any", "refused true 1"},
		{"Landlock switched off", "any", "refused true 1"}, {"no seccomp", "any", "refused true 1"},
		{"no namespaces", "any", "base true false 0 <nil>"},
		{"no namespaces", "strong", "refused true 1"},
		{"no mounts", "any", "base true false 0 <nil>"}, {"no mounts", "strong", "refused true 1"},
		{"no new mount calls", "any", "base true false 0 <nil>"},
		{"no listener", "strong", "strong false false 0 <nil>"},
		{"no capset", "any", "refused true 1"}, {"no capset", "hosts", "refused true 1"},
		{"no signals by descriptor", "strong", "strong false false 0 <nil>"},
		{"no signals by descriptor", "hosts", "strong false false 0 <nil>"},
		{"no messages", "hosts", "refused true 1"},
		{"no look at the dead", "strong", "refused true 1"},
		{"no process descriptors", "any", "refused true 1"},
		{"no end of a pipe", "any", "refused true 1"},
		{"no end of a pipe", "hosts", "refused true 1"}, {"no burial", "any", "refused true 1"},
		{"no burial", "strong", "refused true 1"},
		{"no memory of others", "view", "strong false false 0 <nil>"},
		{"all there", "strong", "strong false false 0 <nil>"},
	} {
		t.Run(test.kernel+"/"+test.require, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := exec.Command(self(t))
			cmd.Args = []string{"kernel", test.kernel, test.require, dir}
			out, err := cmd.CombinedOutput()
			if got := strings.TrimSpace(string(out)); err != nil || got != test.want {
				t.Errorf("%v %q, want %q", err, got, test.want)
			}
			if ran := exists(dir + "/ran"); ran == strings.HasPrefix(test.want, "refused") {
				t.Errorf("it ran: %v", ran)
			}
		})
	}
}

// What cannot be applied is refused before anything runs, and the error names the thing.
func TestBadProfiles(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		ran := p.Write[0].Name + "/ran"
		c := Command{Path: "/bin/bash", Argv: []string{"bash", "-c", "echo > " + ran}}
		closed, err := os.Open("/")
		must(t, err)
		closed.Close()
		gone := t.TempDir() + "/gone"
		must(t, os.Mkdir(gone, 0o700))
		lost, err := os.Open(gone)
		must(t, err)
		must(t, os.Remove(gone))
		defer lost.Close()
		for name, change := range map[string]func(p *Profile, c *Command){
			"/no/such/tree": func(p *Profile,
				c *Command) {
				p.Write = append(p.Write, Path{Name: "/no/such/tree"})
			},
			"not/absolute": func(p *Profile, c *Command) { p.Hide = []string{"not/absolute"} },
			"relative/kept": func(p *Profile,
				c *Command) {
				p.ReadOnly = []string{"relative/kept"}
			},
			"descriptor":      func(p *Profile, c *Command) { c.Dir = closed },
			"terminal 7":      func(p *Profile, c *Command) { c.HasTTY, c.TTY = true, 7 },
			"argument":        func(p *Profile, c *Command) { c.Argv = []string{"a\x00b"} },
			"environment":     func(p *Profile, c *Command) { c.Env = []string{"A=\x00"} },
			"\"/bin/x\\x00\"": func(p *Profile, c *Command) { c.Path = "/bin/x\x00" },
			"network mode":    func(p *Profile, c *Command) { p.Network = 77 },
		} {
			bad, command := p, c
			change(&bad, &command)
			process, _, err := Start(bad, command)
			if err == nil {
				process.Kill()
				process.Wait()
				t.Errorf("%s: no error", name)
			} else if name != "descriptor" && !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if exists(ran) {
			t.Error("something ran")
		}
		// A folder that is gone has no name any more to enter it by; where no name is needed, a
		// shell runs in it as it always could.
		c = Command{Path: "/bin/true", Argv: []string{"true"}, Dir: lost}
		process, _, err := Start(p, c)
		if err == nil {
			process.Wait()
		}
		if (err == nil) != (p.Most == Base) {
			t.Errorf("a folder that is gone: %v", err)
		}
	})
}

// A folder that may not be entered: nothing runs.
func TestUnreadableDirectory(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Log("root may enter every folder: the ordinary user's run of these tests proves this")
		return
	}
	levels(t, func(t *testing.T, p Profile) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		must(t, err)
		f, err := os.Open(dir)
		must(t, err)
		defer f.Close()
		must(t, os.Chmod(dir, 0))
		defer hermetic.Chmod(dir, 0o700)
		_, _, err = Start(p, Command{Path: "/bin/true", Argv: []string{"true"}, Dir: f})
		if err == nil || !errors.Is(err, unix.EACCES) {
			t.Errorf("%v", err)
		}
	})
}

// swapperMain makes a name lead in and out of the workspace in three ways, in turn, as often as
// args say, while another thread writes through it.
func swapperMain(args []string) {
	ws, outside := args[0], args[1]
	n, _ := strconv.Atoi(args[2])
	os.Chdir(ws)
	os.Mkdir("in", 0o700)
	os.Symlink(outside, "out")
	os.Symlink("in", "n")
	stop := make(chan bool)
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
				for _, f := range []string{"n/file", "n/new"} {
					if fd, err := unix.Open(f, unix.O_WRONLY|unix.O_CREAT, 0o600); err == nil {
						unix.Write(fd, []byte("overwritten"))
						unix.Close(fd)
					}
				}
				unix.Rename("n/new", "n/newer")
			}
		}
	}()
	for i := range n {
		switch i % 3 {
		case 0: // a link is replaced by a link
			unix.Symlink([]string{outside, "in"}[i%2], "l")
			unix.Rename("l", "n")
		case 1: // a folder goes and a link comes
			unix.Rename("n", "away")
			unix.Symlink(outside, "n")
			unix.Rename("away", "n")
		case 2: // both change places
			unix.Renameat2(unix.AT_FDCWD, "in", unix.AT_FDCWD, "out", unix.RENAME_EXCHANGE)
		}
	}
	stop <- true
	fmt.Println("swapped")
}

// A name that is swapped 20,000 times under the hands of a writer never leads out.
func TestSwapRace(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		out := t.TempDir()
		must(t, os.WriteFile(out+"/file", []byte("untouched"), 0o600))
		p.Read = append(p.Read, Path{Name: self(t)}, Path{Name: out})
		before := tree(out)
		from, in, _ := os.Pipe()
		process, _, err := Start(p, Command{Path: self(t),
			Argv:  []string{"swapper", p.Write[0].Name, out, fmt.Sprint(hermetic.Rounds(20_000))},
			Files: []*os.File{nil, in, in}})
		in.Close()
		must(t, err)
		said, _ := io.ReadAll(from)
		if s, err := process.Wait(); err != nil || s.Shell() != 0 || string(said) != "swapped\n" {
			t.Errorf("%+v %v %q", s, err, said)
		}
		text, _ := os.ReadFile(out + "/file")
		if string(text) != "untouched" || tree(out) != before {
			t.Errorf("%q\n%s", text, tree(out))
		}
	})
}

// B-R1.4.8: what was judged is what is written to, whatever is put under its name between the
// judgement and the start.
func TestSwappedBeforeStart(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		top := t.TempDir()
		must(t, os.Mkdir(top+"/judged", 0o700))
		must(t, os.Mkdir(top+"/other", 0o700))
		stop := make(chan bool)
		go func() {
			for {
				select {
				case <-stop:
					return
				default:
					unix.Renameat2(unix.AT_FDCWD, top+"/judged", unix.AT_FDCWD, top+"/other",
						unix.RENAME_EXCHANGE)
				}
			}
		}()
		var st unix.Stat_t
		for range 40 {
			fd, err := unix.Open(top+"/judged", unix.O_PATH|unix.O_CLOEXEC, 0)
			must(t, err)
			file := os.NewFile(uintptr(fd), top+"/judged")
			must(t, unix.Fstat(fd, &st))
			q := p
			q.Write = []Path{{Name: top + "/judged", File: file}}
			process, _, err := Start(q,
				Command{Path: "/bin/bash",
					Argv: []string{"bash", "-c",
						fmt.Sprintf("2>/dev/null; echo > %s/judged/%d", top, st.Ino)},
					Files: []*os.File{nil, nil, nil}})
			if err == nil {
				process.Wait()
			}
			file.Close()
		}
		stop <- true
		for _, dir := range []string{"/judged", "/other"} {
			must(t, unix.Stat(top+dir, &st))
			names, _ := os.ReadDir(top + dir)
			for _, n := range names {
				if n.Name() != fmt.Sprint(st.Ino) {
					t.Errorf("%q was written into the folder that was not judged", n.Name())
				}
			}
		}
	})
}

// Ordinary git works at both levels with the hooks kept, as files that are there and as names that
// come later, and leaves no ghosts.
func TestGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git on this machine")
	}
	levels(t, func(t *testing.T, p Profile) {
		ws := p.Write[0].Name
		setup := exec.Command("/bin/bash", "-ec",
			"git init -q proj; cd proj; git config user.name a; git config user.email a@b; echo x > f; git add f; git commit -qm x; echo '#!/bin/sh' > .git/hooks/pre-push; chmod +x .git/hooks/pre-push")
		setup.Dir, setup.Env = ws, []string{"PATH=/usr/bin:/bin", "HOME=" + ws}
		if out, err := setup.CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		p.ReadOnly = []string{ws + "/proj/.git/hooks"}
		s, out := shell(t, p, `set -e; export HOME=`+ws+`; cd `+ws+`/proj
			git config user.name b; echo y > f; git commit -qam y; git branch b; git checkout -q b; git tag -a -m v v; git gc -q; git stash list
			git worktree add -q ../wt; (cd ../wt; echo z > g; git add g; git commit -qm z); git worktree remove ../wt
			git remote add o ../o.git; git init -q --bare ../o.git; git push -q --no-verify o b; git fetch -q o
			git clone -q ../o.git -b b ../c; git init -q ../n; git -C ../n config user.email c@d
			git -c protocol.file.allow=always submodule --quiet add -b b ../o.git sub 2>&1; git commit -qm sub
			git rebase -q HEAD; git reset -q --hard; git clean -qfdx; git status --porcelain`)
		if s.Shell() != 0 || out != "" {
			t.Errorf("%+v %q", s, out)
		}
		_, out = shell(t, p, "exec 2>/dev/null; cd "+ws+
			"/proj; echo x > .git/hooks/pre-push && echo changed; echo x > .git/hooks/post-commit && echo made; rm -r .git/hooks && echo removed; mv .git/hooks h && echo moved; mv .git g && echo moved .git; chmod 777 .git/hooks && echo chmod; :")
		if p.Most == Strong && out != "" {
			t.Errorf("%q", out)
		}
		entries, _ := os.ReadDir(ws)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if got := strings.Join(names, " "); got != "c n o.git proj" {
			t.Errorf("left behind: %s", got)
		}
	})
}

// A sandbox whose rules cannot be made is given up with all who build it, also where no signal
// scope finds them (Landlock before version 6).
func TestRulesFail(t *testing.T) {
	newest, err := queryLandlock()
	must(t, err)
	for _, version := range []int{newest.version, min(newest.version, 5)} {
		for _, level := range []Level{Base, Strong} {
			for range 20 {
				ll := newest
				ll.version = version
				b := &builder{attempt: attempt{profile: Profile{Read: []Path{{Name: "/usr"}},
					Write: []Path{{Name: t.TempDir() + "/none"}}}, landlock: ll, level: level,
					command: Command{Path: "/bin/true", Argv: []string{"true"},
						Files: []*os.File{nil, nil, nil}}}}
				if err := b.begin(); err == nil || !strings.Contains(err.Error(), "/none") {
					t.Fatalf("%v, version %d: %v", level, version, err)
				}
			}
		}
	}
}
