package sandbox

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// What can be learned of a hidden name without reading it is in the receipt: at Base stat works on
// it, at Strong stat, inotify and listing on a hidden folder in which something is allowed. About
// what the receipt is silent, that does not work. F8.
func TestHiddenNamesTellTheReceipt(t *testing.T) {
	top := t.TempDir()
	must(t, os.MkdirAll(top+"/home/vault/open", 0o700))
	must(t, os.WriteFile(top+"/home/vault/key", []byte("twelve bytes"), 0o600))
	levels(t, func(t *testing.T, p Profile) {
		for _, beside := range []bool{false, true} {
			p := p
			p.Read = append(p.Read[:len(p.Read):len(p.Read)], Path{Name: top + "/home"})
			p.Hide = []string{top + "/home/vault"}
			if beside {
				p.Read = append(p.Read, Path{Name: top + "/home/vault/open"})
			}
			receipt, out := told(t, p,
				fmt.Sprintf("cd %s/home; cat vault/key; stat -c %%s vault/key; ls vault; perl -e 'my ($f, $n) = (syscall(%d, 0), \"vault/key\"); print syscall(%d, $f, $n, 0xfff) > 0 ? \"watched\\n\" : \"refused\\n\"'",
					top, unix.SYS_INOTIFY_INIT1, unix.SYS_INOTIFY_ADD_WATCH))
			lost := slices.IndexFunc(receipt.Lost,
				func(l Loss) bool { return l.Protection == HiddenList })
			if strings.Contains(out, "twelve bytes") {
				t.Errorf("read: %q", out)
			}
			for what, seen := range map[string]bool{"stat": strings.Contains(out, "12\n"),
				"listed":  strings.Contains(out, "\nkey\n"),
				"inotify": strings.Contains(out, "watched")} {
				if seen != (lost >= 0 && strings.Contains(receipt.Lost[lost].Why, what)) {
					t.Errorf("beside %v: %s %v, told %v\n%s", beside, what, seen, lost >= 0, out)
				}
			}
		}
	})
}

func told(t *testing.T, p Profile, script string) (Receipt, string) {
	t.Helper()
	out, in, err := os.Pipe()
	must(t, err)
	defer out.Close()
	process, receipt, err := Start(p,
		Command{Path: "/bin/bash", Argv: []string{"bash", "-c", script},
			Env: []string{"PATH=/usr/bin:/bin"}, Files: []*os.File{nil, in, in}})
	in.Close()
	must(t, err)
	text, _ := io.ReadAll(out)
	_, err = process.Wait()
	must(t, err)
	return receipt, string(text)
}

// leadText lists folders on the way to what is hidden, in the ways that programs do, and what is
// hidden by other names.
const leadText = `
cd "$1"; exec 2>&1
ls; ls home; ls -d home/vault; find home/open; ls home/vault
python3 -c '
import os
d = os.open("home", os.O_RDONLY | os.O_DIRECTORY)
print(sorted(os.listdir(d)), sorted(os.listdir("/proc/self/fd/%d/open" % d)))
by = "/proc/self/fd/%d/vault" % d
for name in [by, "/proc/self/cwd/home/vault", "home/open/../vault", "link"]:
    try:
        print(os.listdir(name))
    except OSError as e:
        print(e.strerror)
h = os.open("home/vault", os.O_PATH)
try:
    print(os.listdir("/proc/self/fd/%d" % h))
except OSError as e:
    print(e.strerror)
'
`

const wantLead = `home
link
open
vault
home/vault
home/open
home/open/file
ls: cannot open directory 'home/vault': Permission denied
['open', 'vault'] ['file']
Permission denied
Permission denied
Permission denied
Permission denied
Permission denied
`

// Folders on the way to what is hidden are listed as before, and what is hidden is not, by no name.
func TestFoldersThatLeadToHidden(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{"/home/vault", "/home/open"} {
		must(t, os.MkdirAll(top+dir, 0o700))
	}
	must(t, os.WriteFile(top+"/home/open/file", nil, 0o600))
	must(t, os.WriteFile(top+"/home/vault/key", nil, 0o600))
	must(t, os.Symlink("home/vault", top+"/link"))
	levels(t, func(t *testing.T, p Profile) {
		p.Read = append(p.Read[:len(p.Read):len(p.Read)], Path{Name: top})
		p.Hide = []string{top + "/home/vault"}
		_, out := told(t, p, "set -- "+top+"\n"+leadText)
		if out != wantLead {
			t.Errorf("%s", out)
		}
	})
}
