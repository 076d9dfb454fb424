package command

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Reading takes time in proportion to the line: four times the words take about four times
// as long, whatever they are.
func TestLinear(t *testing.T) {
	for _, unit := range []string{
		"curl -s", "curl -sfL", "curl --zz", "find a -exec rm {} ;", "git -C a", "tar cf a -C b",
		"awk {print>\"a\"|\"b\"}",
		"sed s/a/b/e;", "sqlite3 x DROP;", "parallel rm ::: a", "gcc -o a", "docker run -v /a:/b",
		"rm -r a", "unknown /a",
		"make A=$(x)", "env A=b", "xargs -I {}", "vim -c q", "kill 1", "sort -o a",
	} {
		program, word, _ := strings.Cut(unit, " ")
		small, large := repeat(program, word, 4096), repeat(program, word, 4*4096)
		ratio := 0.0
		for range 8 { // other processes take the cache away; what is quadratic is so every time
			if ratio = float64(elapsed(large)) / float64(elapsed(small)+
				time.Millisecond); ratio < 12 {
				break
			}
		}
		if ratio >= 12 {
			t.Errorf("%s: four times the words take %.0f times as long", unit, ratio)
		}
	}
}

func repeat(program, words string, n int) []Arg {
	args := []Arg{{Text: program, Static: true}}
	one := argv(words)
	for range n {
		args = append(args, one...)
	}
	return append(args, Arg{Text: "-" + strings.Repeat("v", n), Static: true},
		Arg{Text: strings.Repeat(words+";", n), Static: true})
}

func elapsed(args []Arg) time.Duration {
	s, _ := Lookup(args[0].Text)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := spent()
	s.Match(args)
	return spent() - start
}

// spent is the processor time of this thread.
func spent() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}
