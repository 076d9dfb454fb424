//go:build amd64 || arm64

package sandbox

import (
	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/seccomp"
)

// The ioctls of file systems change a file, or make and remove folders, through a descriptor that
// may only read: flags (chattr), the version, fs-verity, encryption, the subvolumes of Btrfs. The
// one right to ioctl that Landlock has is for devices. So of these types of ioctl only those are
// allowed that read, or copy to a file that is open for writing.

// fileControlTypes are the types: of ext4 and all file systems, of XFS, of Btrfs, of F2FS, of FAT.
var fileControlTypes = []uint32{'f', 'v', 'X', 0x94, 0xf5, 'r'}

var fileControlsAllowed = []uint32{
	unix.FICLONE, unix.FICLONERANGE, unix.FIDEDUPERANGE,
	unix.FS_IOC_GETFLAGS, 0x80046601, // FS_IOC32_GETFLAGS
	unix.FS_IOC_GET_ENCRYPTION_POLICY_EX, unix.FS_IOC_GET_ENCRYPTION_POLICY,
	unix.FS_IOC_MEASURE_VERITY, unix.FS_IOC_READ_VERITY_METADATA,
	0x801c581f,             // FS_IOC_FSGETXATTR
	0x80087601, 0x80047601, // FS_IOC_GETVERSION, FS_IOC32_GETVERSION
	0xc020660b, // FS_IOC_FIEMAP
	0x81009431, // FS_IOC_GETFSLABEL
	0x800c581e, // XFS_IOC_DIOINFO
	0xd0009412, // BTRFS_IOC_INO_LOOKUP
	0x80047210, // FAT_IOCTL_GET_ATTRIBUTES
}

// fileControlsRefused are those that programs such as chattr report, and so not as unknown.
var fileControlsRefused = []uint32{
	unix.FS_IOC_SETFLAGS, 0x40046602, // FS_IOC32_SETFLAGS
	0x401c5820, // FS_IOC_FSSETXATTR
	0x40087602, // FS_IOC_SETVERSION
}

// fileControls are the rules for them.
func fileControls() []seccomp.Rule {
	var list []seccomp.Rule
	on := func(v seccomp.Verdict, command uint32) {
		list = append(list, seccomp.On(unix.SYS_IOCTL, v, seccomp.Arg(1, command)))
	}
	for _, command := range fileControlsAllowed {
		on(seccomp.Allow, command)
	}
	for _, command := range fileControlsRefused {
		on(seccomp.Errno(unix.EPERM), command)
	}
	for _, kind := range fileControlTypes {
		list = append(list, seccomp.On(unix.SYS_IOCTL, seccomp.Errno(unix.ENOTTY),
			seccomp.Masked(1, 0xff00, kind<<8)))
	}
	return list
}
