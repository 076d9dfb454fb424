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

// What can be learned of a hidden name without reading it is in the receipt: at Base stat, inotify
// and listing work on it, at Strong on a hidden folder in which something is allowed. Where the
// receipt is silent, none of them does.
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
				if seen != (lost >= 0) || seen && !strings.Contains(receipt.Lost[lost].Why, what) {
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
