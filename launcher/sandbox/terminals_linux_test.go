package sandbox

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// givesUp makes terminals, gives them up, and opens them again when it is told that their names are
// another program's. Then it makes and gives up more than a run may have at a time.
const givesUp = `
import fcntl, os, struct, sys
def make():
    m = os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)
    fcntl.ioctl(m, 0x40045431, b"\0\0\0\0")
    return m, "/dev/pts/%d" % struct.unpack("i", fcntl.ioctl(m, 0x80045430, b"0000"))
kept, name = make()
s = os.open(name, os.O_RDWR | os.O_NOCTTY)
os.write(s, b"word\n")
print(os.read(kept, 10), flush=True)
made = [make() for i in range(8)]
for m, _ in made:
    os.close(m)
print(" ".join(name for _, name in made), flush=True)
sys.stdin.readline()
for _, name in made:
    for flags in os.O_RDWR, os.O_WRONLY, os.O_RDONLY | os.O_NONBLOCK:
        try:
            print("opened", os.open(name, flags | os.O_NOCTTY))
        except OSError:
            pass
for i in range(300):
    os.close(make()[0])
print("done", flush=True)
`

// A name whose terminal the run has given up, and another program has since, is not the run's.
// Other tests make terminals too and may take the names first: it is tried until one is taken here.
func TestTerminalNamesOfOthers(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		p.Terminals = true
		taken := 0
		for try := 0; taken == 0 && try < 20; try++ {
			taken = takesNames(t, p)
			if p.Most != Base {
				return // its terminals are in a file system of its own
			}
		}
		if taken == 0 {
			t.Error("no name was taken")
		}
	})
}

// takesNames makes terminals where those of a run were, and returns how many have a name that the
// run had.
func takesNames(t *testing.T, p Profile) (taken int) {
	t.Helper()
	out, in, err := os.Pipe()
	must(t, err)
	defer out.Close()
	told, tells, err := os.Pipe()
	must(t, err)
	defer tells.Close()
	process, _, err := Start(p, Command{Path: "/usr/bin/python3",
		Argv: []string{"python3", "-c", givesUp}, Files: []*os.File{told, in, in}})
	in.Close()
	told.Close()
	must(t, err)
	lines := bufio.NewReader(out)
	if said, _ := lines.ReadString('\n'); said != `b'word\r\n'`+"\n" {
		t.Errorf("%q", said)
	}
	free, err := lines.ReadString('\n')
	must(t, err)
	for range 40 {
		master, slave, err := pty.Open()
		must(t, err)
		defer master.Close()
		defer slave.Close()
		if strings.Contains(strings.TrimSpace(free)+" ", slave.Name()+" ") {
			taken++
		}
	}
	fmt.Fprintln(tells)
	if rest, _ := io.ReadAll(lines); string(rest) != "done\n" {
		t.Errorf("%q", rest)
	}
	_, err = process.Wait()
	must(t, err)
	return taken
}
