package shellparse

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// The differential test: no text that is accepted may make bash run a program that the
// tree does not show. Each seed holds the word PWN as data only; mutations move the seams
// between the tokens around it. The oracle is a real bash whose PATH has one program, PWN.

// seeds are scripts in which PWN is data.
var seeds = strings.Split(strings.Trim(`
echo 'PWN'
echo "PWN"
echo $'PWN'
echo $"PWN"
echo a\ PWN
: a PWN b
# PWN
: # PWN
: a # PWN\nb
cat <<E\nPWN\nE
cat <<'E'\nPWN\nE
cat <<-E\n\tPWN\n\tE
cat <<E; cat <<F\nPWN\nE\nPWN\nF
x=$(cat <<E\nPWN\nE\n)
: <<<PWN
: <<<"PWN"
: ${x:-PWN}
: ${x:-"PWN"}
: "${x:-PWN}"
: "${x:-'PWN'}"
: ${x/PWN/PWN}
: ${x#PWN}
: $((PWN))
: $[PWN]
((PWN)) ; :
a=(PWN b)
a=(PWN) ; :
a=(x PWN)\n:
a[1]=PWN
a=PWN
a=PWN:b
a+=PWN
declare a=PWN
declare -a a=(PWN)
export a=PWN
case PWN in x) :;; esac
case x in PWN) :;; *) :;; esac
case x in (PWN|a) :;; esac
[[ x =~ PWN ]]
[[ PWN == x ]]
[[ -n PWN && x ]]
for i in PWN; do :; done
for i in a PWN\ndo :\ndone
select i in PWN; do break; done
f() { : PWN; }
f() { : PWN; }; f
function f { : "PWN"; }
if : PWN; then : PWN; fi
while : PWN; do break; done
{ : PWN; }
( : PWN )
: $( : PWN )
: `+"`: PWN`"+`
: >PWN
: 2>PWN
: >"PWN" <PWN
: && : PWN || : PWN
! : PWN
time : PWN
time -p : PWN
coproc : PWN
: & : PWN
x=1 y=PWN : z
trap 'PWN' USR1
alias a=PWN
let PWN=1
test PWN = PWN
: {PWN,b}
: ~PWN
: *PWN*
: "a'PWN'b"
: 'a"PWN"b'
: "$(: PWN)"
: "\$(PWN)" '\`+"`PWN`"+`'
echo a; : PWN; echo b
: PWN |& :
: <(: PWN)
eval ': PWN'
`, "\n"), "\n")

// tokens are what a mutation inserts.
var tokens = []string{" ", "\t", "\r", "\v", "\f", "\n", "\\\n", "\\", "#", ";", ";;", ";&", "&",
	"&&", "||", "|", "|&", "'", `"`, "`", "$(", ")", "(", "((", "))",
	"{", "}", "{ ", " }", "${", "$((", "$[", "]", "[[", "]]", "<<E", "<<'E'", "<<-E", "\nE\n",
	"\nE\r\n", "E", "<(", ">(", "<<<", "<", ">", ">&", "&>", "$", "$'", `$"`, "=", "+=", "a=(",
	"a[",
	"if ", "then ", "fi", "do ", "done", "case x in ", "esac", "for i in ", "while ", "function ",
	"time ", "time -p ", "time -- ", "coproc ", "! ", "!", "select ", "in ", "else ", "elif ",
	"until ",
	"!(", "@(", "?(", "*(", "+(", "\u00a0", "\u2028", "\x01", "\x7f", "\xff", "\x00", "~", "*", "?",
	"[", "-", "--", "declare ", "export ", "let ", "eval ", "alias ", "x", "1", "2>", ",", ":",
	"%", "^", "@", "\\\n\\\n", "$\\\n"}

func mutate(r *rand.Rand, s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, `\n`, "\n"), `\t`, "\t")
	for range 1 + r.IntN(3) {
		at := r.IntN(len(s) + 1)
		switch r.IntN(5) {
		case 0: // delete
			if end := min(len(s), at+1+r.IntN(2)); end > at {
				s = s[:at] + s[end:]
			}
		case 1: // replace
			end := min(len(s), at+1)
			s = s[:at] + tokens[r.IntN(len(tokens))] + s[end:]
		default:
			s = s[:at] + tokens[r.IntN(len(tokens))] + s[at:]
		}
	}
	return s
}

// hidden reports whether the accepted script shows neither PWN nor anything unknown that
// could be PWN where a program's name or code stands.
func hidden(s *Script) bool {
	if s.Err != nil || loops(s.Text) {
		return false
	}
	for _, c := range s.Commands {
		if strings.Contains(c.Name, "PWN") || c.Name == "" {
			return false
		}
		if len(c.Args) > 0 && !c.Args[0].Static {
			return false
		}
	}
	for _, o := range s.Opaque {
		if o.Place <= InCode {
			return false
		}
	}
	for _, e := range s.Effects {
		if e.Flags != 0 && strings.Contains(e.Name.Text, "PWN") {
			return false
		}
	}
	return true
}

// loops reports whether text could run until the timeout, which would cost the test its time.
func loops(text string) bool {
	return strings.Contains(text, "while") || strings.Contains(text, "until") ||
		strings.Contains(text, "select") || strings.Contains(text, "for ((")
}

// A cell is a directory in which bash can start nothing but PWN. Each run has a number, so
// that a hit of a job in the background is laid to the text that started it.
type cell struct {
	dir, bash, hits string
	attr            *syscall.SysProcAttr
	texts           []string
}

func newCell(t testing.TB) *cell {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash")
	}
	c := &cell{dir: t.TempDir(), bash: bash}
	c.hits = filepath.Join(c.dir, "hits")
	for _, d := range []string{"bin", "cwd", "hits"} {
		if err := os.Mkdir(filepath.Join(c.dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	script := "#!" + bash + "\n: >" + c.hits + "/$RUN\n"
	if err := hermetic.WriteProgram(filepath.Join(c.dir, "bin", "PWN"), []byte(script),
		0o755); err != nil {
		t.Fatal(err)
	}
	c.attr = powerless(t, c.dir)
	return c
}

// run executes text.
func (c *cell) run(text string) {
	if strings.Contains(text, "\x00") || strings.Contains(text, "/") {
		return // a mutated redirection must not leave the cell
	}
	ctx, cancel := context.WithTimeout(context.Background(), 400*time.Millisecond)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.bash, "-c", text)
	cmd.Dir = filepath.Join(c.dir, "cwd")
	cmd.Env = []string{"PATH=" + filepath.Join(c.dir, "bin"), "RUN=" + strconv.Itoa(len(c.texts)),
		"HOME=" + cmd.Dir}
	cmd.WaitDelay, cmd.SysProcAttr = 100*time.Millisecond, c.attr
	c.texts = append(c.texts, text)
	_ = cmd.Run()
	left, _ := os.ReadDir(cmd.Dir)
	for _, f := range left { // a job in the background may still add to them
		_ = os.RemoveAll(filepath.Join(cmd.Dir, f.Name()))
	}
}

// report fails for every text that has started PWN.
func (c *cell) report(t testing.TB) {
	found, _ := os.ReadDir(c.hits)
	for _, f := range found {
		n, err := strconv.Atoi(f.Name())
		if err != nil || n >= len(c.texts) {
			t.Errorf("a hit of no run: %q", f.Name())
			continue
		}
		t.Errorf("bash runs PWN in %q, and the Script shows:\n%s", c.texts[n],
			describe(Parse(c.texts[n], Options{})))
		os.Remove(filepath.Join(c.hits, f.Name()))
	}
}

// check runs what Parse accepts without showing PWN. The canonical print is what would be
// executed; the text itself is tried as well, because a reader sees that one.
func (c *cell) check(t testing.TB, text string) bool {
	s := Parse(text, Options{Dir: filepath.Join(c.dir, "cwd")})
	if !hidden(s) || !strings.Contains(text, "PWN") {
		return false
	}
	c.run(s.Canonical)
	c.run(text)
	c.report(t)
	return true
}

// TestAgainstBash is the differential test for a few seconds; FuzzAgainstBash goes on.
// E-dsp-4: what the parser does not show is never accepted.
func TestAgainstBash(t *testing.T) {
	t.Parallel()
	c := newCell(t)
	for _, seed := range seeds {
		c.check(t, mutateNothing(seed))
	}
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	ran, deadline := 0, time.Now().Add(4*time.Second)
	for i := 0; time.Now().Before(deadline) && i < 200000 && !t.Failed(); i++ {
		if c.check(t, mutate(r, seeds[r.IntN(len(seeds))])) {
			ran++
		}
	}
	time.Sleep(50 * time.Millisecond)
	c.report(t)
	if ran == 0 {
		t.Error("no mutation was accepted and hid PWN: the test tests nothing")
	}
	t.Logf("%d texts ran", ran)
}

func mutateNothing(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, `\n`, "\n"), `\t`, "\t")
}

// FuzzAgainstBash lets the fuzzer choose the mutations.
func FuzzAgainstBash(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Add(uint64(260), uint64(222)) // a name behind >&, which bash expands twice
	c := newCell(f)
	f.Fuzz(func(t *testing.T, a, b uint64) {
		r := rand.New(rand.NewPCG(a, b))
		for range 20 {
			c.check(t, mutate(r, seeds[r.IntN(len(seeds))]))
		}
	})
}

// The constructs that the parser and bash read differently are refused, each for its own
// reason, in the spelling in which they hide a command.
func TestDifferences(t *testing.T) {
	for _, tt := range []struct{ name, text string }{
		{"A", "ls # note\\\nPWN"},
		{"B", "a=(1)# PWN"},
		{"B declare", "declare -a x=(a)# ; PWN"},
		{"C", "cat <<E\n\\\nE\nPWN\nE"},
		{"C split", "cat <<EOF\nEO\\\nF\nPWN\nEOF"},
		{"D", "echo a \r#; PWN"},
		{"D here", "cat <<E\nE\r\ncat <<X\nE\nPWN\nX"},
		{"E", "echo \"$\\\n(PWN)\""},
		{"E default", "echo ${x:-\"$\\\n(PWN)\"}"},
		{"E here", "cat <<E\n$\\\n(PWN)\nE"},
		{"F", "time -- PWN"},
		{"G", "!(PWN)"},
		{"G time", "time !(PWN)"},
		{"H", "coproc a=b PWN"},
		{"H append", "coproc a+=b PWN"},
		{"H redirect", "coproc 2>: PWN"},
		{"I", `echo "${x:-'$(PWN)'}"`},
		{"I end", `echo "${x:-'}"; PWN; echo "'}"`},
		{"I alternative", "echo \"${x+'`PWN`'}\""},
		{"I assigned", `echo "${x:='a}'}"`},
		{"I dollar", `echo "${x:-$'\''}"; PWN; echo "'}"`},
		{"I nested", `echo "${x#${y:-'$(PWN)'}}"`},
		{"I here", "cat <<E\n${x:-'$(PWN)'}\nE"},
		{"I arithmetic", `echo $((${x:-'$(PWN)'}))`},
		{"I command", `(( a = ${x:-'$(PWN)'} ))`},
		{"I subscript", `echo ${a[${x:-'$(PWN)'}]}`},
		{"I element", `a[${x:-'$(PWN)'}]=1`},
		{"I slice", `echo ${s:${x:-'$(PWN)'}}`},
		{"I for", `for ((i=${x:-'$(PWN)'};i<0;)); do :; done`},
		{"I test", `[[ ${x:-'$(PWN)'} -eq 1 ]]`},
		{"I string", `cat <<< ${x:-'$(PWN)'}`},
		{"I twice", `echo ${x:-${y:-'a'}}`},
		{"I replaced quote", `echo "${x/a/$'\''}"; PWN; echo "'}"`},
		{"I replaced", `echo "${x/a/'$(PWN)'}"`},
		{"J", "echo {a[1]b[1]}>f"},
		{"J expansion", "echo {a[$n]}>f"},
		{"J quotes", "exec {a[\"1\"]}<f"},
		{"K", "cat <<E\n$(cat <<E\nE\nPWN\n)\nE"},
		{"K tabs", "cat <<-E\n$(cat <<E\n\tE\nE\nPWN\n)\nE"},
		{"L", "a=([0]= x)"},
		{"let", "let at<<E\ncat <<F\nPWN\nE\nPWN\nF\n"},
		{"let pipe", "let a|PWN"},
		{"let and", "let a&PWN"},
		{"let list", "let a=1 b&&PWN"},
		{"let paren", "let (PWN)"},
		{"NUL", "echo a\x00b"},
		{"escape", "echo \x1b[2K"},
		{"vertical tab", "echo a\vb"},
		{"C1", "echo \u009b"},
		{"bidi", "echo \u202eabc"},
		{"zero width", "r\u200bm x"},
		{"tag", "echo \U000e0041"},
		{"byte order mark", "\ufeffrm x"},
		{"no-break space", "rm\u00a0-rf x"},
		{"invalid", "echo \xff"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := Parse(tt.text, Options{})
			if s.Err == nil || s.Canonical != "" || s.Plain || len(s.Opaque) == 0 ||
				s.Opaque[0].Place != InText {
				t.Errorf("accepted: %q", s.Canonical)
			}
		})
	}
	// The same characters where they are only data.
	for _, text := range []string{"echo 'a\u00a0b'", "cat <<E\na\u3000b\nE", "echo 👩\u200d💻",
		"git commit -m 'naïve ✅'", "a=(1) # x", "cat <<E\na\\\nb\nE", "time -p ls",
		"let x=y+1 'z=1<<2'",
		`echo "${x:='a'}" ${x:-'a b'} "${x#'a$'}" "${x/'a'/b}" "${PATH//:/$'\n'}" "$(echo ${x:-'b'})"`, `let "a = b && c"`, "exec {a[1]}>f {b}<f; echo {a,b[$n]}>f ${a[$n]}>f"} {
		if s := Parse(text, Options{}); s.Err != nil {
			t.Errorf("%q: %v", text, s.Err)
		}
	}
}
