package sandbox

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// hogMain takes more and more of something, slowly enough for a shared machine and bounded even
// without a sandbox.
func hogMain(args []string) {
	bound, _ := strconv.Atoi(args[1])
	switch args[0] {
	case "memory":
		var held [][]byte
		for range bound {
			page, err := unix.Mmap(-1, 0, 1<<20, unix.PROT_READ|unix.PROT_WRITE,
				unix.MAP_ANON|unix.MAP_PRIVATE)
			if err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			for i := 0; i < len(page); i += 4096 {
				page[i] = 1
			}
			held = append(held, page)
		}
		time.Sleep(time.Duration(len(held)) * 20 * time.Millisecond)
	case "memfd": // held, and not mapped
		fd, err := unix.MemfdCreate("hog", 0)
		for i := 0; i < bound && err == nil; i++ {
			_, err = unix.Write(fd, make([]byte, 1<<20))
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		time.Sleep(time.Duration(bound) * 20 * time.Millisecond)
	case "processes", "siblings":
		// each child in its own session, its parent gone: the tree is not a tree any more
		for i := range bound {
			cmd := exec.Command("/proc/self/exe")
			cmd.Args = []string{"hog", "sleep", "20"}
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			if args[0] == "siblings" {
				cmd.SysProcAttr.Cloneflags = unix.CLONE_PARENT
			}
			if err := cmd.Start(); err != nil {
				fmt.Println("refused", i)
				os.Exit(11)
			}
		}
		time.Sleep(20 * time.Second)
	case "orphans": // each parent ends before it is seen
		for range bound {
			// a shell that is refused a process would try again for 15 seconds
			if err := exec.Command("setsid", "-f", "sleep", "20").Run(); err != nil {
				fmt.Println("refused", err)
				os.Exit(11)
			}
		}
		time.Sleep(20 * time.Second)
	case "threads":
		var wait sync.WaitGroup
		for range bound {
			wait.Go(func() {
				runtime.LockOSThread()
				unix.Nanosleep(&unix.Timespec{Sec: 20}, nil)
			})
		}
		wait.Wait()
	case "tmpfs": // as full as it gets, and a little more elsewhere
		for i := range bound {
			f, err := os.Create("/dev/shm/" + strconv.Itoa(i))
			if err == nil {
				_, err = f.Write(make([]byte, 1<<20))
				f.Close()
			}
			if err != nil {
				break
			}
		}
		hogMain([]string{"memory", strconv.Itoa(bound)})
	case "inotify", "inotify inherited":
		var held []int
		for range bound {
			fd, err := unix.InotifyInit()
			if err != nil {
				fmt.Println("refused")
				time.Sleep(5 * time.Second) // some looks
				os.Exit(11)
			}
			held = append(held, fd)
		}
		if args[0] == "inotify inherited" { // the same ones once more
			cmd := exec.Command("/bin/sleep", "1")
			for _, fd := range held {
				cmd.ExtraFiles = append(cmd.ExtraFiles, os.NewFile(uintptr(fd), "inotify"))
			}
			_ = cmd.Run()
			break
		}
		time.Sleep(20 * time.Second)
	case "cpu":
		spun := 0
		for range bound {
			for i := range 1 << 12 {
				spun += i * i
			}
		}
		fmt.Fprintln(io.Discard, spun)
	case "sleep":
		time.Sleep(time.Duration(bound) * time.Second)
	}
	fmt.Println("done")
}

// limited starts a hog under limits; grouped says whether control groups may be used.
func limited(t *testing.T, level Level, grouped bool, l Limits,
	argv ...string) (Status, Receipt, string) {
	t.Helper()
	out, in, err := os.Pipe()
	must(t, err)
	defer out.Close()
	p := Default("", "")
	p.Read = append(p.Read, Path{Name: self(t)})
	p.Limits, p.Limits.Grouped = l, grouped
	ll, err := queryLandlock()
	must(t, err)
	c := Command{Path: self(t), Argv: append([]string{"hog"}, argv...),
		Files: []*os.File{nil, in, in}}
	b := &builder{attempt: attempt{profile: p, landlock: ll, level: level, command: c}}
	process, receipt, err := b.start()
	in.Close()
	must(t, err)
	text, _ := io.ReadAll(out)
	s, err := process.Wait()
	must(t, err)
	return s, receipt, string(text)
}

// A run that takes too much is ended as a whole, and the status says of what it was too much: by
// the kernel's control groups where they can be had, and by looking where not.
func TestTreeLimits(t *testing.T) {
	for _, level := range []Level{Base, Strong} {
		for _, grouped := range []bool{true, false} {
			for _, test := range []struct {
				name string
				argv []string
				l    Limits
				want Limit
			}{
				{"memory bomb", []string{"memory", "200"}, Limits{Memory: 64 << 20}, LimitMemory},
				{"memory that nobody maps", []string{"memfd", "200"}, Limits{Memory: 64 << 20},
					LimitMemory},
				{"within, mapped by nobody", []string{"memfd", "4"}, Limits{Memory: 2 << 30}, ""},
				{"fork bomb", []string{"processes", "60"}, Limits{Processes: 40}, LimitProcesses},
				{"bomb of siblings", []string{"siblings", "60"}, Limits{Processes: 40},
					LimitProcesses},
				{"bomb of orphans", []string{"orphans", "60"}, Limits{Processes: 40},
					LimitProcesses},
				{"bomb of threads", []string{"threads", "90"}, Limits{Processes: 40},
					LimitProcesses},
				{"files in memory", []string{"tmpfs", "200"}, Limits{Memory: 64 << 20},
					LimitMemory},
				{"inotify", []string{"inotify", "20"}, Limits{Inotify: 8}, LimitInotify},
				{"inotify within", []string{"inotify inherited", "6"}, Limits{Inotify: 8}, ""},
				{"busy", []string{"cpu", "1000000"}, Limits{CPU: 1, Grace: -1}, LimitCPU},
				{"too long", []string{"sleep", "20"},
					Limits{Wall: 50 * time.Millisecond, Grace: -1}, LimitWall},
				{"within", []string{"memory", "4"},
					Limits{Memory: 2 << 30, Processes: 200, CPU: 30, Wall: time.Minute}, ""},
			} {
				if test.want == LimitCPU && grouped != (level == Strong) {
					continue // the kernel's unit is a second, which is long enough once
				}
				if test.argv[0] == "tmpfs" && level == Base {
					continue // its /dev/shm is the machine's
				}
				t.Run(fmt.Sprintf("%v/grouped=%v/%s", level, grouped, test.name),
					func(t *testing.T) {
						if test.argv[0] == "orphans" {
							// beside nothing else: all orphans of this process are adopted
							// meanwhile
							AdoptOrphans(true)
							defer reapAll(t)
							defer AdoptOrphans(false)
						} else {
							t.Parallel()
						}
						s, receipt, out := limited(t, level, grouped, test.l, test.argv...)
						for _, b := range receipt.Bounds {
							if b.By == ByCgroup && !grouped || b.Value == 0 || b.Limit == "" {
								t.Errorf("%+v", b)
							}
						}
						if test.want == "" {
							if s.Shell() != 0 || s.Exceeded != "" || out != "done\n" {
								t.Errorf("%+v %q", s, out)
							}
							return
						}
						if len(receipt.Bounds) == 0 || strings.Contains(out, "done") {
							t.Errorf("%+v %q", receipt.Bounds, out)
						}
						// The kernel refuses a process that may have no more processes; a processor
						// limit is enforced by the first that looks.
						kernel := strings.Contains(out, "refused") ||
							strings.Contains(out, "failed to create new OS thread") ||
							strings.Contains(out, "pthread_create failed") || // with cgo
							s.Signal == unix.SIGXCPU ||
							s.Signal == unix.SIGKILL && test.want == LimitCPU
						if test.want == LimitInotify && level == Strong && s.Reached != test.want {
							t.Errorf("refused, and nobody is told: %+v", s)
						}
						if s.Exceeded != test.want && s.Reached != test.want && !kernel {
							t.Errorf("%+v %q", s, out)
						}
					})
			}
		}
	}
}

// reapAll waits for the orphans that this process has adopted: at Base they count as processes of
// any run of it.
func reapAll(t *testing.T) {
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		switch _, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); {
		case err != nil: // there are none
			return
		case time.Now().After(end):
			t.Fatal("orphans of a bomb are left")
		}
	}
}

// Where a machine lets us make control groups, they are used and said so, and none is left behind.
func TestGroupsRemoved(t *testing.T) {
	g := newGroup(Limits{Memory: 1 << 30, Processes: 100, CPU: 10})
	dirs := g.unique()
	if len(dirs) == 0 {
		t.Log("this user may make no control groups here: the watchdog bounds")
	}
	g.remove()
	_, receipt, _ := limited(t, Base, true, Limits{Memory: 1 << 30, Processes: 100}, "memory", "1")
	for _, b := range receipt.Bounds {
		if (b.By == ByCgroup) != (len(dirs) > 0) || !b.Tree {
			t.Errorf("%+v", b)
		}
	}
	for _, dir := range dirs {
		left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir),
			groupPrefix+itoa(os.Getpid())+"-*"))
		for _, name := range left {
			if text, err := os.ReadFile(name + "/cgroup.procs"); err == nil && len(text) == 0 &&
				!t.Failed() {
				t.Logf("%s is another test's or left behind", name)
			}
		}
	}
}

// What SIGTERM does not end within the grace, SIGKILL does; who tidies up in time ends as it wants.
func TestGrace(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		p.Limits = Limits{Wall: 700 * time.Millisecond, Grace: 10 * time.Second}
		s, out := shell(t, p,
			"trap 'echo tidy; exit 3' TERM; echo up; while :; do sleep 0.05; done")
		if s.Code != 3 || s.Exceeded != LimitWall || !strings.HasPrefix(out, "up\n") ||
			!strings.HasSuffix(out, "tidy\n") {
			t.Errorf("%+v %q", s, out)
		}
		p.Limits.Grace = 50 * time.Millisecond
		s, out = shell(t, p, "trap '' TERM; (trap '' TERM; setsid sleep 100) & sleep 100")
		if s.Signal != unix.SIGKILL || s.Exceeded != LimitWall {
			t.Errorf("%+v %q", s, out)
		}
	})
}

// Ended by the process that counts the output.
func TestEnd(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		process, _, err := Start(p, Command{Path: "/bin/sleep", Argv: []string{"sleep", "100"}})
		must(t, err)
		process.End(LimitOutput, time.Minute)
		process.End(LimitWall, 0) // the first counts
		if s, err := process.Wait(); err != nil || s.Exceeded != LimitOutput || s.Shell() < 128 {
			t.Errorf("%+v %v", s, err)
		}
	})
}

// The limits that the kernel holds each process to are set as asked.
func TestRlimits(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		p.Limits = Limits{CPU: 7, AddressSpace: 1 << 30, FileSize: 1 << 20, Files: 99}
		_, out := shell(t, p, "exec 2>/dev/null; ulimit -t; ulimit -v; ulimit -f; ulimit -n; head -c 2000000 /dev/zero > "+p.Write[0].Name+"/big; echo $?; stat -c %s "+p.Write[0].Name+"/big")
		if out != "7\n1048576\n1024\n99\n153\n1048576\n" {
			t.Errorf("%q", out)
		}
	})
}

// The places of groups, by the kernel's text on several systems.
func TestHierarchies(t *testing.T) {
	for _, test := range []struct{ name, groups, mounts, want string }{
		{"version 2", "0::/user.slice/user-1000.slice/user@1000.service/app.slice/x.scope\n",
			"30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n",
			"[] /sys/fs/cgroup /sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/x.scope"},
		{"container", "0::/\n", "512 511 0:26 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw\n",
			"[] /sys/fs/cgroup /sys/fs/cgroup"},
		{"version 1, docker", "4:memory:/docker/ab\n3:cpu,cpuacct:/docker/ab\n",
			"50 49 0:30 /docker/ab /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n51 49 0:31 /docker/ab /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n",
			"[memory] /sys/fs/cgroup/memory /sys/fs/cgroup/memory|[cpu cpuacct] /sys/fs/cgroup/cpu,cpuacct /sys/fs/cgroup/cpu,cpuacct"},
		{"a place that cannot be seen", "0::/../other\n",
			"30 23 0:26 /mine /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", ""},
		{"rubbish", "\n:::\n0\n", "x\n - cgroup\n1 2 3 4 - cgroup2\n", ""},
	} {
		var got []string
		for _, h := range hierarchies(test.groups, test.mounts, "") {
			got = append(got, fmt.Sprint(h.controllers, " ", h.top, " ", h.own))
		}
		if strings.Join(got, "|") != test.want {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}

// F5: a container's bound of memory counts, its own group's or one above it, in both versions; a
// tree of plain files plays the kernel.
func TestMemoryBound(t *testing.T) {
	for _, test := range []struct {
		name  string
		files map[string]string // below the mount
		group string
		old   bool // version 1
		want  uint64
	}{
		{"none", map[string]string{"memory.max": "max", "a/memory.max": "max\n"}, "0::/a", false,
			0},
		{"its own", map[string]string{"a/memory.max": "1073741824\n"}, "0::/a", false, 1 << 30},
		{"the container's", map[string]string{"memory.max": "536870912\n"}, "0::/", false,
			512 << 20},
		{"one above", map[string]string{"a/memory.max": "1073741824", "a/b/memory.max": "max",
			"a/b/c/memory.max": "2147483648"}, "0::/a/b/c", false, 1 << 30},
		{"another's", map[string]string{"x/memory.max": "4096", "a/memory.max": "max"}, "0::/a",
			false, 0},
		{"cannot be read", map[string]string{"a/memory.max": "rubbish"}, "0::/a", false, 0},
		{"old, none", map[string]string{"memory.limit_in_bytes": "9223372036854771712",
			"a/memory.limit_in_bytes": "9223372036854771712"}, "4:memory:/a", true, 0},
		{"old, its own", map[string]string{"memory.limit_in_bytes": "9223372036854771712",
			"a/memory.limit_in_bytes": "268435456"}, "4:memory:/a", true, 256 << 20},
		{"old, one above", map[string]string{"memory.limit_in_bytes": "268435456",
			"a/memory.limit_in_bytes": "536870912"}, "4:memory:/a", true, 256 << 20},
		{"old, of another controller", map[string]string{"a/memory.limit_in_bytes": "268435456"},
			"4:cpu:/a", true, 0},
	} {
		top := t.TempDir()
		for name, text := range test.files {
			must(t, os.MkdirAll(filepath.Dir(filepath.Join(top, name)), 0o700))
			must(t, os.WriteFile(filepath.Join(top, name), []byte(text), 0o600))
		}
		mount := "30 23 0:26 / " + top + " rw - cgroup2 cgroup2 rw\n"
		if test.old {
			mount = "30 23 0:26 / " + top + " rw - cgroup cgroup rw,memory\n"
		}
		if got := memoryBound(test.group+"\n", mount); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

// With version 2 the place is the nearest group above ours whose children may be bounded and that
// is ours to write; a tree of plain files plays the kernel.
func TestDelegated(t *testing.T) {
	top := t.TempDir()
	own := top + "/user.slice/app.slice/x.scope"
	must(t, os.MkdirAll(own, 0o700))
	for dir, active := range map[string]string{top: "cpu memory pids",
		top + "/user.slice": "memory pids", top + "/user.slice/app.slice": "pids", own: ""} {
		must(t, os.WriteFile(dir+"/cgroup.subtree_control", []byte(active), 0o600))
		must(t, os.WriteFile(dir+"/cgroup.procs", nil, 0o600))
	}
	must(t, os.WriteFile(top+"/user.slice/app.slice/memory.max", []byte("max\n"), 0o600))
	must(t, os.WriteFile(own+"/memory.max", []byte("1000\n"), 0o600))
	h := hierarchy{nil, top, own}
	for controller, want := range map[string]string{"pids": top + "/user.slice/app.slice",
		"memory": top + "/user.slice", "io": ""} {
		if got := h.delegated(controller); got != want {
			t.Errorf("%s: %q", controller, got)
		}
	}
	if got := h.least(top+"/user.slice/tada-1-1", "memory.max", 5000); got != 1000 {
		t.Errorf("left a bound of 1000 behind: %d", got)
	}
	dead := top + "/" + groupPrefix + "99999999-1"
	must(t, os.Mkdir(dead, 0o700))
	alive := top + "/" + groupPrefix + itoa(os.Getpid()) + "-1"
	must(t, os.Mkdir(alive, 0o700))
	if h.sweep(top); exists(dead) || !exists(alive) {
		t.Error("only what a launcher that is gone has left is removed")
	}
}

func FuzzParseStat(f *testing.F) {
	text, _ := os.ReadFile("/proc/self/stat")
	f.Add(text)
	f.Add([]byte("7 (a) b) (c) S 1 7 7 0 -1 0 0 0 0 0 1 2 3 4 20 0 5 0 99 0 0 0"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if s, ok := parseStat(text); ok && s.pid <= 0 {
			t.Errorf("%+v", s)
		}
	})
}

func TestParseStat(t *testing.T) {
	s, ok := parseStat([]byte("7 (a) b) (c) S 1 7 8 0 -1 0 0 0 0 0 1 2 3 4 20 0 5 0 99 0 0 0"))
	if want := (sample{pid: 7, parent: 1, session: 8, threads: 5, ticks: 10, born: 99,
		runnable: true}); !ok || s != want {
		t.Errorf("%+v", s)
	}
	if s, ok := parseStat([]byte("7 (a) D 1 7 8 0 -1 0 0 0 0 0 1 2 3 4 20 0 5 0 99 0 0 0")); !ok ||
		!s.runnable || !s.onDisk {
		t.Errorf("%+v", s)
	}
}

// Who is counted for a run: the command, what descends from it and orphans; not the guard and its
// companions, whose memory is the launcher's.
func TestMembers(t *testing.T) {
	const launcher, guard, init, anchor, command = 10, 20, 21, 22, 30
	all := []sample{
		{pid: launcher, parent: 1, session: 1, born: 1},
		{pid: guard, parent: launcher, session: guard, born: 2},
		{pid: init, parent: guard, session: guard, born: 3},
		{pid: anchor, parent: guard, session: guard, born: 4},
		{pid: command, parent: launcher, session: command, born: 5},
		{pid: 31, parent: command, session: command, born: 6},
		{pid: 32, parent: init, session: 32, born: 7}, // an orphan in a session of its own
		{pid: 40, parent: 1, session: 40, born: 8},
	}
	var got []int
	for _, s := range new(treeWatch).members(command, guard, all) {
		got = append(got, s.pid)
	}
	if want := []int{command, 31, 32}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// When memory runs out, the command goes before the launcher does, whose end is the guard's.
func TestMemoryRunsOut(t *testing.T) {
	score := func(pid int) (n int) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid))
		must(t, err)
		_, err = fmt.Sscan(string(text), &n)
		must(t, err)
		return n
	}
	levels(t, func(t *testing.T, p Profile) {
		mine := score(os.Getpid())
		process, _, err := Start(p, Command{Path: "/bin/sleep", Argv: []string{"sleep", "60"}})
		must(t, err)
		its, after := score(process.Pid()), score(os.Getpid())
		process.Kill()
		_, err = process.Wait()
		must(t, err)
		if its != min(mine+100, 1000) || after != mine {
			t.Errorf("launcher %d and then %d, command %d", mine, after, its)
		}
	})
}
