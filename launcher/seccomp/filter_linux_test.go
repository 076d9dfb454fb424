package seccomp

import (
	"testing"

	"golang.org/x/sys/unix"
)

// The filter of the other architecture, by its numbers: another word is killed, a 32-bit program's
// too.
func TestOtherArchitecture(t *testing.T) {
	const arm64, arm, mount, socket, read = 0xc00000b7, 0x40000028, 40, 198, 63
	p := compile(arm64, 0, 0, []Rule{
		On(mount, Errno(unix.EPERM)),
		On(socket, Allow, Arg(0, unix.AF_INET), Masked(1, 0xf, unix.SOCK_STREAM)),
		On(socket, Errno(unix.EACCES)),
	})
	for _, test := range []struct {
		d    Call
		want Verdict
	}{
		{Call{Nr: read, Arch: arm64}, Allow}, {Call{Nr: mount, Arch: arm64}, Errno(unix.EPERM)},
		{Call{Nr: read, Arch: arm}, Kill}, {Call{Nr: read, Arch: unix.AUDIT_ARCH_X86_64}, Kill},
		{Call{Nr: socket, Arch: arm64,
			Args: [6]uint64{unix.AF_INET, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}}, Allow},
		{Call{Nr: socket, Arch: arm64, Args: [6]uint64{unix.AF_UNIX, unix.SOCK_STREAM}},
			Errno(unix.EACCES)},
		{Call{Nr: socket, Arch: arm64, Args: [6]uint64{1<<32 | unix.AF_INET, unix.SOCK_DGRAM}},
			Errno(unix.EACCES)},
		{Call{Nr: 0x40000000 | mount, Arch: arm64}, Allow}, // no such call there
	} {
		if got := p.Decide(test.d); got != test.want {
			t.Errorf("%+v: %#x, want %#x", test.d, got, test.want)
		}
	}
}

// Numbers that mean another architecture's calls, or no call that is known, are killed.
func TestForeignNumbers(t *testing.T) {
	for _, nr := range []uint32{0x40000000, 0x40000000 | unix.SYS_GETPID, 0xffffffff} {
		want := Allow
		if firstForeign != 0 {
			want = Kill
		}
		if got := Compile(0, nil).Decide(Call{Nr: nr, Arch: Arch}); got != want {
			t.Errorf("%#x: %#x", nr, got)
		}
	}
}

// Calls that are newer than the rules do not exist, and the others are as without that.
func TestNewerCalls(t *testing.T) {
	const newest = 469
	p := Compile(newest, []Rule{On(newest, Errno(unix.EPERM)), On(3, Ask)})
	for nr, want := range map[uint32]Verdict{3: Ask, 4: Allow, newest - 1: Allow,
		newest: Errno(unix.EPERM), newest + 1: Errno(unix.ENOSYS), 4711: Errno(unix.ENOSYS),
		0x3fffffff: Errno(unix.ENOSYS)} {
		if got := p.Decide(Call{Nr: nr, Arch: Arch}); got != want {
			t.Errorf("%d: %#x, want %#x", nr, got, want)
		}
	}
}
