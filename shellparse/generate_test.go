package shellparse

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// differFor is how long each comparison with a real shell goes on with new texts, as in
// go test ./shellparse -run Generated -differ 5m. Without it the same few are compared.
var differFor = flag.Duration("differ", 0,
	"compare new random texts with each real shell for so long")

// everyday is how many texts are compared without -differ.
const everyday = 300

// A generator makes random scripts out of the constructs whose meaning depends on others:
// values, splitting, quoting, arrays, functions, loops, directories.
type generator struct {
	*rand.Rand
	dialect Dialect
	depth   int // of lists
	inner   int // of words in words
}

func (g *generator) of(list ...string) string { return list[g.IntN(len(list))] }

// atoms are the pieces of a word that every shell has.
var atoms = []string{
	"a", "b c", " ", "ab", "q-r", "1", "=", ",", ":", "-", "_", ".", "'s t'", `'"'`, `"u v"`, `""`,
	"''", `\ `, `\\`, `\"`, `\a`, "*", "?", "[ab]", "~", "/", "%", "+", "@", "^", "!", "]", "é",
	"$x", "${x}", `"$x"`, `"${x}"`, "$y", `"$y"`, "$z", `"<$z>"`, "$1", `"$2"`, "$#", "$@", `"$@"`,
	"$*", `"$*"`, "${#x}", "${#y}", "$i", "$n",
	"${x:-d}", "${z:-$y}", `"${z:-"p  q"}"`, "${x-e f}", "${x:+w}", `"${y:+$x}"`, "${z:='k l'}",
	`${z:-'m n'}`, `"${z:-'m n'}"`, `"${z:-'$(echo m)'}"`, `${z:-'$x'}`, `"${z:-'}"`,
	`${z:-"${y:-'o'}"}`, `${y:+${z:-'o'}}`, "${z-}",
	"${x%b*}", "${x%%b*}", "${x#a}", "${x##*a}", `"${x%"$y"}"`, "${y#?}", "${x%' '*}", "${x#$y}",
	"$((1+2))", "$((n*3))", "$((n+=2))", "$((${#x}-1))", "$((7%3))",
	"$(echo q)", `"$(echo r  s)"`, "$(echo $x)", "`echo t`", "$(printf '%s,' $x)",
	`"$(printf %s "$y")"`, "$(pwd)", "$(echo a; echo b)", "$(g w)", "$PWD", "$OLDPWD",
	"$u", `"$u"`, "$v", "$e", `"x$@y"`, `$x"$@"`, "${u:+w}", "${e:-d}", "${e+s}", "${q+s}",
	"${e#x}",
	`"a'b"`, `'a"b'`, `"\$x"`, `"\a\\"`, `"${x:-"${y:-"deep  er"}"}"`, `"$(echo "${x#"a"}")"`,
}

// more are those of bash and the shells that are like it.
var more = []string{
	"{a,b}", "{1..3}", "{a,{b,c}}", "x{1,2}y", "{3..1}", "{a..c}", "{1..5..2}", "{01..02}", "{,z}",
	"{", "}", "{a}", "~{,/d}", "{~,a}", "{x,y}=~", "$'\\x41'", "$'b\\tc'", "$'\\''", `$"l"`,
	"${x/b/Q}", "${x//b/Q}", "${x/#a/Q}", "${x/%c/Q}", "${x//[ab]/-}", "${x//a}", `"${x// /_}"`,
	"${x/$y/$z}", "${x//b/$y}", `${x/a/"$y"}`,
	"${x^}", "${x^^}", "${x,}", "${x,,}", "${x:1}", "${x:1:2}", "${x: -1}", "${x:0:-1}", "${x:n}",
	"${y:0:1}", "${@:2}", `"${@:1:1}"`, "${@: -1}", `"${a[@]:1}"`, "${a[@]:0:1}",
	"${a}", "${a[0]}", "${a[1]}", `"${a[@]}"`, "${a[@]}", `"${a[*]}"`, "${#a[@]}", "${#a}",
	"${a[-1]}", `"${!a[@]}"`, "${a[n]}", "${a[@]%b*}", `"${a[@]/b/Q}"`, "${a[9]:-d}",
	`"x${a[@]}y"`,
	"${!k}", `"${!k}"`, "${h[k]}", `"${h[l]}"`, `"${!h[@]}"`, "${h[$x]-none}", "${!1}", "${!#}",
	"${!r}", "$(printf 'q\\0r\\162')", "$(printf %b 's\\0162\\163')",
	"$(echo -e 't\\0165\\165\\n\\x76')", "${x@U}", "${x@L}", "${y@Q}", "$[n+1]", "${!x}",
	"${!k:=w}", "${!k-w}", "${a[2]:=w}", "${a[n]=w}",
}

// rare is one in how many pieces is of bash. The other shells read most of them in ways of
// their own, and a word with one such piece has nothing left to compare.
func (g *generator) rare() int {
	if g.dialect == Bash {
		return 3
	}
	return 12
}

func (g *generator) word() string {
	var b strings.Builder
	for range 1 + g.IntN(3) {
		b.WriteString(g.atom())
	}
	return b.String()
}

func (g *generator) atom() string {
	if g.IntN(8) == 0 && g.inner < 2 {
		return g.composed()
	}
	if g.dialect != POSIX && g.IntN(g.rare()) == 0 {
		return more[g.IntN(len(more))]
	}
	return atoms[g.IntN(len(atoms))]
}

// args is what stands behind printf: several words.
func (g *generator) args() string {
	var b strings.Builder
	for range 1 + g.IntN(6) {
		b.WriteString(g.atom())
	}
	return b.String()
}

// script is some statements that change what words mean.
func (g *generator) script() string {
	var b strings.Builder
	b.WriteString(g.of("x='a b'; ", "x=abc; y='p  q'; ", "x=; y=1; ", "set -- m 'n o'; x=ab; ",
		"IFS=b; x=abcb; ", "IFS=; x='a b'; ", "x=' a '; y=*; ", "x=aXbXc y=X; ", "n=3; x=abcab; ",
		""))
	// What umask prints is not followed: $u is one word, $v two, and $e none.
	b.WriteString(g.of("", "", "", "u=$(umask); v=$(umask; umask); e=$(umask >&-); "))
	for range g.IntN(4) {
		b.WriteString(g.statement() + "; ")
	}
	return b.String()
}

// function is a name that no list inside this one uses.
func (g *generator) function() string { return fmt.Sprintf("f%d", g.depth) }

func (g *generator) list() string {
	g.depth++
	defer func() { g.depth-- }()
	if g.depth > 2 {
		return "x=" + g.word()
	}
	s := g.statement()
	for range g.IntN(2) {
		s += "; " + g.statement()
	}
	return s
}

func (g *generator) statement() string {
	if g.IntN(6) == 0 {
		return g.about()
	}
	if g.dialect != POSIX && g.IntN(3) == 0 {
		return g.bashStatement()
	}
	switch g.IntN(31) {
	case 0, 1, 2:
		return g.of("x", "y", "z") + "=" + g.word()
	case 3:
		return "x=$x" + g.word()
	case 4:
		return "set -- " + g.word() + " " + g.of(g.word(), "$u", "$e", "$u $v")
	case 5:
		return "IFS=" + g.of("_", ":", "' '", "b", "''", "', '", "$y")
	case 6:
		if g.depth > 0 { // it would call itself
			return "f9() { " + g.list() + "; }"
		}
		return g.of("f9", "if [ -n \"$x\" ]; then f9 a; fi", "f9 $x", "[ -z \"$y\" ] || f9")
	case 26, 27:
		return "f9() { " + g.list() + "; }"
	case 28:
		f := g.function() // one that a deeper level has made: none calls itself
		return f + "() { " + g.list() + "; }; " + f + " " + g.word()
	case 7:
		return "g() { y=$1$2; echo \"$y\"; }"
	case 8:
		return "for i in " + g.word() + " " + g.word() + "; do " + g.list() + "; done"
	case 9:
		return fmt.Sprintf("case %s in %s) %s;; *) %s;; esac", g.word(),
			g.of("a*", "$x", "'a b'", "[a-c]*", "*b|z"), g.list(), g.list())
	case 10:
		return "if [ " + g.of("-n", "-z") + " \"$x\" ]; then " + g.list() + "; fi"
	case 11:
		return "[ \"$x\" = " + g.word() + " ] && y=" + g.word()
	case 12:
		return "cd " + g.of("d", "d/e", "..", "/", "-", ".", "d/..", "nowhere", `"$PWD"`, "$x") +
			" 2>&-"
	case 13:
		return "(" + g.list() + ")"
	case 14:
		return "{ " + g.list() + "; }"
	case 15:
		return "x=$(cat <<E\n" + g.of("$x", "${y}", "\\$x", "a  b", "`echo q`", "'$y'", "\"$x\"",
			"\\\\", "$(echo \"$x\")") + "\nE\n)"
	case 16:
		return "y=$(cat <<'E'\n" + g.of("$x", "a\\b", "'q'", "$(echo)") + "\nE\n)"
	case 17:
		return "unset " + g.of("x", "y", "z", "IFS")
	case 18:
		return "shift 2>&-"
	case 19:
		return "eval 'x=" + g.of("$y", "\"$1\"", "q", "a\\ b") + "'"
	case 20:
		return "while [ ${#x} -lt 3 ]; do x=${x}w; done"
	case 21:
		return "y=" + g.word() + " g " + g.word()
	case 22:
		return "set -f"
	case 23:
		return "export x=" + g.of("$y", `"$y"`, "e", "'a b'")
	case 24:
		return "n=" + g.of("1", "$((n+1))", "${#x}", "2")
	}
	return g.of("true", "false", ":", "x=1 true", "x=2 :") + g.of(" && ", " || ") + "y=" + g.word()
}

func (g *generator) bashStatement() string {
	switch g.IntN(26) {
	case 25: // a name that another one holds
		return g.of("read -r \"$k\" <<< ", "printf -v \"$k\" %s ", "export \"$k\"=",
			"declare \"$k=v\" y=", "unset \"$k\"; y=", "let \"$k=2\"; y=") + g.word()
	case 0, 1:
		return "a=(" + g.word() + " " + g.word() + ")"
	case 2:
		return "a+=(" + g.word() + ")"
	case 3:
		return "a[" + g.of("0", "1", "3", "n", "-1") + "]=" + g.word()
	case 4:
		return "x+=" + g.word()
	case 5:
		f := g.function()
		return f + "() { local x=" + g.word() + "; y=$x$1; " + g.list() + "; }; " + f + " " +
			g.word()
	case 6:
		return "((" + g.of("n=3", "n++", "n+=2", "n=n>2?5:6", "n=x") + "))"
	case 7:
		return "[[ " + g.of("$x == a*", "$x == \"$y\"", "-n $z", "$x =~ b", "$n -gt 2", "$x < $y") +
			" ]] && y=" + g.word()
	case 8:
		return "read -r x y <<< " + g.word()
	case 9:
		return "printf -v y " + g.of("%s", "'%s-%s'", "%d", "'%s\\n'", "%b", "%%") + " " + g.word()
	case 10:
		return "declare -A h; h[k]=" + g.word() + "; h[l]=" + g.word()
	case 11:
		return "k=" + g.of("x", "y", "a[1]", "1", "$(umask >&-; echo y)")
	case 12:
		return "for ((i=0; i<2; i++)); do " + g.list() + "; done"
	case 13:
		return "pushd d >&- 2>&-; " + g.of("popd >&- 2>&-", ":")
	case 14:
		return "mapfile -t a <<< " + g.word()
	case 15:
		return "unset 'a[" + g.of("0", "1") + "]'"
	case 16:
		return "IFS=" + g.of(":", ",") + " read -r x y <<< " + g.word()
	case 17:
		return "declare " + g.of("-i n=2+3", "-u x=abc", "-l x=ABC", "x="+g.of("$y", "'a b'", "q"),
			"-a a=(1 2)", "-r RO=1")
	case 18:
		return "shopt -s " + g.of("nullglob", "extglob", "dotglob", "nocasematch", "globstar")
	case 19:
		return "while read -r x; do y=$y$x; done <<< " + g.word()
	case 22:
		return "declare -n r=" + g.of("x", "y", "a", "r2") + "; r=" + g.word()
	case 23:
		return "a=(" + g.word() + " " + g.of("$u", "$e", "$v", `"$@"`) + ")"
	case 24:
		return "x=" + g.of("${a[*]}", `"${a[@]}"`, `"$*"`, "${a[@]:1}", `"${!a[@]}"`, "${a[@]#b}",
			"$*", "$@")
	case 20:
		return "let n=" + g.of("1+1", "n*2", "'n + 4'")
	}
	return "set -- \"${a[@]}\""
}

// staysHere reports whether a script that opens a file can only open one below the
// throw-away directory.
func staysHere(text string) bool {
	return !strings.Contains(strings.ReplaceAll(text, "d/e", ""), "/") &&
		!strings.Contains(text, "cd ..")
}

// TestGeneratedWords compares random scripts with every shell that is here: the words that
// a command gets, and the file that a redirection makes (C-3.4.3). What Parse is sure of
// must be so.
func TestGeneratedWords(t *testing.T) {
	t.Parallel()
	eachShell(t, func(t *testing.T, sh *realShell) {
		seed, end := uint64(1), time.Now().Add(*differFor)
		if *differFor > 0 {
			seed = uint64(time.Now().UnixNano())
		}
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 2)), dialect: sh.dialect}
		for i := 0; i < everyday || time.Now().Before(end); i++ {
			setup := g.script()
			word, front := g.word(), ": "
			if g.IntN(2) == 0 { // what the words assign is known to the redirection
				front = g.of(": "+g.word(), "z="+g.word(), ": $((n+=1)) ${z:=f}",
					": ${z:="+g.word()+"}") + " "
			}
			if g.IntN(4) == 0 && staysHere(setup+front+word) {
				sh.target(t, setup, front, word)
			} else {
				sh.words(t, setup, g.args())
			}
		}
		if sh.fine == 0 {
			t.Error("nothing was compared")
		}
	})
}
