package undo

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// benchmark measures what the journal adds to each of b.N changes; prepare makes what changes.
func benchmark(b *testing.B, prepare func(path string),
	note func(j *Journal, fd int, in, name string) error) {
	w := newWorld(b, b.TempDir())
	name := func(n int) string { return fmt.Sprint("f", n) }
	for n := range b.N {
		prepare(w.path(name(n)))
	}
	fd, in, _, err := folderOf(w.path("f"))
	if err != nil {
		b.Fatal(err)
	}
	defer unix.Close(fd)
	w.store.o.Quota = 1 << 40
	j := w.begin("run")
	b.ResetTimer()
	from := cpuTime()
	for n := range b.N {
		if err := note(j, fd, in, name(n)); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	b.ReportMetric(float64(cpuTime()-from)/float64(b.N), "cpu-ns/op") // also on a busy machine
	j.release()
}

func BenchmarkMake(b *testing.B) {
	benchmark(b, func(string) {}, (*Journal).Make)
}

func BenchmarkRemove(b *testing.B) {
	benchmark(b, func(path string) { _ = os.WriteFile(path, []byte("x"), 0o600) },
		(*Journal).Remove)
}

func BenchmarkWrite4k(b *testing.B) {
	text := make([]byte, 4096)
	benchmark(b, func(path string) { _ = os.WriteFile(path, text, 0o600) },
		func(j *Journal, fd int, in, name string) error {
			h, err := open(fd, name, unix.O_PATH|unix.O_NOFOLLOW, 0)
			if err != nil {
				return err
			}
			defer unix.Close(h)
			return j.Write(h, join(in, name))
		})
}

// BenchmarkWriteAgain is the common case of a write: the file is noted already.
func BenchmarkWriteAgain(b *testing.B) {
	w := newWorld(b, b.TempDir())
	w.write("f", "x")
	j := w.begin("run")
	h, err := open(unix.AT_FDCWD, w.path("f"), unix.O_PATH, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer unix.Close(h)
	for b.Loop() {
		if err := j.Write(h, w.path("f")); err != nil {
			b.Fatal(err)
		}
	}
	j.release()
}

func cpuTime() int64 {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u)
	return u.Utime.Nano() + u.Stime.Nano()
}
