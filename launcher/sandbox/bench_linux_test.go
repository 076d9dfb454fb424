package sandbox

import (
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/tada-run/tada-run/launcher/broker"
)

// BenchmarkStart is what a sandbox costs: each way of starting the same program, to its end, in one
// run. The ratio to "bare" is the number to look at; to "bwrap" where that is installed.
func BenchmarkStart(b *testing.B) {
	null, err := os.Open("/dev/null")
	if err != nil {
		b.Fatal(err)
	}
	defer null.Close()
	bwrap, _ := exec.LookPath("bwrap")
	files := []*os.File{null, null, null}
	for _, program := range []struct {
		name string
		argv []string
	}{{"true", []string{"/bin/true"}}, {"bash", []string{"/bin/bash", "-c", "true"}}} {
		plain := func(b *testing.B, argv []string) {
			for b.Loop() {
				p, err := os.StartProcess(argv[0], argv, &os.ProcAttr{Files: files})
				if err != nil {
					b.Fatal(err)
				}
				p.Wait()
			}
		}
		b.Run(program.name+"/bare", func(b *testing.B) { plain(b, program.argv) })
		for _, level := range []Level{Base, Strong} {
			b.Run(program.name+"/"+level.String(), func(b *testing.B) {
				p := Default(b.TempDir(), "")
				p.Require, p.Most = level, level
				for b.Loop() {
					process, _, err := Start(p,
						Command{Path: program.argv[0], Argv: program.argv, Files: files})
					if err != nil {
						b.Fatal(err)
					}
					process.Wait()
				}
			})
		}
		if bwrap != "" {
			argv := []string{bwrap, "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc",
				"--dev", "/dev", "--bind", "/tmp", "/tmp"}
			b.Run(program.name+"/bwrap",
				func(b *testing.B) { plain(b, append(argv, program.argv...)) })
		}
	}
}

// BenchmarkStartBroker is what the broker adds to a start: pairs of starts without and with what it
// answers for, and the median of the differences, of the time that passes and of the processor's.
// The aim is 100 microseconds.
func BenchmarkStartBroker(b *testing.B) {
	for _, level := range []Level{Base, Strong} {
		b.Run(level.String(), func(b *testing.B) {
			top := b.TempDir()
			without := Default(top, "")
			without.Require, without.Most = level, level
			with := without
			with.View = &broker.View{Dirs: []string{"/var/tmp"}, Ledger: top + "/ledger"}
			start := func(p Profile) (took, used time.Duration) {
				before, begin := usage(), time.Now()
				process, _, err := Start(p, Command{Path: "/bin/true", Argv: []string{"true"}})
				if err != nil {
					b.Fatal(err)
				}
				process.Wait()
				return time.Since(begin), usage() - before
			}
			var passed, spent []time.Duration
			for b.Loop() {
				took, used := start(without)
				tookWith, usedWith := start(with)
				passed, spent = append(passed, tookWith-took), append(spent, usedWith-used)
			}
			slices.Sort(passed)
			slices.Sort(spent)
			b.ReportMetric(float64(passed[len(passed)/2])/1000, "extra-us")
			b.ReportMetric(float64(spent[len(spent)/2])/1000, "extra-cpu-us")
		})
	}
}

// BenchmarkPrepare is the part of Start before anything is forked.
func BenchmarkPrepare(b *testing.B) {
	for _, level := range []Level{Base, Strong} {
		b.Run(level.String(), func(b *testing.B) {
			p := Default(b.TempDir(), "")
			ll, err := queryLandlock()
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				x := &builder{attempt: attempt{profile: p,
					command: Command{Path: "/bin/true", Argv: []string{"true"}}, landlock: ll,
					level: level}}
				b.StopTimer()
				x.prepareNamespaces() // namespaces are made while the line is judged
				b.StartTimer()
				if err := x.prepare(); err != nil {
					b.Fatal(err)
				}
				x.close()
			}
		})
	}
}
