//go:build amd64 || arm64

package attack

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker"
	"github.com/tada-run/tada-run/launcher/broker/network"
	"github.com/tada-run/tada-run/launcher/sandbox"
)

// A World is what attacks aim at. It travels to the attacker in the environment.
type World struct {
	paths
	addresses
	numbers
	Terminal string
	Level    string

	hosts  bool // the sandbox lets Friend be reached, and the run's own servers where not serves
	serves bool
	undo   []func()
	tty    *os.File // the attacker's terminal
	leak   *os.File // a file that is open in the launcher and that an exec would inherit
}

// The paths of a world.
type paths struct {
	Workspace, Outside   string // folders: writable, and not
	Open, Secret, Hidden string // readable; a hidden file and a hidden folder
	Kept                 string // read-only in the workspace
	Shared               string // a directory like /tmp, with entries of others
	Queue                string // of POSIX
}

// secretFile and deep are secrets in the workspace: at its top, and in a folder.
func (w World) secretFile() string { return w.Workspace + "/.env" }
func (w World) deep() string       { return w.Workspace + "/conf/.env" }

// node is that of a terminal of the console, which only root can have put there.
func (w World) node() string { return w.Workspace + "/sub/tty" }

// The addresses of a world, of servers but for Listen.
type addresses struct {
	TCP, UDP, Unix, Datagram, Abstract string
	// gives every client a socket that is connected to TCP
	Giver  string
	Friend string // may be reached where hosts may
	Listen string // free, and visited
	Joint  string // a port that others may join (SO_REUSEPORT)
	// of a server that means all addresses
	Everywhere string
	Network    string // as /proc has it: what abstract names are of
}

// The numbers of a world.
type numbers struct {
	Launcher, Decoy int
	// when they began: with the number, that identifies the process
	LauncherBirth, DecoyBirth string
	Segment, Set, Messages    int // of System V
	Key                       int // of the segment
	Races                     int // see races
}

const (
	argv0    = "tada-attack"
	worldKey = "TADA_ATTACK_WORLD"
	leakSize = 7919 // the size of the leaked file, to know it by
)

// close takes the world down.
func (w *World) close() {
	for i := len(w.undo) - 1; i >= 0; i-- {
		w.undo[i]()
	}
}

func (w *World) later(f func()) { w.undo = append(w.undo, f) }

// newWorld builds a world in a folder of its own. On an error nothing of it is left.
func newWorld(self string) (*World, error) {
	w := &World{numbers: numbers{Launcher: os.Getpid(), LauncherBirth: birth(os.Getpid()),
		Races: races}}
	for _, build := range []func() error{
		w.files, w.links, w.shared, w.servers, w.terminals, w.objects,
		func() error { return w.decoy(self) }} {
		if err := build(); err != nil {
			w.close()
			return nil, fmt.Errorf("build what is to be attacked: %w", err)
		}
	}
	return w, nil
}

func (w *World) files() error {
	top, err := os.MkdirTemp("", "tada-attack-")
	if err != nil {
		return err
	}
	w.later(func() { os.RemoveAll(top) })
	if top, err = filepath.EvalSymlinks(top); err != nil {
		return err
	}
	w.Workspace, w.Outside, w.Kept = top+"/ws", top+"/outside", top+"/ws/conf/kept"
	readable := top + "/readable"
	w.Open, w.Secret, w.Hidden = readable+"/open", readable+"/secret", readable+"/hidden"
	w.Unix, w.Datagram, w.Giver, w.Abstract = top+"/sock", top+"/dgram", top+"/giver", top
	for _, dir := range []string{top + "/ws/conf", top + "/ws/sub", w.Outside, w.Hidden} {
		err = errors.Join(err, os.MkdirAll(dir, 0o700))
	}
	for _, file := range []string{w.Outside + "/file", w.Outside + "/spare", w.Secret,
		w.Hidden + "/key", w.Kept, w.Open,
		w.secretFile(), w.deep(), w.Workspace + "/sub/own"} {
		err = errors.Join(err, os.WriteFile(file, []byte("secret"), 0o600))
	}
	err = errors.Join(err, os.Symlink("far/away", w.Hidden+"/link"))
	err = errors.Join(err, os.WriteFile(w.Workspace+"/conf/.env.sh", []byte("#!/bin/true\n"),
		0o700))
	err = errors.Join(err, os.WriteFile(w.Workspace+"/own", []byte("own"), 0o600),
		unix.Mkfifo(w.Outside+"/fifo", 0o600))
	_ = unix.Mknod(w.node(), unix.S_IFCHR|0o600, 4<<8|1)
	if err != nil {
		return err
	}
	fifo, err := os.OpenFile(w.Outside+"/fifo", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	w.later(func() { fifo.Close() })
	if w.leak, err = os.Create(top + "/leak"); err != nil {
		return err
	}
	w.later(func() { w.leak.Close() })
	_, err = unix.FcntlInt(w.leak.Fd(), unix.F_SETFD, 0)
	return errors.Join(err, w.leak.Truncate(leakSize))
}

// single is a file of the workspace alone.
func (w *World) single() string { return w.Workspace + "/single" }

func (w *World) linked() string { return w.Workspace + "/theirs" }

func (w *World) linkedPackage() string { return w.Workspace + "/node_modules/pkg/index.js" }

// links makes them.
func (w *World) links() error {
	err := os.MkdirAll(w.Workspace+"/node_modules/pkg", 0o700)
	for _, name := range []string{w.linked(), w.linkedPackage()} {
		store := w.Outside + "/" + strconv.Itoa(len(name))
		err = errors.Join(err, os.WriteFile(store, []byte("theirs"), 0o600), os.Link(store, name))
	}
	return errors.Join(err, os.WriteFile(w.single(), []byte("own"), 0o600))
}

// shared fills a directory like /tmp with what other programs keep there.
func (w *World) shared() error {
	w.Shared = filepath.Dir(w.Workspace) + "/shared"
	var err error
	for _, dir := range []string{"/tmux-0", "/folder", "/empty"} {
		err = errors.Join(err, os.MkdirAll(w.Shared+dir, 0o700))
	}
	err = errors.Join(err, os.Chmod(w.Shared, 0o777|os.ModeSticky))
	for _, file := range []string{"/cc1.s", "/tmp.script", "/lock", "/folder/file"} {
		err = errors.Join(err, os.WriteFile(w.Shared+file, []byte("secret"), 0o600))
	}
	for _, name := range []string{"/tmux-0/default", "/daemon.sock"} {
		_, bad := w.serve("unix", w.Shared+name)
		err = errors.Join(err, bad)
	}
	return err
}

// servers answer every client, and one passes the connection to the process that listens.
func (w *World) servers() error {
	var err error
	if w.Network, err = os.Readlink("/proc/self/ns/net"); err != nil {
		return err
	}
	if w.TCP, err = w.serve("tcp4", "127.0.0.1:0"); err != nil {
		return err
	}
	if w.Everywhere, err = w.serve("tcp4", "0.0.0.0:0"); err != nil {
		return err
	}
	if w.Joint, err = w.joint(); err != nil {
		return err
	}
	if w.Friend, err = w.serve("tcp4", "127.0.0.1:0"); err != nil {
		return err
	}
	for _, s := range [][2]string{{"unix", w.Unix}, {"unix", "@" + w.Abstract}} {
		if _, err = w.serve(s[0], s[1]); err != nil {
			return err
		}
	}
	for _, name := range []string{w.Giver, "@" + w.Giver} {
		if err = w.give(name); err != nil {
			return err
		}
	}
	if w.UDP, err = w.servePacket("udp4", "127.0.0.1:0"); err != nil {
		return err
	}
	if _, err = w.servePacket("unixgram", w.Datagram); err != nil {
		return err
	}
	free, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	w.Listen = free.Addr().String()
	return free.Close()
}

func (w *World) serve(network, address string) (string, error) {
	l, err := net.Listen(network, address)
	if err != nil {
		return "", err
	}
	w.later(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c); c.Close() }()
		}
	}()
	return l.Addr().String(), nil
}

// joint listens at a port that other programs of the user may join.
func (w *World) joint() (string, error) {
	fd, err := listenJoint(unix.AF_INET, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	if err != nil {
		return "", err
	}
	w.later(func() { unix.Close(fd) })
	sa, err := unix.Getsockname(fd)
	if four, ok := sa.(*unix.SockaddrInet4); ok {
		return fmt.Sprintf("127.0.0.1:%d", four.Port), nil
	}
	return "", err
}

func (w *World) servePacket(network, address string) (string, error) {
	c, err := net.ListenPacket(network, address)
	if err != nil {
		return "", err
	}
	w.later(func() { c.Close() })
	go func() {
		b := make([]byte, 64)
		for {
			n, from, err := c.ReadFrom(b)
			if err != nil {
				return
			}
			_, _ = c.WriteTo(b[:n], from)
		}
	}()
	return c.LocalAddr().String(), nil
}

// visit comes to the process that listens at w.Listen until done is closed.
func (w *World) visit(done <-chan struct{}) {
	for {
		if c, err := net.Dial("tcp4", w.Listen); err == nil {
			c.Close()
		}
		select {
		case <-done:
			return
		case <-after():
		}
	}
}

func (w *World) terminals() error {
	for _, slave := range []**os.File{&w.tty, nil} {
		m, s, err := pty.Open()
		if err != nil {
			return err
		}
		w.later(func() { m.Close(); s.Close() })
		if slave != nil {
			*slave = s
		} else {
			w.Terminal = s.Name()
		}
	}
	return nil
}

// decoy starts a process of the same user that waits to be attacked.
func (w *World) decoy(self string) error {
	cmd := exec.Command(self)
	cmd.Args = []string{argv0, ""}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	w.later(func() { in.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	w.Decoy, w.DecoyBirth = cmd.Process.Pid, birth(cmd.Process.Pid)
	return nil
}

// birth returns when a process began.
func birth(pid int) string {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(stat), ") ")
	if f := strings.Fields(rest); len(f) > 19 {
		return f[19]
	}
	return "never"
}

func (w *World) env() []string {
	text, _ := json.Marshal(w) // strings and numbers: it cannot fail
	return []string{"PATH=/usr/bin:/bin", worldKey + "=" + string(text)}
}

// profile is what attackers are given.
func (w *World) profile(self string, level sandbox.Level) sandbox.Profile {
	p := sandbox.Default(w.Workspace, "", w.Secret, w.Hidden, w.secretFile(), w.deep(),
		w.Workspace+"/conf/.env.sh")
	p.Read = append(p.Read, sandbox.Path{Name: filepath.Dir(w.Secret)}, sandbox.Path{Name: self})
	p.ReadOnly = []string{w.Kept}
	p.Require, p.Most, p.Terminals = level, level, true
	p.View = &broker.View{Dirs: []string{w.Shared}, Ledger: filepath.Dir(w.Shared) + "/ledger"}
	if rule, err := network.ParseRule(w.Friend); err == nil && w.hosts {
		rule.Local, p.Reach.Localhost = true, !w.serves
		p.Network, p.Reach.Rules = sandbox.Hosts, []network.Rule{rule}
	}
	return p
}

// give serves sockets that are connected to w.TCP.
func (w *World) give(name string) error {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
	if err != nil {
		return err
	}
	w.later(func() { l.Close() })
	go func() {
		for {
			c, err := l.AcceptUnix()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				gift, err := net.Dial("tcp", w.TCP)
				if err != nil {
					return
				}
				defer gift.Close()
				if f, err := gift.(*net.TCPConn).File(); err == nil {
					_, _, _ = c.WriteMsgUnix([]byte("x"), syscall.UnixRights(int(f.Fd())), nil)
					f.Close()
				}
			}()
		}
	}()
	return nil
}

// objects makes one of each kind. What this kernel does not have stays away: the attacks on it are
// then unproven.
func (w *World) objects() error {
	w.Queue = filepath.Base(filepath.Dir(w.Workspace))
	if fd, err := openQueue(w.Queue, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL); err == nil {
		w.later(func() {
			b, _ := unix.BytePtrFromString(w.Queue)
			_ = call(unix.SYS_MQ_UNLINK, uintptr(unsafe.Pointer(b)))
			unix.Close(fd)
		})
	}
	const fresh = unix.IPC_CREAT | unix.IPC_EXCL | 0o600
	id, err := -1, error(unix.EEXIST)
	for w.Key = unix.Getpid(); err == unix.EEXIST; w.Key++ {
		id, err = object(unix.SYS_SHMGET, uintptr(w.Key), 4096, fresh)
	}
	if w.Key--; err != nil {
		return nil
	}
	w.Segment = id
	w.later(func() { _, _ = object(unix.SYS_SHMCTL, uintptr(id), unix.IPC_RMID) })
	address, _, errno := syscall.RawSyscall(unix.SYS_SHMAT, uintptr(id), 0, 0)
	if errno != 0 {
		return errno
	}
	copy((*(*[6]byte)(*(*unsafe.Pointer)(unsafe.Pointer(&address))))[:], "secret")
	syscall.RawSyscall(unix.SYS_SHMDT, address, 0, 0)
	return w.semaphores()
}

func (w *World) semaphores() (err error) {
	const setVal = 16
	if w.Set, err = object(unix.SYS_SEMGET, unix.IPC_PRIVATE, 1, 0o600); err != nil {
		return err
	}
	w.later(func() { _, _ = object(unix.SYS_SEMCTL, uintptr(w.Set), 0, unix.IPC_RMID) })
	if w.Messages, err = object(unix.SYS_MSGGET, unix.IPC_PRIVATE, 0o600); err != nil {
		return err
	}
	w.later(func() { _, _ = object(unix.SYS_MSGCTL, uintptr(w.Messages), unix.IPC_RMID) })
	b := [16]byte{0: 1}
	return errors.Join(call(unix.SYS_SEMCTL, uintptr(w.Set), 0, setVal, 1),
		call(unix.SYS_MSGSND, uintptr(w.Messages), uintptr(unsafe.Pointer(&b)), 6, 0))
}
