package pathguard

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse/command"
)

// TestBindMounts: a bind mount gives a file a second path without any link. What is forbidden
// stays forbidden by its inode, and ".." leads to where the mount stands. (C-7.2.13)
func TestBindMounts(t *testing.T) {
	if os.Getenv("TADA_TEST_MOUNTS") == "" {
		inMountNamespace(t)
		return
	}
	g, root := desk(t, "security: {restricted_paths: ['@/secret', '@/one/key'], readonly_paths: ['@/keep']}", "secret/in/key", "one/key", "keep/k", "home/dev/n", "w/win/", "w/keep/", "w/key", "w/mine/", "w/sub/a", "other/")
	for from, to := range map[string]string{"secret": "w/win", "one/key": "w/key", "keep": "w/keep",
		"w/sub": "other"} {
		if err := unix.Mount(root+"/"+from, root+"/"+to, "", unix.MS_BIND, ""); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { // or the directory cannot be removed
		for _, name := range []string{"w/win", "w/key", "w/keep", "other", "w/mine"} {
			unix.Unmount(root+"/"+name, unix.MNT_DETACH)
		}
	})
	if err := unix.Mount("tmpfs", root+"/w/mine", "tmpfs", 0, ""); err != nil {
		t.Fatal(err)
	}
	g.expect(t, Deny, "cat win/in/key", "ls win", "cat win/in/*", "echo x > win/new",
		"cat src/../win/in/key", "rm win/in/key", "tar cf x.tar win", "cat key")
	g.expect(t, Ask, "echo x > keep/k", "echo x > keep/new", "rm keep/k")
	g.expect(t, Allow, "cat keep/k", "echo x > mine/f", "cat mine/../src/a.go")
	for name, want := range map[string]string{"w/win/..": "w", "w/mine/../keep/k": "w/keep/k",
		"w/mine": "w/mine", "other/../w/sub/a": "w/sub/a"} {
		plan := resolved(t, one(command.Read, 0, root, name), resolve.Caller{Dir: root})
		if got := strings.TrimPrefix(plan.Targets[0].Real, root+"/"); got != want ||
			!plan.Targets[0].Exists {
			t.Errorf("%q: at %q, want %q", name, got, want)
		}
	}
	a := resolved(t, one(command.Read, 0, root, "w/sub/a"), resolve.Caller{Dir: root}).Targets[0]
	if b := resolved(t, one(command.Read, 0, root, "other/a"),
		resolve.Caller{Dir: root}).Targets[0]; a.ID != b.ID {
		t.Errorf("one file has two identities: %v %v", a.ID, b.ID)
	}
}

// inMountNamespace runs the test again where it may mount: in namespaces of its own.
func inMountNamespace(t *testing.T) {
	t.Helper()
	c := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
	c.Env = append(os.Environ(), "TADA_TEST_MOUNTS=1")
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(),
			Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(),
			Size: 1}},
		// Only a capability that is ambient outlives execve(2) of a uid that is not 0.
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN}}
	out, err := c.CombinedOutput()
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.ENOSPC):
		t.Skip("needs user namespaces (kernel.apparmor_restrict_unprivileged_userns, user.max_user_namespaces): ", err)
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	}
}

// TestOtherSpellings: one file by many names, as a table. A file system that folds case is
// judged by the spelling; this one does not, so another spelling is another file.
func TestOtherSpellings(t *testing.T) {
	g, root := desk(t, "security: {restricted_paths: ['@/secret', '@/one/key']}", "secret/key",
		"one/key", "w/l -> ../secret", "w/k -> ../secret/key", "w/up -> ..")
	if err := os.Link(root+"/one/key", root+"/w/hard"); err != nil {
		t.Fatal(err)
	}
	g.expect(t, Deny, "cat ../secret/key", "cat ../secret//key", "cat ../secret/./key",
		"cat ../secret/../secret/key", "cat l/key", "cat l/", "ls l/", "cat k", "cat up/secret/key",
		"cat /proc/self/cwd/../secret/key", "cat /proc/self/cwd/l/key",
		"cat /proc/thread-self/cwd/k", "cat /proc/self/root"+root+"/secret/key",
		"cat /dev/fd/../cwd/k",
		"cat $PWD/k", "cat \"$PWD\"/l/k*", "cd l && cat key", "cd up/secret; cat ./key", "rm l/key",
		"mv l/key .", "echo x > k", "chmod 0 k", "ls ../secret/", "rm -r l/", "cat < k", "cp k x",
		"cat hard", "echo x > hard", "cat /proc/self/task/1/../../cwd/k",
		"cat /proc/self/../self/cwd/k")
	g.expect(t, Allow, "rm l", "rm k", "ls -ld l/../src", "cat ../SECRET/key", "cat ../secret.txt",
		"cat /dev/fd/0", "echo x > /dev/fd/1", "cat /dev/stdin")
}
