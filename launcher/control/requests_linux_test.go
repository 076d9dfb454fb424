package control

import (
	"io"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What a process inside sends along with its question, beyond the one descriptor that is read from,
// is closed at once: it could fill the launcher's table otherwise.
func TestOnlyOneDescriptorIsTaken(t *testing.T) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	talk, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	silent, other, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for _, sent := range [][]int{{talk[1]}, {talk[1], int(other.Fd())}, {int(other.Fd()), talk[1]},
		{int(other.Fd()), int(other.Fd())}} {
		if err := unix.Sendmsg(pair[0], []byte("?"), unix.UnixRights(sent...), nil, 0); err != nil {
			t.Fatal(err)
		}
		oob := make([]byte, unix.CmsgSpace(4))
		_, n, _, _, err := unix.Recvmsg(pair[1], make([]byte, 16), oob, unix.MSG_CMSG_CLOEXEC)
		if err != nil {
			t.Fatal(err)
		}
		if conn := streamIn(oob[:n]); conn != nil {
			conn.Close()
		} else if sent[0] == talk[1] {
			t.Errorf("%v: the stream was not taken", sent)
		}
	}
	for _, fd := range append(pair[:], talk[:]...) {
		unix.Close(fd)
	}
	other.Close()
	// The pipe has no writer any more, unless one is left over.
	if err := silent.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if n, err := silent.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("a descriptor was left open: %d, %v", n, err)
	}
}
