package integration

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestCapacity reports what the programs of a fleet take: make capacity. It leaves real runs in the
// folder BENCH_CAPACITY, for the report of what is shipped.
func TestCapacity(t *testing.T) {
	folder := os.Getenv("BENCH_CAPACITY")
	if folder == "" {
		t.Skip("a report for people: make capacity")
	}
	real := filepath.Join(folder, "real")
	if _, err := os.Stat(real); err != nil {
		run := installed(t, "../cmd/...")
		pair{run, filepath.Join(filepath.Dir(run), "tadactl"), os.Environ()}.work(t, quiet(t), real)
	}
	p, etcd, site := newFleet(t)
	p.wants("tadactl --home $ANN fleet join '"+p.link("tadactl --home $ANN fleet invite "+
		"--dir ../acme --etcd $ETCD --url https://$SITE --people --owner ann")+"' --name laptop",
		`is now in fleet "acme"`)
	const machines = 20
	before := etcd.Memory(0)
	reportMemory(t, "the registrar", site)
	var agents []*exec.Cmd
	for i := range machines {
		link := p.link("tadactl --home $ANN fleet invite --labels env=ci")
		p.wants(fmt.Sprintf("tadactl --home $ANN.%d fleet join '%s' --name m%d", i, link, i),
			"is now in fleet")
		agents = append(agents, p.daemon(fmt.Sprintf("tadactl --home $ANN.%d fleet agent", i), ""))
		p.eventually(fmt.Sprintf("tadactl --home $ANN.%d pending", i), "")
	}
	time.Sleep(10 * time.Second)
	reportMemory(t, fmt.Sprintf("the registrar after %d joined", machines), site)
	reportMemory(t, "each agent", agents...)
	t.Logf("etcd: %d KiB, and %d more for each machine", before, (etcd.Memory(0)-before)/machines)
}

// reportMemory reports what processes have, on average.
func reportMemory(t *testing.T, what string, list ...*exec.Cmd) {
	t.Helper()
	sum, private, open := 0, 0, 0
	for _, cmd := range list {
		dir := fmt.Sprintf("/proc/%d/", cmd.Process.Pid)
		status := read(t, dir+"status")
		number := func(name string) (kib int) {
			_, rest, _ := strings.Cut(status, "\n"+name+":")
			_, _ = fmt.Sscan(rest, &kib)
			return kib
		}
		sum, private = sum+number("VmRSS"), private+number("RssAnon")
		open += connections(t, dir)
	}
	n := len(list)
	t.Logf("%s: %d KiB, %d of them its own, %.1f connections", what, sum/n, private/n,
		float64(open)/float64(n))
}

// connections counts those of a process over TCP.
func connections(t *testing.T, dir string) (n int) {
	t.Helper()
	all := read(t, dir+"net/tcp") + read(t, dir+"net/tcp6")
	list, err := os.ReadDir(dir + "fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		to, _ := os.Readlink(dir + "fd/" + f.Name())
		inode, socket := strings.CutPrefix(to, "socket:[")
		for line := range strings.Lines(all) {
			const state, number = 3, 9 // columns of proc(5); 01 is established
			if c := strings.Fields(line); socket && len(c) > number && c[state] == "01" &&
				c[number] == strings.TrimSuffix(inode, "]") {
				n++
			}
		}
	}
	return n
}
