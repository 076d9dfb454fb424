package state

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A server is a workspace's as long as the launcher lives that noted it; what a name holds beside,
// and what other launchers left, counts for nothing.
func TestServing(t *testing.T) {
	dir := t.TempDir()
	h, err := OpenHome(filepath.Join(dir, "state"))
	if err != nil {
		t.Fatal(err)
	}
	d := h.Use()
	odd := "/b\n7 \"/c\""
	a, b, c := d.Serving("/a"), d.Serving(odd), d.Serving("/c")
	a.Add(5)
	a.Add(1<<63 + 5)
	b.Add(6)
	for _, test := range []struct {
		s         *Serving
		socket    uint64
		workspace string
		own       bool
	}{
		{a, 5, "/a", true}, {a, 1<<63 + 5, "/a", true}, {a, 6, odd, false}, {b, 6, odd, true},
		{c, 5, "/a", false}, {c, 7, "", false}, {a, 0, "", false},
	} {
		if got, own := test.s.Whose(test.socket); got != test.workspace || own != test.own {
			t.Errorf("%d for %q: %q %v", test.socket, test.s.workspace, got, own)
		}
	}
	child := exec.Command("cat")
	in, err := child.StdinPipe()
	if err := errors.Join(err, child.Start()); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); _ = child.Wait() }()
	pids := []int{child.Process.Pid}
	if got, own := a.Of(pids); got != "" || own {
		t.Errorf("of no run with the machine's network: %q %v", got, own)
	}
	a.AddAll()
	for _, test := range []struct {
		s         *Serving
		pids      []int
		workspace string
		own       bool
	}{
		{a, pids, "/a", true}, {c, pids, "/a", false}, {a, nil, "", false},
		{a, append(pids, os.Getpid()), "", false}, {a, []int{1}, "", false},
	} {
		if got, own := test.s.Of(test.pids); got != test.workspace || own != test.own {
			t.Errorf("%v for %q: %q %v", test.pids, test.s.workspace, got, own)
		}
	}
	name := filepath.Join(h.Servers(), strings.ReplaceAll(d.Self(), "/", "+"))
	if err := os.Rename(name, name+"0"); err != nil { // a launcher that is gone
		t.Fatal(err)
	}
	if got, own := a.Whose(5); got != "" || own {
		t.Errorf("of a launcher that is gone: %q %v", got, own)
	}
	d.Serving("/a").Add(8)
	if _, err := os.Stat(name + "0"); err == nil {
		t.Error("what a launcher left that is gone stays")
	}
}
