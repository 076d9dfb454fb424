//go:build amd64 || arm64

package attack

import (
	"fmt"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// neighbours are more attacks on other processes, by calls that name them in another way.
var neighbours = []Attack{
	{Name: "signal a thread",
		try: func(w World) error { return unix.Tgkill(w.Decoy, w.Decoy, unix.SIGWINCH) }},
	{Name: "signal a thread by queue", try: func(w World) error {
		info := [128]byte{8: 0xff, 9: 0xff, 10: 0xff, 11: 0xff} // si_code -1: SI_QUEUE
		return call(unix.SYS_RT_TGSIGQUEUEINFO, uintptr(w.Decoy), uintptr(w.Decoy),
			uintptr(unix.SIGWINCH), uintptr(unsafe.Pointer(&info)))
	}},
	{Name: "signal a group",
		try: func(w World) error { return unix.Kill(-w.Decoy, unix.SIGWINCH) }},
	{Name: "signal by the owner of a socket", try: func(w World) error {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		if w.Decoy == 1<<30 {
			return unix.ESRCH
		}
		const fioSetOwn = 0x8901
		owner := int32(w.Decoy)
		if err := call(unix.SYS_IOCTL, uintptr(pair[0]), fioSetOwn,
			uintptr(unsafe.Pointer(&owner))); err != nil {
			return err
		}
		return killedBy(w, pair[0], pair[1])
	}},
	{Name: "signal by the owner's group", try: func(w World) error {
		var p [2]int
		if err := unix.Pipe(p[:]); err != nil {
			return err
		}
		if w.Decoy == 1<<30 {
			return unix.ESRCH
		}
		owner := [2]int32{2 /* F_OWNER_PGRP */, int32(w.Decoy)}
		if err := call(unix.SYS_FCNTL, uintptr(p[0]), unix.F_SETOWN_EX,
			uintptr(unsafe.Pointer(&owner))); err != nil {
			return err
		}
		return killedBy(w, p[0], p[1])
	}},
	{Name: "have the kernel end another first", try: func(w World) error {
		name := fmt.Sprintf("/proc/%d/oom_score_adj", w.Decoy)
		return os.WriteFile(name, []byte("1000"), 0)
	}},
	{Name: "have another leave a core dump", try: func(w World) error {
		return opened(fmt.Sprintf("/proc/%d/coredump_filter", w.Decoy))
	}},
	{Name: "name another process", try: func(w World) error {
		return opened(fmt.Sprintf("/proc/%d/comm", w.Decoy))
	}},
	{Name: "what another has read and written",
		try: func(w World) error { return read(fmt.Sprintf("/proc/%d/io", w.Launcher)) }},
	{Name: "which call another is in",
		try: func(w World) error { return read(fmt.Sprintf("/proc/%d/syscall", w.Decoy)) }},
	{Name: "vectors of another",
		try: func(w World) error { return read(fmt.Sprintf("/proc/%d/auxv", w.Decoy)) }},
	{Name: "program of another", try: func(w World) error {
		return unixOpen(fmt.Sprintf("/proc/%d/exe", w.Decoy), unix.O_RDONLY, 0)
	}},
	{Name: "how many descriptors another has", Lost: sandbox.Processes, try: func(w World) error {
		_, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", w.Launcher))
		return err
	}},
	{Name: "mappings of another", try: func(w World) error {
		_, err := os.ReadDir(fmt.Sprintf("/proc/%d/map_files", w.Launcher))
		return err
	}},
	{Name: "namespace of another", try: func(w World) error {
		return unixOpen(fmt.Sprintf("/proc/%d/ns/net", w.Decoy), 0, 0)
	}},
	{Name: "namespace of another by pidfd", try: func(w World) error {
		fd, err := unix.PidfdOpen(w.Decoy, 0)
		if err != nil {
			return err
		}
		return call(unix.SYS_IOCTL, uintptr(fd), 0xff03 /* PIDFD_GET_MNT_NAMESPACE */, 0)
	}},
	{Name: "join another by pidfd", Root: true, try: func(w World) error {
		fd, err := unix.PidfdOpen(w.Decoy, 0)
		if err != nil {
			return err
		}
		return unix.Setns(fd, unix.CLONE_NEWUTS)
	}},
	{Name: "list of another's locks", try: func(w World) error {
		var head, size uintptr
		return call(unix.SYS_GET_ROBUST_LIST, uintptr(w.Decoy), uintptr(unsafe.Pointer(&head)),
			uintptr(unsafe.Pointer(&size)))
	}},
	{Name: "write memory of, by the call", try: func(w World) error {
		b := [1]byte{}
		_, err := unix.ProcessVMWritev(w.Decoy, []unix.Iovec{{Base: &b[0], Len: 0}},
			[]unix.RemoteIovec{{Base: textOf(w.Decoy), Len: 0}}, 0)
		return err
	}},
	{Name: "set another's parameters", try: func(w World) error {
		return call(unix.SYS_SCHED_SETPARAM, uintptr(w.Decoy), uintptr(unsafe.Pointer(new(int32))))
	}},
	{Name: "slow another group's files down",
		try: func(w World) error { return call(unix.SYS_IOPRIO_SET, 2, uintptr(w.Decoy), 3<<13) }},
	{Name: "slow all that the user runs down", try: func(World) error {
		return unix.Setpriority(unix.PRIO_USER, 0, 0)
	}},
}

// killedBy makes a descriptor report to its owner with SIGKILL.
func killedBy(w World, fd, other int) error {
	unix.FcntlInt(uintptr(fd), unix.F_SETSIG, int(unix.SIGKILL))
	unix.FcntlInt(uintptr(fd), unix.F_SETFL, unix.O_ASYNC)
	unix.Write(other, []byte("x"))
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
		if unix.Kill(w.Decoy, 0) == unix.ESRCH || zombie(w.Decoy) {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
	return fmt.Errorf("it lives")
}
