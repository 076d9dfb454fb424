//go:build amd64 || arm64

package broker

import (
	"os"
	"path/filepath"
	"testing"
)

// A name is let through at one look only where no link on its way could lead into a shared
// directory. E-bkr-1.
func TestApart(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"tmp", "ws/dir", "cwd"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"ws/into": top + "/tmp", "ws/file-into": "../tmp/x",
		"ws/away": "dir", "cwd/into": top + "/tmp", "cwd/file-into": "../tmp/x"} {
		if err := os.Symlink(to, filepath.Join(top, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(top+"/ws/file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f := newFiles(&Profile{View: &View{Dirs: []string{top + "/tmp"}}}, &trees{}, nil)
	defer f.close()
	for _, test := range []struct {
		name         string
		follow, lets bool
	}{
		{"/ws/file", true, true}, {"/ws/file", false, true}, {"/ws/dir/new", true, true},
		{"/ws/dir/new", false, true}, {"/ws/none/new", true, true}, {"/ws/dir", true, true},
		{"/tmpfile", true, true}, // begins like a shared directory, and is beside it
		{"/tmp", true, false}, {"/tmp/x", true, false}, {"/tmp/x", false, false},
		{"/ws/into/x", true, false}, {"/ws/into/x", false, false}, {"/ws/into", true, false},
		{"/ws/file-into", true, false}, {"/ws/file-into", false, true}, // itself, not its target
		{"/ws/away/x", true, false}, // it is looked at whole
		{"/ws/../tmp/x", true, false}, {"/ws/../tmp/x", false, false}, {"/ws//file", true, false},
		{"/ws/file/", true, false},
		// In the caller's own directory, which is known to be elsewhere, one look is too many; what
		// is below that, and what is named by a way of its own, is looked at.
		{"/cwd/new", false, true}, {"/cwd/into/x", false, false}, {"/cwd/../tmp/x", false, false},
		{"/cwd//new", false, false}, {"/cwd/file-into", true, false},
	} {
		r := &fileRequest{cwd: top + "/cwd"}
		if got := f.apart(r, top+test.name, test.follow); got != test.lets {
			t.Errorf("%s (followed: %v) is let through: %v", test.name, test.follow, got)
		}
	}
}
