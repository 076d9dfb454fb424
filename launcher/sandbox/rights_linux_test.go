package sandbox

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// The launcher can be root and a run of it never has a capability: so what the broker does for the
// run in a folder that it may not search, and with a file that it may not write, fails as the run's
// own call would. The folders are in a tree of which nothing is guarded, and beside a hidden file.
func TestBrokerHasTheRightsOfTheRun(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		ws := p.Write[0].Name
		for _, dir := range []string{"plain", "guarded"} {
			dir = ws + "/" + dir
			must(t, os.MkdirAll(dir+"/shut/below", 0o777))
			for _, name := range []string{"/shut/f", "/shut/below/f", "/unwritable", "/own"} {
				must(t, os.WriteFile(dir+name, []byte("as it was\n"), 0o666))
			}
			must(t, os.WriteFile(dir+"/shut/hidden", nil, 0o666))
			must(t, hermetic.Chmod(dir+"/shut/below", 0o777))
			must(t, os.Chmod(dir+"/unwritable", 0o444))
			serve(t, "unix", dir+"/shut/socket")
			must(t, os.Chmod(dir+"/shut", 0))
			t.Cleanup(func() { hermetic.Chmod(dir+"/shut", 0o700) })
		}
		must(t, os.Mkdir(ws+"/hidden", 0o777))
		p.Hide = []string{ws + "/guarded/shut/hidden", ws + "/hidden"}
		tries := []string{"echo > shut/f", "echo >> shut/below/f", "echo > shut/new",
			"echo > shut/below/new", "(umask 077; echo > shut/below/new)", "echo > unwritable",
			"exec 3<> shut/f", "exec 3< shut/f", "rm -f shut/f", "mv shut/below/f got",
			"mv own shut/below/f", "ln own shut/below/new", "ln shut/f got",
			"ln -s x shut/below/new", "mkdir shut/below/new", "rmdir shut/below",
			"mkfifo shut/below/new", "truncate -s 0 shut/f", "chmod 644 shut/f",
			"touch shut/below/f", "setfattr -n user.x -v y shut/f",
			"python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"shut/socket\")'"}
		for _, dir := range []string{"plain", "guarded"} {
			look := func() (all string) {
				must(t, hermetic.Chmod(ws+"/"+dir+"/shut", 0o700))
				all = tree(ws + "/" + dir)
				must(t, os.Chmod(ws+"/"+dir+"/shut", 0))
				return all
			}
			before := look()
			var script strings.Builder
			fmt.Fprintf(&script, "cd %s/%s; exec 2>/dev/null\n", ws, dir)
			for _, try := range tries {
				fmt.Fprintf(&script, "(%s) && echo %q\n", try, try)
			}
			script.WriteString("echo > new && rm new && echo end")
			if _, did := shell(t, p, script.String()); did != "end\n" {
				t.Errorf("%s: done: %s", dir, did)
			}
			if after := look(); after != before {
				t.Errorf("%s:\n%s\nbecame\n%s", dir, before, after)
			}
		}
		_, said := shell(t, p, "echo > "+ws+"/hidden/new")
		if !strings.Contains(said, "Permission denied") {
			t.Errorf("hidden: %s", said)
		}
	})
}
