package rlimit

import "unsafe"

// The numbers of getrlimit(2) and of the limit; package syscall has them, and must not be imported.
const resource = 7 // RLIMIT_NOFILE

// atStart has the layout of struct rlimit.
var atStart struct{ soft, hard uint64 }

// failed is the error number of the call, 0 for success.
var _, _, failed = rawSyscall6(prlimit64, 0, resource, 0, uintptr(unsafe.Pointer(&atStart)), 0, 0)

//go:linkname rawSyscall6 syscall.RawSyscall6
func rawSyscall6(number, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2, errno uintptr)

// OpenFiles returns the soft limit of open files that this process was started with. ok is false
// when the kernel did not say.
func OpenFiles() (soft uint64, ok bool) { return atStart.soft, failed == 0 }
