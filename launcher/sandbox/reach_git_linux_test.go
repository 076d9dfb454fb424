package sandbox

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker"
)

// git clones over HTTP from the host that is allowed.
func TestGitHTTP(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	top := repository(t)
	served := hostSite(t, "127.0.1.12", http.FileServer(http.Dir(top)))
	names := internet{"git.test": {served.addr}}
	bothLevels(t, func(t *testing.T, p Profile) {
		p = reaching(p, names, "git.test", "127.0.1.12")
		dir := p.Write[0].Name
		s, said, traffic := talk(t, p, "git", "clone", "-q",
			fmt.Sprintf("http://git.test:%d/r.git", served.port), filepath.Join(dir, "c"))
		if s.Shell() != 0 || !exists(filepath.Join(dir, "c/.git/HEAD")) {
			t.Errorf("%d %q %+v", s.Shell(), said, traffic)
		}
		if s, said, _ := talk(t, p, "git", "clone", "-q",
			fmt.Sprintf("http://other.test:%d/r.git", served.port),
			filepath.Join(dir, "d")); s.Shell() == 0 {
			t.Errorf("other: %q", said)
		}
	})
}

// sshd serves the user who runs the test, with his own key, until the test ends. It returns its
// port and the folder of the client's keys.
func sshd(t *testing.T, address string) (port int, keys string) {
	t.Helper()
	server, err := exec.LookPath("/usr/sbin/sshd")
	if err != nil {
		t.Skip("sshd is not installed")
	}
	if os.Getuid() == 0 {
		if _, err := os.Stat("/run/sshd"); err != nil {
			// its privilege separation wants it, and systemd makes it
			if err := os.Mkdir("/run/sshd", 0o755); err != nil {
				t.Skipf("sshd has nowhere to be: %v", err)
			}
			t.Cleanup(func() { os.Remove("/run/sshd") })
		}
	}
	keys = t.TempDir()
	for _, name := range []string{"host", "user"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f",
			filepath.Join(keys, name)).CombinedOutput(); err != nil {
			t.Skipf("ssh-keygen: %v %s", err, out)
		}
	}
	free, err := net.Listen("tcp4", address+":0")
	must(t, err)
	port = free.Addr().(*net.TCPAddr).Port
	free.Close()
	public, err := os.ReadFile(filepath.Join(keys, "user.pub"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(keys, "authorized"), public, 0o600))
	host, err := os.ReadFile(filepath.Join(keys, "host.pub"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(keys, "known"),
		fmt.Appendf(nil, "[git.test]:%d %s", port, host), 0o600))
	config := fmt.Sprintf("ListenAddress %s:%d\nHostKey %s/host\n"+
		"AuthorizedKeysFile %s/authorized\nPidFile none\nUsePAM no\nStrictModes no\n"+
		"PasswordAuthentication no\nPermitRootLogin yes\n", address, port, keys, keys)
	must(t, os.WriteFile(filepath.Join(keys, "config"), []byte(config), 0o600))
	cmd := exec.Command(server, "-D", "-e", "-f", filepath.Join(keys, "config"))
	var said strings.Builder
	if os.Getuid() != 0 {
		cmd = withAccount(t, keys, cmd)
	}
	cmd.Stderr = &said
	must(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for range 200 {
		if c, err := net.Dial("tcp4", net.JoinHostPort(address, fmt.Sprint(port))); err == nil {
			c.Close()
			return port, keys
		}
		time.Sleep(10 * time.Millisecond)
	}
	cmd.Process.Kill()
	cmd.Wait()
	t.Skipf("sshd does not start here: %s", said.String())
	return 0, ""
}

// withAccount returns the command in namespaces where the user has a shell and an account that is
// open, as users of services have neither. Where there are no namespaces it is as it was.
func withAccount(t *testing.T, dir string, cmd *exec.Cmd) *exec.Cmd {
	t.Helper()
	me, err := user.Current()
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "passwd"),
		fmt.Appendf(nil, "%s:x:%s:%s::/:/bin/sh\n", me.Username, me.Uid, me.Gid), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "shadow"),
		fmt.Appendf(nil, "%s:x:1::::::\n", me.Username), 0o600))
	other := func(argv ...string) *exec.Cmd {
		c := exec.Command(self(t))
		c.Args = append([]string{"account", dir, me.Uid, me.Gid}, argv...)
		c.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		return c
	}
	if other("true").Run() != nil {
		return cmd
	}
	return other(cmd.Args...)
}

// accountMain puts the account files of a folder over the machine's, and becomes the user again for
// a command, which it does not outlive.
func accountMain(args []string) {
	dir := args[0]
	uid, _ := strconv.Atoi(args[1])
	gid, _ := strconv.Atoi(args[2])
	err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	for _, name := range []string{"passwd", "shadow"} {
		err = errors.Join(err, unix.Mount(filepath.Join(dir, name), "/etc/"+name, "", unix.MS_BIND,
			""))
	}
	runtime.LockOSThread() // whose end is the command's
	cmd := exec.Command(args[3], args[4:]...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWUSER, Pdeathsig: syscall.SIGKILL,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: gid, Size: 1}},
	}
	if err = errors.Join(err, cmd.Run()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// git clones over SSH from the host that is allowed, with its keys, and not from another name of
// the same server.
func TestGitSSH(t *testing.T) {
	for _, name := range []string{"git", "ssh"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
	me, err := user.Current()
	must(t, err)
	port, keys := sshd(t, "127.0.1.23")
	bare := exec.Command("ssh", "-F", "none", "-i", keys+"/user", "-p", fmt.Sprint(port), "-o",
		"BatchMode=yes", "-o", "HostKeyAlias=[git.test]:"+fmt.Sprint(port), "-o",
		"UserKnownHostsFile="+keys+"/known", me.Username+"@127.0.1.23", "true")
	if out, err := bare.CombinedOutput(); err != nil {
		t.Skipf("sshd does not let this user in, fence or not: %v %s", err, out)
	}
	top := repository(t)
	names := internet{"git.test": {netip.MustParseAddr("127.0.1.23")}}
	bothLevels(t, func(t *testing.T, p Profile) {
		p = reaching(p, names, fmt.Sprintf("git.test:%d", port), "127.0.1.23")
		p.Read = append(p.Read, Path{Name: keys})
		dir := p.Write[0].Name
		ssh := fmt.Sprintf("GIT_SSH_COMMAND=ssh -F none -i %s/user -o BatchMode=yes -o UserKnownHostsFile=%s/known -o ConnectTimeout=10", keys, keys)
		clone := func(host, to string) (Status, string, broker.Traffic) {
			return talk(t, p, "env", ssh, "git", "clone", "-q",
				fmt.Sprintf("ssh://%s@%s:%d%s/r.git", me.Username, host, port, top),
				filepath.Join(dir, to))
		}
		if s, said, traffic := clone("git.test", "c"); s.Shell() != 0 ||
			!exists(filepath.Join(dir, "c/.git/HEAD")) || only(traffic, "tcp") == nil ||
			only(traffic, "tcp").Host != "git.test" {
			t.Errorf("%d %q %+v", s.Shell(), said, traffic)
		}
		if s, said, _ := clone("other.test", "d"); s.Shell() == 0 ||
			exists(filepath.Join(dir, "d")) {
			t.Errorf("other: %q", said)
		}
	})
}

// repository makes r.git with one commit, ready for servers that know nothing of git, and returns
// its folder.
func repository(t *testing.T) string {
	t.Helper()
	top := t.TempDir()
	for _, line := range []string{"git init -q w",
		"git -C w -c user.name=x -c user.email=x@y commit -q --allow-empty -m one",
		"git clone -q --bare w r.git", "git -C r.git update-server-info"} {
		cmd := exec.Command("bash", "-c", line)
		cmd.Dir = top
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v %s", line, err, out)
		}
	}
	return top
}
