//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker"
)

// viewJobs are what programs do all day, in a workspace $W with temporary files in $T: how it is
// made ready, in $S, and what is measured.
var viewJobs = []struct{ name, tool, ready, run string }{
	{"untar", "tar", manyFiles, "cd $W && tar -xf $S/a.tar"},
	{"untar into the view", "tar", manyFiles, "cd $TMPDIR && tar -xf $S/a.tar"},
	{"git clone", "git", `git init -q o && cd o && for i in $(seq 400); do
		mkdir -p d$((i%20)) && echo $i > d$((i%20))/f$i; done && git add . &&
		git -c user.name=x -c user.email=x@example.com commit -qm x`,
		"cd $W && git clone -q --no-local $S/o c"},
	{"go build", "go", `for i in $(seq 30); do mkdir -p p$i &&
		echo "package p$i; func F(a, b int) int { return a*b + $i }" > p$i/p.go; done &&
		printf 'module example.com/m\ngo 1.20\n' > go.mod`,
		"cd $S && GOCACHE=$W/cache GOFLAGS=-buildvcs=false GOTOOLCHAIN=local go build ./..."},
	{"make -j8", "gcc", `for i in $(seq 40); do echo "int f$i(int a) { return a * $i; }" > f$i.c;
		done && printf '%%.o: %%.c\n\tgcc -O1 -c $< -o $@\n' > Makefile`,
		`cd $W && cp $S/Makefile . && make -s -j8 VPATH=$S $(seq -f f%.0f.o 40)`},
	{"npm ci", "npm", `mkdir -p d/p && cd d/p && for i in $(seq 200); do echo "$i" > f$i.js; done &&
		echo '{"name":"p","version":"1.0.0"}' > package.json && npm pack -s > /dev/null && cd .. &&
		echo '{"name":"m","version":"1.0.0","dependencies":{"p":"file:p/p-1.0.0.tgz"}}' \
		> package.json && npm install -s --offline --no-audit --cache $S/c && rm -r node_modules`,
		"cp -r $S/d $W && cd $W/d && npm ci -s --offline --no-audit --cache $W/c"},
}

const manyFiles = `mkdir src && cd src && for i in $(seq 5000); do
	echo "$i and some text of a file" > f$i; done && cd .. && tar -cf a.tar src`

// BenchmarkViewJobs is what a view costs programs: pairs of runs with and without one, in which
// nothing is guarded, and the medians of the ratios: of the time that passes, and of the
// processor's with that of the broker. The aim is 1.03, but for what is made in the view itself:
// there the broker makes each entry.
func BenchmarkViewJobs(b *testing.B) {
	for _, job := range viewJobs {
		for _, level := range []Level{Base, Strong} {
			b.Run(fmt.Sprintf("%s/%v", job.name, level), func(b *testing.B) {
				if _, err := exec.LookPath(job.tool); err != nil {
					b.Skip(job.tool + " is not installed")
				}
				// a disk is not the same for long
				top, err := os.MkdirTemp("/dev/shm", "jobs")
				must(b, err)
				defer os.RemoveAll(top)
				for _, dir := range []string{"/ready", "/ws", "/tmp"} {
					must(b, os.Mkdir(top+dir, 0o700))
				}
				env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + top + "/ws",
					"S=" + top + "/ready", "W=" + top + "/ws", "TMPDIR=" + top + "/tmp"}
				ready := exec.Command("bash", "-c", job.ready)
				ready.Dir, ready.Env = top+"/ready", env
				if out, err := ready.CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
				p := Default(top+"/ws", top+"/tmp")
				p.Read = append(p.Read, Path{Name: "/"}, Path{Name: top + "/ready"})
				p.Require, p.Most = level, level
				view := &broker.View{Dirs: []string{top + "/tmp"}, Ledger: top + "/ledger"}
				var passed, spent []float64
				for b.Loop() {
					took, used := p.job(b, job.run, env, top, nil)
					tookView, usedView := p.job(b, job.run, env, top, view)
					passed = append(passed, float64(tookView)/float64(took))
					spent = append(spent, float64(usedView)/float64(used))
				}
				slices.Sort(passed)
				slices.Sort(spent)
				b.ReportMetric(passed[len(passed)/2], "ratio")
				b.ReportMetric(spent[len(spent)/2], "cpu-ratio")
			})
		}
	}
}

// job runs one, and leaves the workspace empty.
func (p Profile) job(b *testing.B, script string, env []string, top string,
	v *broker.View) (took, used time.Duration) {
	p.View = v
	if v != nil {
		p.Write = slices.DeleteFunc(slices.Clone(p.Write),
			func(w Path) bool { return w.Name == top+"/tmp" })
	}
	before, begin := usage(), time.Now()
	process, _, err := Start(p, Command{Path: "/bin/bash", Env: env,
		Argv: []string{"bash", "-c", script}, Files: []*os.File{nil, nil, os.Stderr}})
	must(b, err)
	s, err := process.Wait()
	took, used = time.Since(begin), usage()-before
	if err != nil || s.Shell() != 0 {
		b.Fatalf("%+v %v", s, err)
	}
	for _, dir := range []string{"/ws", "/tmp"} {
		must(b, os.RemoveAll(top+dir))
		must(b, os.Mkdir(top+dir, 0o700))
	}
	return took, used
}

// usage is the processor time of this process and of those that it has waited for.
func usage() (sum time.Duration) {
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var u unix.Rusage
		_ = unix.Getrusage(who, &u)
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}
