package control

import (
	"net"
	"os"
	"os/exec"
	"testing"
	"time"
)

// An asker has ended when its process has, also if nobody has waited for that process yet.
func TestAskerEnded(t *testing.T) {
	t.Parallel()
	if (Asker{fd: -1}).Ended() {
		t.Error("one that is not known has ended")
	}
	path := t.TempDir() + "/s"
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestAskerConnects$")
	cmd.Env = append(os.Environ(), "CONTROL_ASKER="+path)
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	f, err := conn.(*net.UnixConn).File()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a := askerAt(int(f.Fd()))
	defer a.close()
	if a.Ended() {
		t.Error("it has ended before its end")
	}
	in.Close()
	for end := time.Now().Add(time.Minute); !a.Ended(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("its end is not seen")
		}
	}
}

// TestAskerConnects is the process of TestAskerEnded: it connects, and ends with its input.
func TestAskerConnects(t *testing.T) {
	path := os.Getenv("CONTROL_ASKER")
	if path == "" {
		t.Skip("it is a process of another test")
	}
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = os.Stdin.Read(make([]byte, 1))
}
