package sandbox

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"
)

// Without a network there are no sockets but pairs, at both levels alike.
func TestOff(t *testing.T) {
	program := `
import socket
for family in range(64):
    for kind in [socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET]:
        try:
            socket.socket(family, kind, 0)
            print("a socket of", family, kind)
        except PermissionError:
            pass
a, b = socket.socketpair()
a.send(b"pair"); print(b.recv(9).decode())
`
	bothLevels(t, func(t *testing.T, p Profile) {
		if s, said, _ := talk(t, p, "python3", "-c", program); s.Shell() != 0 || said != "pair\n" {
			t.Errorf("%d %s", s.Shell(), said)
		}
		_, said, _ := talk(t, p, "bash", "-c",
			"exec 3<>/dev/tcp/127.0.0.1/80; python3 -c 'import socket; socket.socket()'")
		if d := p.ExplainOutput(said, "/"); len(d) != 1 || d[0].Object != "network" {
			t.Errorf("%q is explained by %+v", said, d)
		}
	})
}

// If no broker can answer for this machine's servers, a run at Strong still talks to itself.
func TestOwnLoopback(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	ll, err := queryLandlock()
	must(t, err)
	p := Readable()
	p.Network, p.Require, p.Most = Off, Strong, Strong
	out, in, err := os.Pipe()
	must(t, err)
	defer out.Close()
	b := &builder{attempt: attempt{profile: p,
		command: Command{Path: "/bin/bash", Argv: []string{"bash", "-c", `exec python3 -c '
import socket
s = socket.create_server(("127.0.0.1", 0))
c = socket.create_connection(s.getsockname())
s.accept()[0].send(b"itself")
print(c.recv(9).decode())'`}, Env: []string{"PATH=/usr/bin:/bin"}, Files: []*os.File{nil, in, in}}, landlock: ll, level: Strong, silent: true, unanswered: errors.New("another answers")}}
	process, _, err := b.start()
	in.Close()
	must(t, err)
	said, _ := io.ReadAll(out)
	if s, err := process.Wait(); err != nil || s.Shell() != 0 || string(said) != "itself\n" {
		t.Errorf("%v %v %s", s, err, said)
	}
}
