package shellparse

import (
	"flag"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/shellparse/syntax"
)

// all is for the slow run: go test ./shellparse -all.
var all = flag.Bool("all", false,
	"try every change on every line of the corpus, and every hostile text at full length")

// All tells the tests outside the package.
func All() bool { return *all }

// A hostileLine repeats a piece until the text has n bytes. Each piece is one that a
// parser could go over again for every one that follows.
type hostileLine struct{ name, front, piece, end string }

var hostile = []hostileLine{
	{"quotes", "echo ", `'x'"y"`, ""},
	{"open quotes", "echo ", `"`, ""},
	{"substitutions", "echo ", "$(", ""},
	{"backquotes", "echo ", "`a`", ""},
	{"braces", "echo ", "{a,b}", ""},
	{"open braces", "echo ", "{a,", ""},
	{"semicolons", "", "a;", ""},
	{"only semicolons", "", ";", ""},
	{"here-documents", "cat ", "<<E ", "\nE\n"},
	{"open here-documents", "", "cat <<E\n", ""},
	{"backslashes", "echo ", `\`, ""},
	{"continued lines", "echo ", "\\\n", "x"},
	{"doubling", "a=x;", "a=a$a;", "echo $a"},
	{"doubling in a function", "a=x;", "f(){ a=$a$a;};f;", "rm $a"},
	{"doubling in eval", "a=:;", "eval \"a='$a;$a'\";", "eval $a"},
	{"loops in loops", "", "for i in {1..9};do ", ""},
	{"loops", "", "for i in a b c;do x=$x$i;done;", ""},
	{"endless loops", "", "while :;do x=$x$y;done;", ""},
	{"functions", "", "f(){ g;};g(){ f;};f;", ""},
	{"branches", "", "if a;then x=$x;cd a;fi;", "rm x"},
	{"jobs", "", "a& ", ""},
	{"pipes", "a", "|a", ""},
	{"parameters", "echo ", "${x:-", ""},
	{"replacements", "x=aaaa;", "x=${x//a/b};", ""},
	{"trims", "x=aaaa;", "x=${x%%*b};", ""},
	{"arithmetic", "", "((i+=i*i));", "echo $i"},
	{"arrays", "", "a+=(x $a);", "echo ${a[@]}"},
	{"sets", "", "set -- \"$@\" x;", "echo $#"},
	{"comments", "", "#\n", ""},
	{"redirections", "", ">a ", ""},
	{"options", "git ", "-C a ", "status"},
	{"decoders", "echo Og==", "|base64 -d|rev", "|sh"},
	{"sources", "", ". ./a;rm b;", ""},
	{"globs", "echo ", "*?[a]", ""},
	{"look-alikes", "echo ", "а", ""},
}

func hostileText(front, piece, end string, n int) string {
	return front + strings.Repeat(piece, max(1, (n-len(front)-len(end))/len(piece))) + end
}

// fastest is the shortest of several times that Parse takes on a processor: what others do to the
// machine only adds.
func fastest(text string, rounds int) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	best := time.Hour
	for range rounds {
		start := spent()
		Parse(text, Options{Dir: "/w", Vars: map[string]string{"HOME": "/home/dev"}})
		best = min(best, spent()-start)
	}
	return best
}

// spent is the processor time of this thread.
func spent() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}

// TestLinear: time is linear in the length of the text. A text eight times as long may take
// some forty times as long, because values grow until their limit, where what is quadratic
// takes sixty-four; and one of the
// greatest length stays in proportion to it. A measurement that others disturb is repeated.
func TestLinear(t *testing.T) {
	t.Parallel()
	const factor, allowed = 8, 40
	small := 1 << 12
	if testing.Short() {
		small = 1 << 10
	}
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			short, long := hostileText(h.front, h.piece, h.end, small),
				hostileText(h.front, h.piece, h.end, small*factor)
			var ratios []float64
			for try := range 9 {
				// Under a third of a millisecond a ratio says more of the clock than of the text.
				base := max(fastest(short, 2+try), 300*time.Microsecond)
				ratio := float64(fastest(long, 1+try)) / float64(base)
				if ratios = append(ratios, ratio); ratio <= allowed {
					return
				}
			}
			t.Errorf("%d times the text takes %.0f times as long", factor, slices.Min(ratios))
		})
	}
}

// TestLargest parses each hostile text in the greatest length that is accepted: it ends, and
// in proportion to a text of a sixteenth.
func TestLargest(t *testing.T) {
	if testing.Short() {
		t.Skip("long texts: left out by -short")
	}
	t.Parallel()
	for i, h := range hostile {
		if i%8 != 0 && !*all {
			continue // go test -run Largest -all for the others
		}
		t.Run(h.name, func(t *testing.T) { inProportion(t, h) })
	}
}

// wordy are single commands of so many words that one look at every word for every other
// would take half a minute.
var wordy = []hostileLine{
	{"files in a pipe", "cat ", "a-long-name ", "|sh"},
	{"addresses", "curl ", "http://host/ ", "|sh"},
	{"patterns", "mv ", "a-pattern* ", "d"},
}

// TestManyWords is TestLargest for them.
func TestManyWords(t *testing.T) {
	if testing.Short() {
		t.Skip("long texts: left out by -short")
	}
	t.Parallel()
	for _, h := range wordy {
		t.Run(h.name, func(t *testing.T) { inProportion(t, h) })
	}
}

func inProportion(t *testing.T, h hostileLine) {
	part := max(fastest(hostileText(h.front, h.piece, h.end, syntax.MaxText/16), 1),
		time.Millisecond)
	text := hostileText(h.front, h.piece, h.end, syntax.MaxText-8)
	whole := fastest(text, 1)
	for range 3 {
		if whole <= 64*part {
			return
		}
		part, whole = max(part, fastest(hostileText(h.front, h.piece, h.end, syntax.MaxText/16),
			1)), min(whole, fastest(text, 1))
	}
	if whole > 64*part {
		t.Errorf("%d bytes take %v, a sixteenth %v", len(text), whole, part)
	}
}
