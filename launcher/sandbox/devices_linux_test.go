package sandbox

import (
	"fmt"
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// markerMain prints in which ways it may give /dev/null the mode that it has.
func markerMain([]string) {
	for way, change := range map[string]func() error{
		"name":       func() error { return unix.Chmod("/dev/null", 0o666) },
		"link":       func() error { return unix.Chmod("/proc/self/fd/0", 0o666) },
		"descriptor": func() error { return unix.Fchmod(0, 0o666) },
		"handed":     func() error { return unix.Fchmod(3, 0o666) },
		"opened": func() error {
			fd, err := unix.Open("/dev/null", unix.O_RDWR, 0)
			if err != nil {
				fmt.Println("not opened:", err)
			}
			return unix.Fchmod(fd, 0o666)
		},
	} {
		if change() == nil {
			fmt.Println("changed by", way)
		}
	}
	if _, err := os.NewFile(3, "null").WriteString("x"); err != nil {
		fmt.Println(err)
	}
	fmt.Println("done")
}

// What a run may write of a device is what it takes: root's commands change no mode of the
// machine's /dev/null, by whatever descriptor, and also not where a command line names it.
func TestDevicesKeepTheirModes(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("the owner of /dev/null is root")
	}
	levels(t, func(t *testing.T, p Profile) {
		p.Read = append(p.Read, Path{Name: self(t)})
		p.Write = append(p.Write, Path{Name: "/dev/null"})
		null, err := os.OpenFile("/dev/null", os.O_RDWR, 0)
		must(t, err)
		defer null.Close()
		from, in, err := os.Pipe()
		must(t, err)
		process, _, err := Start(p, Command{Path: self(t), Argv: []string{"marker"},
			Files: []*os.File{null, in, in, null}})
		in.Close()
		must(t, err)
		said, _ := io.ReadAll(from)
		if s, err := process.Wait(); err != nil || string(said) != "done\n" {
			t.Errorf("%+v %v: %s", s, err, said)
		}
	})
}
