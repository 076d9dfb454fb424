package shellparse

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/shellparse/eval"
	"github.com/tada-run/tada-run/shellparse/syntax"
)

// huge are texts of about n bytes, each of which grows one thing that a parser, a printer
// or a walker could recurse or multiply on.
func huge(n int) map[string]string {
	rep := func(s string) string { return strings.Repeat(s, n/len(s)) }
	m := map[string]string{
		"commands":    rep("rm x\n"),
		"assignments": "",
		"pipes":       rep("a|") + "a",
		"lists":       rep("a&&") + "a",
		"sums":        "echo $((" + rep("a+") + "a))",
		"minuses":     "echo $((" + rep("- ") + "1))",
		"words":       "echo " + rep("x "),
		"one word":    "echo " + rep("x"),
		"quotes":      "echo " + rep(`'x'"y"`),
		"document":    "cat <<'E'\n" + rep("rm -rf /\n") + "E\n",
		"open doc":    "cat <<E\n" + rep("$x ") + "\nE\n",
		"subshells":   rep("(cd /;a=1)\n"),
		"branches":    rep("if a; then cd /; x=$y; fi\n"),
		"elif":        "if a; then b; " + rep("elif a; then b; ") + "fi",
		"case":        "case x in " + rep("a) b;; ") + "esac",
		"loops":       rep("for i in 1 2 3 4 5 6 7 8; do rm $i; done\n"),
		"nested loops": rep("for i in {1..99}; do ") + "rm x" +
			strings.Repeat("; done", n/len("for i in {1..99}; do ")),
		"functions":    rep("f() { g; }; f\n"),
		"braces":       "echo " + rep("{a,b}"),
		"sequences":    rep("echo {1..99999}\n"),
		"substitution": rep("echo $(echo a)\n"),
		"nested text":  rep("bash -c 'rm x'\n"),
		"traps":        rep("trap 'rm x' EXIT\n"),
		"files":        rep("echo a >b; sh b\n"),
		"eval twice":   "x='eval \"$x$x\"'; eval \"$x\"",
		"comments":     rep("# rm\n"),
		"marks":        "echo " + rep("\u200b"),
		"arithmetic":   rep("((i++))\n"),
		"arrays":       "a=(" + rep("x ") + ")",
		"trim":         "x=" + rep("a") + "; echo ${x##*b}",
	}
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "v%d=%d;(v=1)\n", i, i)
	}
	m["assignments"] = b.String()
	return m
}

// Whatever is long ends, and the answer is bounded (C-3.5.3).
func TestHuge(t *testing.T) {
	t.Parallel()
	size := 1 << 15
	if testing.Short() {
		size = 1 << 13
	}
	for name, text := range huge(size) {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			s := Parse(text, Options{Dir: "/w"})
			if len(s.Effects) > eval.MaxEffects || len(s.Commands) > eval.MaxEffects ||
				len(s.Opaque) > eval.MaxEffects+8 {
				t.Errorf("%d effects, %d commands, %d opaque", len(s.Effects), len(s.Commands),
					len(s.Opaque))
			}
			if testing.Verbose() {
				t.Logf("%v, %d effects, %d commands, err %v", time.Since(start), len(s.Effects),
					len(s.Commands), s.Err)
			}
		})
	}
}

// A text of the greatest length takes no more than its share of time beside one of a
// sixteenth, and a longer one is refused.
func TestLongest(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"commands", "document", "one word", "pipes"} {
		s := Parse(huge(syntax.MaxText - 4096)[name], Options{Dir: "/w"})
		if len(s.Opaque) == 0 && name != "document" && name != "one word" {
			t.Errorf("%s: no limit is told", name)
		}
	}
	if s := Parse(strings.Repeat("a", syntax.MaxText+1), Options{}); s.Err == nil {
		t.Error("a text that is too long is accepted")
	}
}

// What is nested too deeply for the parser, the tree or the walker is refused as a whole.
func TestDeep(t *testing.T) {
	const n = 10000
	deep := func(open, middle, end string) string {
		return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
	}
	for name, text := range map[string]string{
		"subshell":     deep("( ", "rm x", ")"),
		"group":        deep("{ ", "rm x", ";}"),
		"substitution": "echo " + deep("$(", "rm x", ")"),
		"quoted":       "echo " + deep(`"$(`, "rm x", `)"`),
		"arithmetic":   "echo " + deep("$((", "1", "))"),
		"parentheses":  "((" + deep("(", "1", ")") + "))",
		"parameter":    "echo " + deep("${x:-", "$(rm x)", "}"),
		"if":           deep("if ", "rm x", "; then :; fi"),
		"while":        deep("while ", "rm x", "; do :; done"),
		"function":     deep("f() { ", "rm x", "; }"),
		"unclosed":     strings.Repeat("(", 1<<20),
		"case":         deep("case x in x) ", "rm x", ";; esac"),
		"test":         "[[ " + deep("( ", "a", " )") + " ]]",
		"not":          "[[ " + strings.Repeat("! ", 1<<19) + "a ]]",
		"unary":        "((" + strings.Repeat("!", 1<<20-8) + "a))",
		"power":        "((" + strings.Repeat("a**", 1<<18) + "a))",
		"process":      "cat " + deep("<(", "rm x", ")"),
		"time":         strings.Repeat("time ", 1<<17),
	} {
		t.Run(name, func(t *testing.T) {
			s := Parse(text, Options{Dir: "/w"})
			if len(s.Opaque) == 0 || s.Opaque[0].Place != InText || s.Canonical != "" ||
				s.Err == nil {
				t.Errorf("err %v, canonical %d bytes, %d opaque", s.Err, len(s.Canonical),
					len(s.Opaque))
			}
		})
	}
}

// Nesting that a person could still write is followed to its end.
func TestNested(t *testing.T) {
	for _, n := range []int{1, 10, 100} {
		for _, text := range []string{
			strings.Repeat("( ", n) + "rm x" + strings.Repeat(")", n),
			"echo " + strings.Repeat("$(", n) + "rm x" + strings.Repeat(")", n),
			strings.Repeat("if ", n) + "rm x" + strings.Repeat("; then :; fi", n),
		} {
			if s := Parse(text, Options{Dir: "/w"}); s.Err != nil ||
				!strings.Contains(describe(s), "rm x") {
				t.Errorf("%.40q: err %v", text, s.Err)
			}
		}
	}
}
