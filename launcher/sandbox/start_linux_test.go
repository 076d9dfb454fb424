package sandbox

import (
	"io"
	"os"
	"testing"
)

func run(t *testing.T, p Profile, argv ...string) (Status, string, string) {
	t.Helper()
	outR, outW, _ := os.Pipe()
	errR, errW, _ := os.Pipe()
	null, _ := os.Open("/dev/null")
	proc, _, err := Start(p, Command{Path: argv[0], Argv: argv, Env: []string{"PATH=/usr/bin:/bin"}, Files: []*os.File{null, outW, errW}})
	outW.Close()
	errW.Close()
	if err != nil {
		t.Fatal(err)
	}
	s, err := proc.Wait()
	if err != nil {
		t.Fatal(err)
	}
	out, _ := io.ReadAll(outR)
	errs, _ := io.ReadAll(errR)
	return s, string(out), string(errs)
}

func TestStart(t *testing.T) {
	dir := t.TempDir()
	p := Default(dir, "")
	p.Require = Strong
	s, out, errs := run(t, p, "/bin/bash", "-c", "echo hi; ls -l /dev/null; stat / | head -3; id; pwd; ls -l /proc; ip a; cat /proc/mounts; cat /etc/shadow; ls /; ls -l /proc/self/fd; grep -E 'Cap|NoNew|Seccomp|Sig' /proc/self/status; ulimit -n; kill -TERM $$")
	t.Log(s.Shell(), out, errs)
}

func BenchmarkBase(b *testing.B)   { bench(b, Base) }
func BenchmarkStrong(b *testing.B) { bench(b, Strong) }
func bench(b *testing.B, l Level) {
	p := Default(b.TempDir(), "")
	p.Require, p.Most = l, l
	null, _ := os.Open("/dev/null")
	for b.Loop() {
		proc, _, err := Start(p, Command{Path: "/bin/true", Argv: []string{"true"}, Files: []*os.File{null, null, null}})
		if err != nil {
			b.Fatal(err)
		}
		proc.Wait()
	}
}
func BenchmarkBare(b *testing.B) {
	null, _ := os.Open("/dev/null")
	for b.Loop() {
		proc, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{Files: []*os.File{null, null, null}})
		if err != nil {
			b.Fatal(err)
		}
		proc.Wait()
	}
}
