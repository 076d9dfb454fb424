package sandbox

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker"
)

// opensMain opens each of the named files for writing as often as it is told, in turn, and prints
// the median time of each in nanoseconds. Of a name after a plus it only tries to make the file,
// which is there: the kernel says so. The runtime does not know of these calls: else it takes
// its own measures, with calls of its own, when one takes more than 20 µs.
func opensMain(args []string) {
	n, _ := strconv.Atoi(args[0])
	times := make([][]time.Duration, len(args[1:]))
	for range n {
		for i, name := range args[1:] {
			name, there := strings.CutPrefix(name, "+")
			at, _ := unix.BytePtrFromString(name)
			cwd, flags := unix.AT_FDCWD, unix.O_WRONLY|unix.O_CREAT|unix.O_CLOEXEC
			if there {
				flags |= unix.O_EXCL
			}
			begin := time.Now()
			fd, _, errno := unix.RawSyscall6(unix.SYS_OPENAT, uintptr(cwd),
				uintptr(unsafe.Pointer(at)), uintptr(flags), 0o600, 0, 0)
			times[i] = append(times[i], time.Since(begin))
			switch {
			case there && errno == unix.EEXIST:
			case errno != 0:
				fmt.Println(errno)
				os.Exit(1)
			default:
				unix.RawSyscall(unix.SYS_CLOSE, fd, 0, 0)
			}
		}
	}
	for _, list := range times {
		slices.Sort(list)
		fmt.Println(int64(list[n/2]))
	}
}

// BenchmarkView is what it costs that shared directories are a view: the medians of a call that is
// let through (by a full name and in the working directory) and of opens that the broker makes, in
// the shared directory and in the workspace, with what a bare one takes beside them; and the time
// of the processor, which other work on the machine changes less. Aims: 6 and 12 microseconds.
func BenchmarkView(b *testing.B) {
	for _, level := range []Level{Base, Strong} {
		b.Run(level.String(), func(b *testing.B) {
			top, self := b.TempDir(), ""
			self, _ = os.Executable()
			p := Default(top+"/ws", "")
			p.Read = append(p.Read, Path{Name: self})
			p.Require, p.Most = level, level
			p.View = &broker.View{Dirs: []string{top + "/tmp"}, Ledger: top + "/ledger"}
			for _, dir := range []string{"/ws", "/tmp"} {
				if err := os.Mkdir(top+dir, 0o700); err != nil {
					b.Fatal(err)
				}
			}
			names := []string{top + "/ws/a", "b", top + "/tmp/a", "+" + top + "/ws/a", "+b"}
			var bare, let []int64
			for b.Loop() {
				cmd := exec.Command(self)
				cmd.Args, cmd.Dir = append([]string{"opens", "3000"}, names...), top+"/ws"
				out, err := cmd.Output()
				if err != nil {
					b.Fatal(err)
				}
				bare = numbersIn(string(out))
				os.Remove(top + "/tmp/a")
				let = opens(b, p, self, top+"/ws", names, 3000)
				os.Remove(top + "/tmp/a")
			}
			spent := func(p Profile, name string) float64 {
				var used [2]time.Duration
				for i, n := range []int{1000, 11000} {
					before := usage()
					opens(b, p, self, top+"/ws", []string{name}, n)
					used[i] = usage() - before
				}
				os.Remove(top + "/tmp/a")
				return float64(used[1]-used[0]) / 10000
			}
			bareProfile := p
			bareProfile.View = nil
			b.ReportMetric(spent(bareProfile, names[0]), "cpu-ns/bare")
			b.ReportMetric(spent(p, names[0]), "cpu-ns/opened")
			b.ReportMetric(float64(bare[2]), "ns/bare")
			b.ReportMetric(float64(let[0]), "ns/opened")
			b.ReportMetric(float64(let[1]), "ns/opened-relative")
			b.ReportMetric(float64(let[2]), "ns/opened-shared")
			b.ReportMetric(float64(bare[3]), "ns/bare-let")
			b.ReportMetric(float64(let[3]), "ns/let")
			b.ReportMetric(float64(let[4]), "ns/let-relative")
		})
	}
}

func opens(b *testing.B, p Profile, self, dir string, names []string, n int) []int64 {
	b.Helper()
	out, in, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	at, err := os.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer at.Close()
	process, _, err := Start(p, Command{Path: self, Dir: at,
		Argv: append([]string{"opens", strconv.Itoa(n)}, names...), Files: []*os.File{nil, in, in}})
	in.Close()
	if err != nil {
		b.Fatal(err)
	}
	text, _ := io.ReadAll(out)
	if s, err := process.Wait(); err != nil || s.Shell() != 0 {
		b.Fatal(s, err, string(text))
	}
	return numbersIn(string(text))
}

func numbersIn(text string) (list []int64) {
	for field := range strings.FieldsSeq(text) {
		n, _ := strconv.ParseInt(field, 10, 64)
		list = append(list, n)
	}
	return list
}
