package served

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Etcd is a cluster that a test runs.
type Etcd struct {
	testing.TB
	nodes []*node
	wires *wires
}

// A node is one server of a cluster. It keeps its ports and its data when it is started again.
type node struct {
	*process
	program   string
	arguments []string
	client    string
}

// StartEtcd starts a cluster of n nodes and returns when all of them answer. They do not wait for
// the disk: a node that is killed has given its writes to the kernel.
func StartEtcd(t testing.TB, n int, more ...string) *Etcd {
	t.Helper()
	return begin(t, "http", n, more)
}

// StartSlowEtcd starts a cluster whose nodes wait for the disk, and some time more each time. It
// skips the test where strace is missing.
func StartSlowEtcd(t testing.TB, n int, more time.Duration) *Etcd {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip(err)
	}
	const sync = "fdatasync,fsync"
	return begin(t, "http", n, []string{"-no-fsync=false"}, strace, "-D", "-f", "--seccomp-bpf",
		"-qq", "-o", os.DevNull, "-e", "trace="+sync,
		"-e", fmt.Sprintf("inject=%s:delay_enter=%d", sync, more.Microseconds()))
}

// StartSecureEtcd starts a cluster that serves the clients of one registrar, whose folder is given.
func StartSecureEtcd(t testing.TB, n int, folder string) *Etcd {
	t.Helper()
	return begin(t, "https", n, []string{"-tls", folder})
}

func begin(t testing.TB, scheme string, n int, more []string, under ...string) *Etcd {
	t.Helper()
	command := append(under, program(t, etcdProgram))
	for try := 0; ; try++ {
		c, err := startEtcd(t, command, scheme, n, more)
		if err == nil {
			t.Cleanup(c.Stop)
			return c
		}
		if try == 3 { // a port may have been taken in the meantime
			t.Fatal(err)
		}
	}
}

func startEtcd(t testing.TB, command []string, scheme string, n int, more []string) (*Etcd, error) {
	ports, err := free(2 * n)
	if err != nil {
		return nil, err
	}
	c := &Etcd{TB: t}
	if c.wires, err = newWires(t, ports[n:]); err != nil {
		return nil, err
	}
	dir := t.TempDir()
	var peers []string
	for i, at := range c.wires.at {
		peers = append(peers, fmt.Sprintf("n%d=http://%s", i, at.Addr()))
	}
	for i := range n {
		c.nodes = append(c.nodes, &node{program: command[0], client: ports[i],
			arguments: slices.Concat(command[1:], []string{"-no-fsync",
				"-name", fmt.Sprintf("n%d", i), "-dir", filepath.Join(dir, fmt.Sprintf("n%d", i)),
				"-client", scheme + "://" + ports[i], "-peer", "http://" + ports[n+i],
				"-known", "http://" + c.wires.at[i].Addr().String(),
				"-token", filepath.Base(dir) + ports[0],
				"-cluster", strings.Join(peers, ",")}, more)})
	}
	for _, x := range c.nodes {
		if x.process, err = start(x.program, x.arguments...); err != nil {
			c.Stop()
			return nil, err
		}
	}
	for i, x := range c.nodes {
		if err := x.serves(time.Minute); err != nil {
			c.Stop()
			return nil, err
		}
		c.wires.name(i, x.said)
	}
	return c, nil
}

// Endpoints are the addresses for clients.
func (c *Etcd) Endpoints() []string {
	var all []string
	for _, x := range c.nodes {
		all = append(all, x.client)
	}
	return all
}

// Kill ends node i with SIGKILL.
func (c *Etcd) Kill(i int) { c.nodes[i].kill() }

// Start starts node i again, on the data that it had. It does not wait until the node answers.
func (c *Etcd) Start(i int) {
	x := c.nodes[i]
	p, err := start(x.program, x.arguments...)
	if err != nil {
		c.Fatal(err)
	}
	x.process = p
}

// Pause stops node i with SIGSTOP: it is there and does not answer, as behind a partition.
func (c *Etcd) Pause(i int) { c.nodes[i].signal(syscall.SIGSTOP) }

// Resume ends a pause.
func (c *Etcd) Resume(i int) { c.nodes[i].signal(syscall.SIGCONT) }

// Part parts node i from the others: nothing that it says reaches them, or nothing that they say
// reaches it, or both. Clients reach it as before.
func (c *Etcd) Part(i int, says, hears bool) { c.wires.part(i, says, hears) }

// Heal ends what Part began. Nothing that was said meanwhile arrives.
func (c *Etcd) Heal() { c.wires.heal() }

// Memory is how many KiB of memory node i has.
func (c *Etcd) Memory(i int) int { return c.nodes[i].memory() }

// Stop kills all nodes.
func (c *Etcd) Stop() {
	for _, x := range c.nodes {
		if x.process != nil {
			x.kill()
		}
	}
}

// free returns addresses that no one listens on now.
func free(n int) ([]string, error) {
	var all []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // after all are found, so that they differ
		all = append(all, l.Addr().String())
	}
	return all, nil
}
