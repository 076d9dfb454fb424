//go:build amd64 || arm64

package broker

import (
	"os"
	"path/filepath"
	"testing"
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
