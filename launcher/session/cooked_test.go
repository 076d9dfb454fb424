//go:build linux

package session

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestUncook(t *testing.T) {
	cases := []struct{ from, want string }{
		{"", ""}, {"\n", "\n"}, {"\r", "\r"}, {"a\r\nb\r\n", "a\nb\n"}, {"\r\r\n", "\r\n"},
		{"50%\r60%\r", "50%\r60%\r"}, {"\r\n\r", "\n\r"},
	}
	for _, c := range cases {
		if got := uncook([]byte(c.from)); string(got) != c.want {
			t.Errorf("%q became %q, want %q", c.from, got, c.want)
		}
	}
}

// A caller's terminal that is not raw shows every line end once, wherever reads cut the
// output, and the record keeps what the private terminal made of it.
func TestLineEndsOnATerminalThatIsNotRaw(t *testing.T) {
	t.Parallel()
	o := newOuter(t)
	tap := &journal{}
	s, cmd := launch(t, Stdio{Out: o.peer}, Auto, tap, "bash", "-c",
		"yes | head -n 100000; printf '\\r\\nend\\r\\n'")
	finish(t, s, cmd)
	o.expect("end\r\r\n") // the program's own, and the terminal's: as without us
	want := strings.Repeat("y\r\n", 100000) + "\r\r\nend\r\r\n"
	if got := o.screen(); got != want {
		t.Errorf("%d bytes are shown, want %d; line ends made twice: %d", len(got), len(want),
			strings.Count(got, "y\r\r\n"))
	}
	if got := tap.streams[Screen].String(); got != want {
		t.Errorf("%d bytes are recorded, want %d", len(got), len(want))
	}
}

// A piece never ends between "\r" and "\n" when both are there.
func TestFillKeepsLineEndsTogether(t *testing.T) {
	t.Parallel()
	master, peer, err := openPTY()
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(master)
	defer peer.Close()
	go peer.Write(bytes.Repeat([]byte("\n"), 3000))
	r := &relay{stream: Screen, from: master, to: none}
	buf := make([]byte, 64)
	for all := 0; all < 6000; {
		n, _, err := r.fill(buf[:50+all%15])
		if err != nil {
			t.Fatal(err)
		}
		if all += n; n > 0 && buf[n-1] == '\r' {
			t.Fatalf("cut at %d", all)
		}
	}
}
