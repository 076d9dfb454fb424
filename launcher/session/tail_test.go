//go:build linux

package session

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What is written to a terminal just before its last other end is closed is read, however late the
// kernel moves it.
func TestTailBeforeAClose(t *testing.T) {
	rounds := 40_000
	if testing.Short() {
		rounds = 1000
	}
	written := bytes.Repeat([]byte("0"), 4*2048+608) // the kernel takes 2048 at a time
	peers := make(chan *os.File)
	defer close(peers)
	go func() {
		runtime.LockOSThread()
		for peer := range peers {
			peer.Write(written)
			peer.Close()
		}
	}()
	for round := range rounds {
		master, peer, err := openPTY()
		if err != nil {
			t.Fatal(err)
		}
		peers <- peer
		r := &relay{stream: Screen, from: master, to: none}
		buf, all := make([]byte, firstBuffer), 0
		for err == nil {
			var n int
			n, _, err = r.fill(buf)
			all += n
		}
		unix.Close(master)
		if err != errEOF || all != len(written) {
			t.Fatalf("round %d: %d bytes of %d: %v", round, all, len(written), err)
		}
	}
}

// A command that closes its terminal and opens it again is still seen.
func TestTerminalOpenedAgain(t *testing.T) {
	t.Parallel()
	hereR, hereW := pipePair(t)
	inR, inW := pipePair(t)
	outR, outW := pipePair(t)
	all := slurp(outR)
	s, err := Open(Stdio{Out: outW, Err: outW}, Always, &journal{})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-c",
		"echo early; exec <&- >&- 2>&-; echo >&3; read -u 4; echo late >/dev/tty")
	cmd.Stdout, cmd.Stderr = s.ChildFiles()[1], s.ChildFiles()[2]
	cmd.ExtraFiles = []*os.File{hereW, inR}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: s.TTY(),
		Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.Started()
	hereR.Read(make([]byte, 1))
	// it passes without; a relay that ends too early has time for it
	time.Sleep(50 * time.Millisecond)
	inW.WriteString("\n")
	finish(t, s, cmd)
	outW.Close()
	if got := string(<-all); got != "early\r\nlate\r\n" {
		t.Errorf("%q", got)
	}
}

// Before a stop, all that was printed is shown, in the slowest of records too.
func TestSettleWaitsForWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	master, peer, err := openPTY()
	if err != nil {
		t.Fatal(err)
	}
	showR, showW := pipePair(t)
	stop, err := newWakeup()
	if err != nil {
		t.Fatal(err)
	}
	defer stop.close()
	to, err := dupFile(showW)
	if err != nil {
		t.Fatal(err)
	}
	tap := &journal{drop: true}
	r := &relay{stream: Screen, from: master, to: to, stop: stop,
		gate: &gate{tap: tap, failed: make(chan struct{})}, shown: func() {}, gone: func() {}}
	over := make(chan struct{})
	go func() { r.run(); close(over) }()
	buf := make([]byte, 10)
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	for round := range rounds {
		peer.Write([]byte("words"))
		for range round % 100 {
			runtime.Gosched()
		}
		r.settle()
		if n, _ := unix.IoctlGetInt(int(showR.Fd()), unix.TIOCINQ); n != 5 {
			t.Fatalf("round %d: %d bytes of 5 are shown", round, n)
		}
		showR.Read(buf)
	}
	peer.Close()
	<-over
}

// What a command leaves switched on at a person's terminal is switched off when the run ends, after
// the last byte of its output.
func TestTerminalIsGivenBackAtTheEnd(t *testing.T) {
	t.Parallel()
	o := newOuter(t)
	s, cmd := launch(t, Stdio{In: o.peer, Out: o.peer, Err: o.peer}, Auto, &journal{}, "bash", "-c",
		`printf '\e[?25l\e[?7l%0*d last words' 20000 7`)
	finish(t, s, cmd)
	o.expect("last words\x1b[?25h\x1b[?7h")
}
