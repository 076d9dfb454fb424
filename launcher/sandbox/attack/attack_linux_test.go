package attack

import (
	"errors"
	"os"
	"regexp"
	"runtime"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/sandbox"
)

// The test binary plays the attacker too.
func TestMain(m *testing.M) {
	if code, mine := Main(os.Args); mine {
		os.Exit(code)
	}
	races = hermetic.Rounds(5000)
	os.Exit(hermetic.Tests(m).Run())
}

// needsMachine are attacks on what a machine may not have; all others must be proven wherever these
// tests run.
var needsMachine = map[string]string{
	"kernel crypto socket": "CONFIG_CRYPTO_USER_API", "vsock": "CONFIG_VSOCKETS",
	"vsock connect": "CONFIG_VSOCKETS", "sctp": "CONFIG_IP_SCTP",
	"netlink audit":     "CONFIG_AUDIT",
	"netlink netfilter": "CONFIG_NETFILTER", "mptcp": "CONFIG_MPTCP",
	"netlink socket diagnosis": "CONFIG_INET_DIAG", "userfaultfd": "CONFIG_USERFAULTFD",
	"compare descriptors of": "CONFIG_KCMP", "io_uring": "sysctl kernel.io_uring_disabled=0",
	"io_uring socket": "sysctl kernel.io_uring_disabled=0", "fanotify": "CONFIG_FANOTIFY",
	"TIOCSTI":                          "sysctl dev.tty.legacy_tiocsti=1",
	"TIOCSTI, high bits":               "sysctl dev.tty.legacy_tiocsti=1",
	"xattr outside":                    "a file system with user.* attributes",
	"file flags outside":               "a file system with flags",
	"file version outside":             "ext4 without checksums of metadata",
	"place blocks of an outside file":  "ext4",
	"a device that a rename leaves":    "a file system with whiteouts",
	"load a module":                    "CONFIG_MODULES",
	"environment of process 1":         "an init that root may look into",
	"secret through root of process 1": "an init that root may look into",
	"listen on a server's port, IPv6":  "CONFIG_IPV6",
	"routing header":                   "CONFIG_IPV6", "IPv4 in IPv6": "CONFIG_IPV6",
	"int 0x80": "CONFIG_IA32_EMULATION, and a hypervisor that passes it on",
	"keyctl":   "CONFIG_KEYS", "add key": "CONFIG_KEYS",
	"smc":      "CONFIG_SMC",
	"udp lite": "CONFIG_IP_UDPLITE", "keys of the network": "CONFIG_NET_KEY",
	"ping socket of a user":                      "sysctl net.ipv4.ping_group_range",
	"packets past the kernel":                    "CONFIG_XDP_SOCKETS",
	"serve other machines, IPv6":                 "CONFIG_IPV6",
	"the program that takes core dumps":          "a /proc/sys that root may write",
	"settings of the machine's network":          "a /proc/sys that root may write",
	"the program that loads modules":             "CONFIG_MODULES",
	"keys that restart the machine":              "CONFIG_MAGIC_SYSRQ",
	"the disk below the files":                   "a root that may open disks",
	"the disk below the files, by an own device": "a root that may open disks",
	"the log of the kernel":                      "/dev/kmsg",
	"a file system in a process":                 "/dev/fuse",
	"a network card in a process":                "/dev/net/tun",
	"a virtual machine":                          "/dev/kvm",
	"faults by a device":                         "/dev/userfaultfd",
	"leave the control group":                    "control groups that root may write",
	"mark an outside file by the new call":       "Linux 6.13",
	"flags of an outside file by the new call":   "Linux 6.17",
	"namespace of another by pidfd":              "Linux 6.11",
	"link a handle of a secret by an empty path": "Linux 6.10",
	"mark a hidden file":                         "a file system with user.* attributes",
	"mark a kept file":                           "a file system with user.* attributes",
	"mark a shared file":                         "a file system with user.* attributes",
	"a core dump outside":                        "sysctl kernel.core_pattern=core",
	"a program with capabilities":                "a file system with security.* attributes",
	"an attribute for the system":                "a file system with trusted.* attributes",
	"a file that nobody changes":                 "a file system with flags",
	"stop a file system":                         "/dev/shm in memory",
	"the screen of the console":                  "/dev/vcs1",
	"the console":                                "/dev/console",
	"a device that is in the workspace":          "a root that may make devices",
	"write to a device that is in the workspace": "a root that may make devices",
	"POSIX messages":                             "CONFIG_POSIX_MQUEUE",
	"remove a POSIX queue":                       "CONFIG_POSIX_MQUEUE",
}

// Attacks of two threads keep two processors busy: two of them at once would take several times as
// long as one after the other.
var (
	raced  = regexp.MustCompile("swap|thread|moved under|comes and goes|counted in")
	racing sync.Mutex
)

// E-bkr-1, E-bkr-2, E-bkr-3, E-chan-5, C-3.1.5: every known way out, at every level, and the proof
// that each is one.
func TestAttacks(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range List() {
		if seen[a.Name] {
			t.Errorf("two attacks are called %q", a.Name)
		}
		seen[a.Name] = true
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			if raced.MatchString(a.Name) {
				racing.Lock()
				defer racing.Unlock()
			}
			rows, err := a.Try(sandbox.Base, sandbox.Strong)
			if err != nil {
				t.Error(err)
			}
			for _, row := range rows {
				switch {
				case row.Outcome == Broken:
					t.Errorf("%v: it works, and the receipt does not say so", row.Level)
				case row.Outcome == Unproven && !(a.Root && os.Geteuid() != 0):
					if needsMachine[a.Name] == "" {
						t.Errorf("%v: without a sandbox the attack must work: %s", row.Level,
							row.Note)
					} else {
						t.Logf("not proven: needs %s: %s", needsMachine[a.Name], row.Note)
					}
				case row.Outcome == Told && row.Level == sandbox.Strong:
					t.Errorf("strong has lost %s", row.Note)
				}
			}
		})
	}
}

// A container's root cannot mount: what cannot be tried there is told as such, and the rest of the
// table stands.
func TestContainerRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root has a bounding set to give up")
	}
	done := make(chan struct{})
	go func() { // its thread ends with it, because it is never unlocked
		defer close(done)
		runtime.LockOSThread()
		header, sets := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3},
			[2]unix.CapUserData{}
		err := errors.Join(unix.Prctl(unix.PR_CAPBSET_DROP, unix.CAP_SYS_ADMIN, 0, 0, 0),
			unix.Capget(&header, &sets[0]))
		sets[0].Effective &^= 1 << unix.CAP_SYS_ADMIN
		sets[0].Permitted &^= 1 << unix.CAP_SYS_ADMIN
		if err := errors.Join(err, unix.Capset(&header, &sets[0])); err != nil {
			t.Error(err)
			return
		}
		for _, a := range List() {
			want, tried := map[string]Outcome{"mount": Unproven, "change routes": Unproven,
				"write outside": Held}[a.Name]
			if !tried {
				continue
			}
			if rows, err := a.Try(sandbox.Base); err != nil || rows[0].Outcome != want {
				t.Errorf("%q: %v %v, want %v", a.Name, rows, err, want)
			}
		}
	}()
	<-done
}
