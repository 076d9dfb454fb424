package attack

import (
	"errors"
	"fmt"
	"runtime/debug"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// archAttacks come in by another architecture's door: it has its own numbers, and filters that do
// not look at the door let them through.
var archAttacks = []Attack{
	// The 32-bit entry has its own numbers: 359 is socket there.
	{Name: "int 0x80", try: func(World) error {
		code := []byte{
			0xb8, 0x67, 0x01, 0, 0, // mov eax, 359
			0xbb, 1, 0, 0, 0, // mov ebx, AF_UNIX
			0xb9, 1, 0, 0, 0, // mov ecx, SOCK_STREAM
			0x31, 0xd2, // xor edx, edx
			0xcd, 0x80, // int 0x80
			0x48, 0x98, // cdqe
			0xc3, // ret
		}
		page, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC,
			unix.MAP_ANON|unix.MAP_PRIVATE)
		if err != nil {
			return err
		}
		copy(page, code)
		entry := uintptr(unsafe.Pointer(&page[0]))
		pointer := &entry
		return orFault(func() error {
			if r := int((*(*func() uintptr)(unsafe.Pointer(&pointer)))()); r < 0 {
				return syscall.Errno(-r)
			}
			return nil
		})
	}},
	// Not built into most kernels: ENOSYS is then the kernel's own answer, and the sandbox kills
	// before that.
	{Name: "x32", try: func(World) error {
		_, _, errno := syscall.RawSyscall(0x40000000|unix.SYS_GETPID, 0, 0, 0)
		if errno != 0 && errno != unix.ENOSYS {
			return errors.New(fmt.Sprint(errno))
		}
		return nil
	}},
}

// orFault returns what try returns, or the fault that ended it: where a hypervisor does not pass
// the 32-bit entry on, the instruction is a fault, and the attack does not work on that machine.
func orFault(try func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%v", fault)
		}
	}()
	return try()
}
