package sandbox

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker/network"
)

// A world of its own: a network namespace in which public, private and metadata addresses are this
// test's servers. There the difference between them can be seen, which is hidden where everything
// stands on 127.0.0.0/8.
const (
	publicOne   = "93.184.216.34"
	publicTwo   = "151.101.1.69"
	publicSix   = "2606:4700::1111"
	private     = "10.9.8.7"
	privateSix  = "fd12::7"
	metadata    = "169.254.169.254"
	metadataSix = "fd00:ec2::254"
	itself      = "203.0.113.50"
)

// worldNames are the names of that world. Of its addresses, which are all on one loopback, one
// counts as its machine's own.
type worldNames struct{ internet }

func (w worldNames) Own(addr netip.Addr) bool {
	return addr.String() == itself && network.System().Own(addr)
}

// worldMain is the machine of that world: it serves, launches, and says what went wrong.
func worldMain(args []string) {
	fail := func(err error) {
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	four, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	fail(err)
	six, err := unix.Socket(unix.AF_INET6, unix.SOCK_DGRAM, 0)
	fail(err)
	up, err := unix.NewIfreq("lo")
	fail(err)
	up.SetUint16(unix.IFF_UP)
	fail(unix.IoctlIfreq(four, unix.SIOCSIFFLAGS, up))
	for i, text := range []string{publicOne, publicTwo, private, metadata, publicSix, privateSix,
		metadataSix, itself} {
		addr := netip.MustParseAddr(text)
		fd := four
		if addr.Is6() {
			fd = six
		}
		fail(addAddress(fd, addr, i))
		// The wildcard would do, but a server each says who was reached.
		probe, err := unix.Socket(map[bool]int{true: unix.AF_INET,
			false: unix.AF_INET6}[addr.Is4()], unix.SOCK_STREAM, 0)
		fail(err)
		at := network.Sockaddr(netip.AddrPortFrom(addr, 0))
		for err = unix.Bind(probe, at); err == unix.EADDRNOTAVAIL; err = unix.Bind(probe, at) {
			time.Sleep(time.Millisecond) // one of IPv6 counts a moment later
		}
		fail(err)
		unix.Close(probe)
		l, err := net.Listen("tcp", netip.AddrPortFrom(addr, 80).String())
		fail(err)
		go http.Serve(l, pages(text))
	}
	level := Strong
	if args[0] == Base.String() {
		level = Base
	}
	addrs := func(list ...string) (out []netip.Addr) {
		for _, text := range list {
			out = append(out, netip.MustParseAddr(text))
		}
		return out
	}
	names := worldNames{internet{
		"one.test": addrs(publicOne), "two.test": addrs(publicTwo), "six.test": addrs(publicSix),
		"both.test":  addrs(publicSix, publicOne),
		"inner.test": addrs(private), "inner6.test": addrs(privateSix),
		"cloud.test": addrs(metadata), "cloud6.test": addrs(metadataSix),
		"mixed.test": addrs(metadata, publicOne),
		"self.test":  addrs(itself),
		"loop.test":  addrs("127.0.0.1"),
		"none.test":  {},
		"many.test":  many(addrs(publicOne)[0]),
	}}
	for _, c := range []struct {
		rules []string
		url   string
		want  string // the host that answers; "" is none
		why   string // of what was refused
	}{
		{[]string{"one.test:80"}, "one.test", publicOne, ""},
		{[]string{"one.test"}, "two.test", "", "no rule allows it"},
		{[]string{"one.test"}, publicOne, publicOne, ""}, // an allowed name leads there
		{[]string{"one.test"}, publicTwo, "", "no rule"},
		{[]string{"one.test:443"}, "one.test", "", "port"},
		{[]string{"six.test"}, "six.test", publicSix, ""},
		{[]string{"both.test"}, "both.test", publicSix, ""},
		{[]string{"*.test"}, "two.test", publicTwo, ""},
		{[]string{"*.test"}, "cloud.test", "", "the credentials of the machine"},
		{[]string{"*.test"}, "cloud6.test", "", "the credentials of the machine"},
		{[]string{"inner.test"}, "inner.test", "", "a private network"},
		{[]string{"inner6.test"}, "inner6.test", "", "a private network"},
		{[]string{"mixed.test"}, "mixed.test", publicOne, ""},
		{[]string{"mixed.test"}, metadata, "", "the credentials of the machine"},
		{[]string{"inner.test", "10.9.8.0/24"}, "inner.test", private, ""},
		{[]string{"10.9.8.7:80"}, private, private, ""},
		{[]string{"10.9.8.7:81"}, private, "", ""},
		{[]string{"[fd12::7]:80"}, "[" + privateSix + "]", privateSix, ""},
		{[]string{"self.test"}, "self.test", "", "it resolves to 203.0.113.50 (this machine)"},
		{[]string{"203.0.113.0/24"}, itself, "", "this machine"},
		{[]string{"self.test", itself}, "self.test", itself, ""},
		{[]string{"cloud.test", metadata}, "cloud.test", metadata, ""},
		// A person is asked about what no rule allows: + allows it, - does not.
		{[]string{"+"}, "one.test", publicOne, ""},
		{[]string{"+"}, "six.test", publicSix, ""},
		{[]string{"+"}, "both.test", publicSix, ""},
		{[]string{"+"}, publicTwo, publicTwo, ""},
		{[]string{"+"}, "[" + publicSix + "]", publicSix, ""},
		{[]string{"+"}, "inner.test", private, ""}, // and was told where it leads
		{[]string{"+"}, private, private, ""},
		{[]string{"+"}, "many.test", publicOne, ""},
		{[]string{"+"}, "mixed.test", publicOne, ""},
		{[]string{"-"}, "one.test", "", "no, said the test"},
		{[]string{"-"}, publicOne, "", "no, said the test"},
		{[]string{"+"}, "cloud.test", "", "it resolves to 169.254.169.254 (the credentials"},
		{[]string{"+"}, "cloud6.test", "", "it resolves to fd00:ec2::254 (the credentials"},
		{[]string{"+"}, metadata, "", "the credentials of the machine"},
		{[]string{"+"}, "[" + metadataSix + "]", "", "the credentials of the machine"},
		{[]string{"+"}, "self.test", "", "it resolves to 203.0.113.50 (this machine)"},
		{[]string{"+"}, itself, "", ""},
		{[]string{"+"}, "loop.test", "", "it resolves to 127.0.0.1 (this machine)"},
		{[]string{"+"}, "none.test", "", "it has no address"},
		{[]string{"+"}, "nowhere.test", "", "there is no such name"},
		{[]string{"two.test", "-"}, "two.test", publicTwo, ""}, // what a rule allows is not asked
	} {
		p := Readable()
		p.Require, p.Most, p.Network, p.Names = level, level, Hosts, names
		if last := c.rules[len(c.rules)-1]; last == "+" || last == "-" {
			c.rules = c.rules[:len(c.rules)-1]
			p.Reach.Ask = answering(last == "+", c.url)
		}
		for _, text := range c.rules {
			rule, err := network.ParseRule(text)
			fail(err)
			rule.Local = true
			p.Reach.Rules = append(p.Reach.Rules, rule)
		}
		out, in, err := os.Pipe()
		fail(err)
		process, _, err := Start(p, Command{Path: "/bin/bash",
			Argv:  []string{"bash", "-c", "curl -sS -g -m 10 http://" + c.url + "/"},
			Env:   []string{"PATH=/usr/bin:/bin", "HOME=/nowhere", "LC_ALL=C"},
			Files: []*os.File{nil, in, in}})
		in.Close()
		fail(err)
		said, _ := io.ReadAll(out)
		out.Close()
		process.Wait()
		why := ""
		for _, e := range process.Traffic().Connections {
			why += e.Why
		}
		if got, ok := strings.CutPrefix(strings.TrimSpace(string(said)),
			"hello from "); ok != (c.want != "") || ok && got != c.want ||
			!strings.Contains(why, c.why) {
			fmt.Printf("%q to %s: said %q, refused because %q\n", c.rules, c.url, said, why)
		}
	}
	fmt.Println("done")
}

// answering answers as a person who reads: a private network is told of before it is reached.
func answering(yes bool, url string) func(context.Context, network.Want) network.Word {
	return func(_ context.Context, w network.Want) network.Word {
		switch {
		case w.Port != 80 || strings.Trim(url, "[]") != w.Host ||
			!strings.HasSuffix(w.Path, "curl") || w.Own || w.ID == "":
			return network.Word{Why: fmt.Sprintf("another question: %+v", w)}
		case strings.HasPrefix(url, private) && !strings.Contains(w.Leads, "a private network"):
			return network.Word{Why: "it was not said where it leads"}
		}
		return network.Word{OK: yes, Why: "no, said the test"}
	}
}

// many are 500 addresses of which the first answers.
func many(first netip.Addr) []netip.Addr {
	list := []netip.Addr{first}
	for i := range 499 {
		list = append(list, netip.AddrFrom4([4]byte{93, 184, byte(i >> 8), byte(i)}))
	}
	return list
}

// Private, link-local and metadata addresses are refused unless they are named, also when an
// allowed name leads to them; public ones by their names only.
func TestWorld(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	for _, level := range []Level{Base, Strong} {
		t.Run(level.String(), func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(self(t))
			cmd.Args = []string{"world", level.String()}
			cmd.SysProcAttr = &syscall.SysProcAttr{
				Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
				UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
			}
			out, err := cmd.CombinedOutput()
			if len(out) == 0 && err != nil {
				t.Skipf("no network namespace of the test's own: %v", err)
			}
			if string(out) != "done\n" || err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// addAddress puts an address on the loopback, as its alias number at. Socket fd is of the same
// family.
func addAddress(fd int, addr netip.Addr, at int) error {
	var request [40]byte
	if addr.Is4() { // struct ifreq
		copy(request[:], fmt.Sprintf("lo:%c", 'a'+at))
		binary.NativeEndian.PutUint16(request[16:], unix.AF_INET)
		copy(request[20:], addr.AsSlice())
	} else { // struct in6_ifreq
		copy(request[:], addr.AsSlice())
		binary.NativeEndian.PutUint32(request[16:], 128)
		binary.NativeEndian.PutUint32(request[20:], 1)
	}
	p := unsafe.Pointer(&request)
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCSIFADDR,
		uintptr(p)); errno != 0 {
		return errno
	}
	return nil
}
