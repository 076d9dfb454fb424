//go:build amd64 || arm64

package broker

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A tree is where it is now: what has come to its place is another's, also by a link. E-bkr-1.
func TestTreesThatAreMoved(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	for _, dir := range []string{"/one/in", "/two", "/there", "/theirs/in"} {
		must(t, os.MkdirAll(top+dir, 0o700))
	}
	trees := openTrees(&Profile{Write: []Tree{{Name: top + "/one"}, {Name: top + "/one/in"},
		{Name: top + "/none"}, {Name: top + "/two"}}, ReadOnly: []string{top + "/one/kept"}})
	defer trees.close()
	for _, r := range trees.roots {
		if !r.stands() {
			t.Errorf("%s is not where it was", r.Name())
		}
	}
	check := func(want map[string]bool) {
		t.Helper()
		for name, may := range want {
			if trees.writable(top+name) != may {
				t.Errorf("%s is writable: %v", name, !may)
			}
		}
	}
	check(map[string]bool{"/one": true, "/one/x": true, "/one/in/x": true, "/two/x": true,
		"/onex": false, "/none/x": false, "/there/x": false, "/one/kept": false})
	must(t, os.Rename(top+"/one", top+"/there/one"))
	must(t, os.Rename(top+"/theirs", top+"/one"))
	check(map[string]bool{"/one/x": false, "/one/in/x": false, "/there/one/x": true,
		"/there/one/in/x": true, "/there/x": false, "/two/x": true})
	must(t, os.Rename(top+"/there/one/in", top+"/two/in"))
	must(t, os.Remove(top+"/one/in"))
	must(t, os.Symlink(top+"/two/in", top+"/one/in"))
	check(map[string]bool{"/one/in/x": false, "/two/in/x": true})
	must(t, os.Rename(top+"/two", top+"/there/two"))
	check(map[string]bool{"/two/in/x": false, "/there/two/in/x": true})
	must(t, os.RemoveAll(top+"/there/two"))
	check(map[string]bool{"/two/x": false, "/there/two/x": false})
}

// A root by whose name a link leads, or a file system that does not answer, is known by its handle
// alone.
func TestFarTrees(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	if !isNear(top) {
		t.Skip("temporary files are on a slow file system")
	}
	must(t, os.MkdirAll(top+"/dir/tree", 0o700))
	must(t, os.Symlink("dir", top+"/link"))
	for name, near := range map[string]bool{"/dir/tree": true, "/link/tree": false,
		"/dir/none": false} {
		if isNear(top+name) != near {
			t.Errorf("%s is near: %v", name, !near)
		}
	}
	trees := openTrees(&Profile{Write: []Tree{{Name: top + "/link/tree"}}})
	defer trees.close()
	if trees.writable(top+"/link/tree/x") || !trees.writable(top+"/dir/tree/x") {
		t.Error("the link counts as the tree")
	}
	var st unix.Statx_t
	must(t, statx(unix.AT_FDCWD, top+"/dir", &st))
	dev := unix.Mkdev(st.Dev_major, st.Dev_minor)
	slowDevices.Store(dev, true)
	defer slowDevices.Delete(dev)
	if isNear(top + "/dir/tree") {
		t.Error("a slow file system is near")
	}
}
