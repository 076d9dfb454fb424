package attack

import (
	"net"
	"os"
	"path/filepath"
	"strconv"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// A plainWorld is what lines of a shell attack: files, servers and this process.
type plainWorld struct {
	Work, Outside, Hidden string // folders: writable, readable, out of reach
	socket                string
	stream                net.Listener
	packets               net.PacketConn
	local                 net.Listener
}

// inPlainWorld calls f with a new world.
func inPlainWorld(f func(*plainWorld) error) (err error) {
	top, err := os.MkdirTemp("", "attack")
	if err != nil {
		return err
	}
	defer os.RemoveAll(top)
	if top, err = filepath.EvalSymlinks(top); err != nil {
		return err
	}
	w := &plainWorld{Work: top + "/work", Outside: top + "/outside", Hidden: top + "/hidden",
		socket: top + "/outside/socket"}
	for _, name := range []string{"work/.env", "work/conf/.env", "work/kept/file", "work/other",
		"outside/file", "hidden/file"} {
		path := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte("secret\n"), 0o600); err != nil {
			return err
		}
	}
	if w.stream, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	defer w.stream.Close()
	if w.packets, err = net.ListenPacket("udp", "127.0.0.1:0"); err != nil {
		return err
	}
	defer w.packets.Close()
	if w.local, err = net.Listen("unix", w.socket); err != nil {
		return err
	}
	defer w.local.Close()
	return f(w)
}

// profile lets the lines write the workspace and read what is outside of it.
func (w *plainWorld) profile() sandbox.Profile {
	p := sandbox.Default(w.Work, "", w.Hidden, w.Work+"/.env", w.Work+"/conf/.env")
	p.Read = append(p.Read, sandbox.Path{Name: w.Outside})
	p.ReadOnly = []string{w.Work + "/kept"}
	return p
}

func (w *plainWorld) env() []string {
	port := func(a net.Addr) string {
		_, port, _ := net.SplitHostPort(a.String())
		return port
	}
	return []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "OUT=" + w.Outside, "HIDDEN=" + w.Hidden,
		"SOCKET=" + w.socket, "TCP=" + port(w.stream.Addr()),
		"UDP=" + port(w.packets.LocalAddr()), "PID=" + strconv.Itoa(os.Getpid())}
}
