package sandbox

import (
	"os/exec"
	"testing"
)

// A run sets how its own processes and threads are scheduled, as taskset, nice and the Java runtime
// do, at every level.
func TestScheduling(t *testing.T) {
	for _, name := range []string{"taskset", "renice", "chrt", "ionice"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
	levels(t, func(t *testing.T, p Profile) {
		s, out := shell(t, p, `exec 2>&1 >/dev/null; sleep 60 2>&1 & renice -n 19 -p $! && chrt -i -p 0 $! && taskset -p 1 $! && ionice -c 3 -p $! && nice -n 3 true && taskset 1 true && taskset -p 1 $$ && renice -n 19 $$; s=$?; kill $!; exit $s`)
		if s.Shell() != 0 || out != "" {
			t.Errorf("%+v %q", s, out)
		}
	})
}
