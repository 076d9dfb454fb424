package sandbox

import (
	_ "embed"
	"os"
	"testing"

	"github.com/tada-run/tada-run/launcher/broker"
)

//go:embed testdata/linked.txt
var linkedText string

// linkedTree is a workspace with files that have several names, and a shared directory beside it,
// so that the broker sees what is opened for writing.
func linkedTree(t *testing.T, p Profile) Profile {
	t.Helper()
	ws, store := p.Write[0].Name, t.TempDir()
	for _, dir := range []string{"/sub", "/node_modules", "/kept"} {
		must(t, os.Mkdir(ws+dir, 0o755))
	}
	for _, pair := range [][2]string{{store + "/out", ws + "/out"},
		{store + "/package", ws + "/node_modules/out"}, {ws + "/in", ws + "/sub/in"},
		{ws + "/kept/one", ws + "/one"}} {
		text := "theirs\n"
		if pair[0] == ws+"/kept/one" {
			text = "kept\n"
		}
		must(t, os.WriteFile(pair[0], []byte(text), 0o644))
		must(t, os.Link(pair[0], pair[1]))
	}
	p.ReadOnly = []string{ws + "/kept"}
	p.View = &broker.View{Dirs: []string{t.TempDir()}, Ledger: t.TempDir() + "/ledger"}
	return p
}

// F4: a file that has a name outside of the writable trees is not written in place, at both levels
// and by no spelling; it can be replaced, and all else works as without a sandbox.
func TestLinked(t *testing.T) {
	for _, test := range blocks(linkedText) {
		levels(t, func(t *testing.T, p Profile) {
			t.Run(test.name, func(t *testing.T) {
				p := linkedTree(t, p)
				_, text := shell(t, p, "umask 022; cd "+p.Write[0].Name+
					"; exec 3>&2 2>/dev/null; "+test.script)
				if text != test.want {
					t.Errorf("%q, want %q", text, test.want)
				}
			})
		})
	}
}

// A device that the broker has opened is the run's only by the run's mounts: its mode stays.
func TestNullStaysAsItIs(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		if os.Geteuid() != 0 {
			t.Skip("only the owner of /dev/null could change it")
		}
		p = linkedTree(t, p)
		p.Read = append(p.Read, Path{Name: self(t)})
		before, err := os.Stat("/dev/null")
		must(t, err)
		_, text := shell(t, p, "cd "+p.Write[0].Name+"; : > /dev/null; "+
			`perl -e 'open(F, ">", "/dev/null"); print chmod(0666, *F) ? "changed" : "kept"'`)
		if text != "kept" {
			t.Errorf("%q", text)
		}
		if after, err := os.Stat("/dev/null"); err != nil || after.Mode() != before.Mode() {
			t.Errorf("%v, %v", after.Mode(), err)
		}
	})
}
