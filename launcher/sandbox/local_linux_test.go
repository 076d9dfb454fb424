package sandbox

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// localMain has Unix sockets of its own in dir and tries those of others; each line says what came
// of it.
func localMain(args []string) {
	dir, foreign := args[0], args[1]
	say := func(what string, err error) {
		text := "ok"
		var errno syscall.Errno
		if errors.As(err, &errno) {
			text = errno.Error()
		} else if err != nil {
			text = err.Error()
		}
		fmt.Println(what+":", text)
	}
	server := func(name string) *net.UnixListener {
		l, err := net.Listen("unix", name)
		if err != nil {
			say("listen", err)
			os.Exit(0)
		}
		go echo(l)
		return l.(*net.UnixListener)
	}
	hello := func(name string) error {
		c, err := net.Dial("unix", name)
		if err != nil {
			return err
		}
		defer c.Close()
		b := make([]byte, 5)
		if _, err := c.Write([]byte("hello")); err != nil {
			return err
		}
		_, err = io.ReadFull(c, b)
		return err
	}
	os.Chdir(dir)
	l := server(dir + "/s")
	say("absolute", hello(dir+"/s"))
	say("relative", hello("./s"))
	os.Symlink("s", "link")
	say("link", hello(dir+"/link"))
	os.Rename("s", "moved")
	say("moved", hello("moved"))
	say("old name", hello("s"))
	l.SetUnlinkOnClose(false)
	l.Close()
	say("left behind", hello("moved"))
	say("a file", hello(os.Args[0]))
	os.WriteFile("file", nil, 0o600)
	say("a file of one's own", hello("file"))
	for i := range 600 { // more than are held at the same time, one after the other
		name := fmt.Sprint("n", i)
		l := server(name)
		if err := hello(name); err != nil {
			say("many", err)
		}
		l.Close()
	}
	packets, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: dir + "/p", Net: "unixpacket"})
	if err == nil {
		go func() { packets.Accept() }()
		var c net.Conn
		if c, err = net.Dial("unixpacket", dir+"/p"); err == nil {
			c.Close()
		}
	}
	say("packets", err)
	abstract, err := net.Listen("unix", "@"+dir)
	if err == nil {
		go func() { abstract.Accept() }()
		_, err = net.Dial("unix", "@"+dir)
	}
	say("abstract", err)
	say("another's", hello(foreign))
	say("another's, abstract", hello("@"+foreign))
	_, err = net.Dial("unixgram", foreign)
	say("datagrams", err)
	os.Symlink(foreign, "theirs")
	say("another's by a link", hello("theirs"))
	_, err = net.Listen("unix", filepath.Dir(foreign)+"/mine")
	say("listen elsewhere", err)
	interfaces, err := net.Interfaces()
	if err == nil && len(interfaces) == 0 {
		err = errors.New("none")
	}
	say("interfaces", err)
}

// A run whose network calls are answered has Unix sockets among its own processes, and reaches no
// others.
func TestLocalSockets(t *testing.T) {
	bothLevels(t, func(t *testing.T, p Profile) {
		dir := p.Write[0].Name
		outside, err := os.MkdirTemp("", "out")
		must(t, err)
		t.Cleanup(func() { os.RemoveAll(outside) })
		foreign := outside + "/sock"
		serve(t, "unix", foreign)
		serve(t, "unix", "@"+foreign)
		p.Network, p.Reach.Localhost = Hosts, true
		from, in, err := os.Pipe()
		must(t, err)
		process, _, err := Start(p, Command{Path: self(t), Argv: []string{"local", dir, foreign},
			Files: []*os.File{nil, in, in}})
		in.Close()
		must(t, err)
		text, _ := io.ReadAll(from)
		process.Wait()
		out, traffic := string(text), process.Traffic()
		want := `absolute: ok
relative: ok
link: ok
moved: ok
old name: no such file or directory
left behind: connection refused
a file: no such file or directory
a file of one's own: connection refused
packets: ok
abstract: ok
another's: permission denied
another's, abstract: connection refused
datagrams: permission denied
another's by a link: permission denied
listen elsewhere: read-only file system
interfaces: ok
`
		if p.Most == Base {
			want = strings.NewReplacer("abstract: ok", "abstract: permission denied",
				"abstract: connection refused", "abstract: permission denied",
				"read-only file system", "permission denied").Replace(want)
		}
		if out != want {
			t.Errorf("%s\nwant\n%s", out, want)
		}
		if list := traffic.Connections; len(list) != 1 || list[0].Host != foreign ||
			!list[0].Refused || list[0].Count != 2 {
			t.Errorf("%+v", traffic)
		}
	})
}
