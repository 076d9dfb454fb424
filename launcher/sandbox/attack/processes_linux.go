//go:build amd64 || arm64

package attack

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// processes are attacks on other processes.
var processes = []Attack{
	{Name: "signal launcher", try: func(w World) error { return unix.Kill(w.Launcher, 0) }},
	{Name: "signal launcher by pidfd", try: func(w World) error {
		fd, err := unix.PidfdOpen(w.Launcher, 0)
		if err != nil {
			return err
		}
		return unix.PidfdSendSignal(fd, 0, nil, 0)
	}},
	{Name: "signal guard", try: func(w World) error { return unix.Kill(guardOf(w), 0) }},
	{Name: "ptrace", try: func(w World) error {
		const seize = 0x4206
		return call(unix.SYS_PTRACE, seize, uintptr(w.Decoy), 0, 0)
	}},
	{Name: "read memory of", try: func(w World) error {
		var b [1]byte
		local, remote := []unix.Iovec{{Base: &b[0], Len: 1}},
			[]unix.RemoteIovec{{Base: textOf(w.Decoy), Len: 1}}
		_, err := unix.ProcessVMReadv(w.Decoy, local, remote, 0)
		return err
	}},
	{Name: "steal descriptor", try: func(w World) error {
		fd, err := unix.PidfdOpen(w.Decoy, 0)
		if err != nil {
			return err
		}
		_, err = unix.PidfdGetfd(fd, 0, 0)
		return err
	}},
	{Name: "/proc/launcher/environ",
		try: func(w World) error { return read(fmt.Sprintf("/proc/%d/environ", w.Launcher)) }},
	{Name: "/proc/launcher/maps",
		try: func(w World) error { return read(fmt.Sprintf("/proc/%d/maps", w.Launcher)) }},
	{Name: "/proc/launcher/mem", try: func(w World) error {
		return unixOpen(fmt.Sprintf("/proc/%d/mem", w.Launcher), unix.O_RDONLY, 0)
	}},
	{Name: "/proc/decoy/fd/1", try: func(w World) error {
		// /dev/null, which may be opened by its own name
		return unixOpen(fmt.Sprintf("/proc/%d/fd/1", w.Decoy), unix.O_WRONLY, 0)
	}},
	{Name: "/proc/launcher/root", try: func(w World) error {
		return read(fmt.Sprintf("/proc/%d/root%s", w.Launcher, w.Secret))
	}},
	{Name: "/proc/launcher/cwd", try: func(w World) error {
		_, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", w.Launcher))
		return err
	}},
	{Name: "/proc/guard/environ",
		try: func(w World) error { return read(fmt.Sprintf("/proc/%d/environ", guardOf(w))) }},
	{Name: "/proc/launcher/cmdline", Lost: sandbox.Processes,
		try: func(w World) error { return read(fmt.Sprintf("/proc/%d/cmdline", w.Launcher)) }},
	{Name: "launcher's descriptors", try: func(World) error {
		for fd := 3; fd < 256; fd++ {
			var st unix.Stat_t
			if unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG &&
				st.Size == leakSize {
				return nil
			}
		}
		return errors.New("no descriptor of the launcher's")
	}},
	{Name: "signal everybody", try: func(w World) error {
		return unix.Kill(w.Decoy, unix.SIGWINCH)
	}},
	{Name: "signal by queue", try: func(w World) error {
		info := [128]byte{8: 0xff, 9: 0xff, 10: 0xff, 11: 0xff} // si_code -1: SI_QUEUE
		return call(unix.SYS_RT_SIGQUEUEINFO, uintptr(w.Decoy), uintptr(unix.SIGWINCH),
			uintptr(unsafe.Pointer(&info)))
	}},
	{Name: "signal by file owner", try: func(w World) error {
		var p [2]int
		if err := unix.Pipe(p[:]); err != nil {
			return err
		}
		if w.Decoy == 1<<30 {
			return unix.ESRCH
		}
		unix.FcntlInt(uintptr(p[0]), unix.F_SETOWN, w.Decoy)
		if owner, err := unix.FcntlInt(uintptr(p[0]), unix.F_GETOWN, 0); err != nil ||
			owner != w.Decoy {
			return fmt.Errorf("owner %d: %v", owner, err)
		}
		unix.FcntlInt(uintptr(p[0]), unix.F_SETSIG, int(unix.SIGKILL))
		unix.FcntlInt(uintptr(p[0]), unix.F_SETFL, unix.O_ASYNC)
		unix.Write(p[1], []byte("x"))
		for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
			if unix.Kill(w.Decoy, 0) == unix.ESRCH || zombie(w.Decoy) {
				return nil
			}
			time.Sleep(time.Millisecond)
		}
		return errors.New("it lives")
	}},
	// A processor limit of no seconds is a SIGKILL.
	{Name: "kill by resource limit", try: func(w World) error {
		return unix.Prlimit(w.Decoy, unix.RLIMIT_CPU, &unix.Rlimit{Cur: 1, Max: 1}, nil)
	}},
	{Name: "disarm launcher by resource limit", try: func(w World) error {
		return unix.Prlimit(w.Decoy, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 0, Max: 4096}, nil)
	}},
	{Name: "trace by pid namespace parent", try: func(w World) error {
		return call(unix.SYS_PTRACE, unix.PTRACE_ATTACH, uintptr(w.Decoy), 0, 0)
	}},
	{Name: "write memory of", try: func(w World) error {
		return unixOpen(fmt.Sprintf("/proc/%d/mem", w.Decoy), unix.O_RDWR, 0)
	}},
	{Name: "compare descriptors of", Root: true, try: func(w World) error {
		return call(unix.SYS_KCMP, uintptr(w.Decoy), uintptr(os.Getpid()), 0, 0, 0)
	}},
	{Name: "secret through root of process 1", Root: true,
		try: func(w World) error { return read("/proc/1/root" + w.Secret) }},
	{Name: "environment of process 1", Root: true,
		try: func(World) error { return read("/proc/1/environ") }},
	{Name: "slow another down",
		try: func(w World) error { return unix.Setpriority(unix.PRIO_PROCESS, w.Decoy, 19) }},
	{Name: "slow another's group down",
		try: func(w World) error { return unix.Setpriority(unix.PRIO_PGRP, w.Decoy, 19) }},
	{Name: "put another in the idle class", try: func(w World) error {
		return call(unix.SYS_SCHED_SETSCHEDULER, uintptr(w.Decoy), 5,
			uintptr(unsafe.Pointer(new(int32))))
	}},
	{Name: "put another in the idle class, by attributes", try: func(w World) error {
		return call(unix.SYS_SCHED_SETATTR, uintptr(w.Decoy),
			uintptr(unsafe.Pointer(&[7]uint64{48 | 5<<32})), 0)
	}},
	{Name: "keep another from processors", try: func(w World) error {
		return call(unix.SYS_SCHED_SETAFFINITY, 1<<32|uintptr(w.Decoy), 8,
			uintptr(unsafe.Pointer(&[1]uint64{1})))
	}},
	{Name: "slow another's files down",
		try: func(w World) error { return call(unix.SYS_IOPRIO_SET, 1, uintptr(w.Decoy), 3<<13) }},
}

func zombie(pid int) bool {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	return strings.HasPrefix(rest, "Z")
}

// textOf returns an address that is mapped in pid; if none is known, any other will do.
func textOf(pid int) uintptr {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	address, _, _ := strings.Cut(string(text), "-")
	n, _ := strconv.ParseUint(address, 16, 64)
	return uintptr(n)
}

// guardOf returns the process that watches over the attacker; without a sandbox, the launcher plays
// it. At Base it is the process that was forked just before the attacker; at Strong it is process
// 1.
func guardOf(w World) int {
	if w.Level == "strong" {
		return 1
	}
	if w.Level == "base" {
		for pid := os.Getpid() - 1; pid > os.Getpid()-200 && pid > 1; pid-- {
			status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			if err == nil && strings.Contains(string(status),
				fmt.Sprintf("PPid:\t%d\n", w.Launcher)) &&
				strings.Contains(string(status), "NoNewPrivs:\t1") {
				return pid
			}
		}
		os.Exit(0) // not found: fail the test
	}
	return w.Launcher
}
