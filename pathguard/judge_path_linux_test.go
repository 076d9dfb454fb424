package pathguard

import (
	"os"
	"testing"
)

// A link to standard output is no file: what is written there goes to the next command.
func TestLinkToOutput(t *testing.T) {
	t.Parallel()
	g, root := desk(t, "", "w/a.txt")
	for name, to := range map[string]string{"out": "/dev/stdout", "fd": "/proc/self/fd/1",
		"dev": "/dev", "file": "a.txt"} {
		if err := os.Symlink(to, root+"/w/"+name); err != nil {
			t.Fatal(err)
		}
	}
	g.expect(t, Ask, "echo id > out | bash", "echo id > fd | bash", "echo id > dev/stdout | bash",
		"echo id > out")
	g.expect(t, Allow, "echo id > /dev/stdout", "echo id > file", "echo id > /dev/fd/1",
		"ls 2> /dev/stderr")
}
