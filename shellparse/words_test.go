package shellparse

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// words pairs what stands in front with words, the way the reference would: each must come
// out of Parse as it comes out of bash, or be named as not known.
var words = strings.Split(strings.Trim(`
a b  c
'a b' "c d" e\ f
r''m "r"m r\m 'r'"m"
$'\x72\x6d' $'\162m' $'a\tb' $'\u0072m' $'\cA' $'a\0b' $'\'' $'\q'
$"rm" ""
"" '' x''
"a\$b" "a\nb" "a\\b" "a\"b"
~ ~/x ~/ "~/x" a~ ~"/x" \~/x x=~/y --o=~/z
x=1; $x ${x} "$x" '$x' a$x"b"
x='a b  c'; $x "$x" pre$x"post"$x
x=; $x "$x" a${x}b
x=; ''=ls ""=ls "$x"=ls $x=ls a''=ls
x=' a '; "<"$x">"
unset u; $u "$u" r${u}m
x='*'; "$x" \* '*'
a=r; b=m; $a$b "$a"'$b'
${x:-d} ${x-d} "${x:-a b}" ${x:-a b} ${x:-"a b"} ${x:-'a b'} ${x:-~/q}
x=v; ${x:-d} ${x:+e} ${x+e} ${y+e} ${y:+e} ${y-} ${y:=n} $y
x=; ${x:-d} ${x-d} ${x:+e} "${x+e}"
x=foo.tar.gz; ${x%.*} ${x%%.*} ${x#*.} ${x##*.} ${x%.gz} ${x#foo} ${x%z}
x=/a/b/c.txt; ${x##*/} ${x%/*} ${x#/} ${x%%/*} "${x%/*}"/y
x=hello; ${x^} ${x^^} ${x,} ${x,,} ${#x} ${x:1} ${x:1:2} ${x: -2} ${x:0:-1} ${x:0:0}rm
x=aXbXc; ${x/X/-} ${x//X/-} ${x/Q/-} ${x//X} ${x/X} ${x//X/a b}
x='a.b'; ${x//./_} "${x//./ }"
k=v; v=w; ${!k} "${!k}"
a=(x 'y z' w); $a ${a[1]} "${a[1]}" "${a[@]}" ${a[@]} "${a[*]}" ${#a[@]} ${a[-1]} "${a[@]:1}" "${a[@]:0:2}"
a=(x y); a+=(z); "${a[@]}" ${#a[@]}
a=(x y); a[1]=q; "${a[@]}"
a=(); "${a[@]}" ${a[@]} "a${a[@]}b"
declare -A h; h[k]=v; h[l]='m n'; ${h[k]} "${h[l]}" ${h[z]}-
declare -i n=3+4; $n
a=(x y z); ${!a[@]} "${!a[@]}"
declare -A h; h[k]=v; "${!h[@]}"
[ [a [] []a] ] "["a] [[ x[ a]b["c"
x=3; $((x+1)) $((x*2)) $(( (x+1)*2 )) $((x>2)) $((x==3?7:8)) $((0x1f)) $((010)) $((2**5)) $((-x)) $((7/2)) $((7%4))
i=1; $((i++)) $i $((++i)) $i
x=5; $((x+=2)) $x $[1+1]
{a,b} {a,b}c x{1,2}y {a,b}{c,d} {1..4} {4..1} {01..03} {a..e} {1..9..3} {a,{b,c}} {a} {} a{,b} {,} "{a,b}" \{a,b} {a,"b c"} {a,$HOME}
{rm,-rf,/x} a{b,c}d{e,f} {1..3}{x,y} {-2..2} {5..1..2} {z..w} {a,b{1..2}}
x{a,b}=c {a\,b,c} {a..1} {1..} a{b {a,b
{~,a}/x ~{,/y} a{,b}~ ~/{a,b} {~,~}/y
~{,z}
~{ro,}ot/x
{~,~root}/y
x{a,b}=~/q
x=~{,/q} {x=,y=}~/q
{a:,b}~/q {x=a:,b}~/q
[{a,b}] {\~,a}/x {"~",a}/x
~{+,-}
$(echo rm) $(echo a b) "$(echo a  b)" $(printf %s x) $(printf '%s-' a b) "$(printf 'a\nb\n\n')"
$(echo "$(echo rm)") `+"`echo rm` `echo a b`"+`
x=$(echo a); $x"$x" $(echo $x)
IFS=_; x=a_b__c; $x "$x"
IFS=:; x=a:b::c:; $x
IFS=; x='a b'; $x
IFS=' :'; x=' a : b:c '; $x
IFS=,; a=(x y z); "${a[*]}"
set -- p 'q r' s; $1 "$2" $# "$@" "$*" ${2} "${@:2}" "${@:1:1}" $2
set -- a; shift; "$@" $# x
set -- a b c; shift 2; "$@"
set --; "$@" "$*" r$@m
x=a; x+=b; $x
x=1; x=2 :; $x
f() { y=in; local z=l; }; f; $y-$z
f() { set -- q; }; set -- p; f; $1
x=a; (x=b); $x
x=a; { x=b; }; $x
x=~/a:~/b; $x
x="~/a"; $x
x=~; "$x"/y
printf -v x %s-%s a b; $x
read -r x y <<< 'a b c'; "$x" "$y"
read -r x <<< '  a b  '; "$x"
IFS= read -r x <<< '  a b  '; "$x"
IFS=: read -r x y z <<< 'a:b:c:d'; "$x" "$y" "$z"
mapfile -t m <<< $'a\nb c'; "${m[@]}"
x=$(cat <<E\na b\nE\n); "$x"
x=$(cat <<'E'\na $x\nE\n); "$x"
x=v; y=$(cat <<E\n$x-${x}-\$x\nE\n); "$y"
x=b; x=a$x$x"c"; $x
for i in 1 2 3; do :; done; $i
x=1; for i in a b; do x=$x$i; done; $x
$PWD "$PWD"/x ~+
cd /; $PWD $OLDPWD
cd /usr; cd bin; $PWD
a\\b 'a\b' "a\b" a\
x='a\b'; $x "$x"
\a\b\c a"b"'c'\d
"a'b" 'a"b' a\'b a\"b
"$x"y ''$x'' "${x}"
x="a   b"; y=$x; "$y" $y
x='{a,b}'; $x
x='$(echo hi)'; $x "$x"
x='~'; $x
export x=5; $x
readonly x=6; $x
declare x=7 y=8; $x$y
x=abc; unset x; "$x"
a=1 b=$a; $b
x=${y:-${z:-deep}}; $x
${x:=a b} "$x"
"${x:-"a b"}" "${x:-'a b'}" "${x:-a'b}"
"${x:+"a"}" "a${x:-}b"
${HOME}/x $HOME/y "$HOME"'/z'
eval 'x=5'; $x
eval x=a\;y=b; $x$y
let x=1+2; $x
((x=4)); $x
x=10; ((x++)); $x
x=5; [[ $x -gt 3 ]] && y=big; q
true && x=1; $x
x=a; if true; then :; fi; $x
case x in x) ;; esac; ok
basename=1; $(basename /a/b.txt) $(basename /a/b.txt .txt) $(dirname /a/b.txt)
$(pwd)
$(echo -n a) $(echo -e 'a\tb') $(echo)
$(printf '%d' 7) $(printf %%) $(printf '%s\n' a)
$(:) "$(true)" x
a=(*); "${a[@]}" x
a=(*); a"${a[@]}"b
a=(*); ${#a[@]} "${a[1]}" "${a[-1]}" "${!a[@]}"
a=(*); x="${a[*]}"; "$x"
a=(*); a[0]=q; "${a[@]}"
a=(q *); "${a[0]}" "${a[1]}"
set -- *; "$@"
set -- *; "$1" "$#" "$*"
f() { x=$2; }; f *; "$x"
y='*'; printf -v x %s $y; "$x"
y='*'; printf -v x '%s-' $y b; "$x"
shopt -s dotglob; a=(*); "${#a[@]}"
x=1; for i in $(false); do x=2; done; $x
x=1; for i in $u $(true) "$@"; do x=2; done; $x
cat <<< ${z:=k}; "[$z]"
cat <<< $((n=5)); "[$n]"
y=${z:=k} cat < /dev/null; "[$z]"
IFS=b; a=('' c); ${a[@]}
IFS=b; a=(xb c); ${a[@]} "${a[*]}"
declare -i n=1+1; declare +i n; n=2+2; $n
u=$(umask); set -- a $u; "x$@y"
e=$(umask >&-); set -- a $e; "x$@y" "$@" x$*y $@
e=$(umask >&-); a=(a $e); "x${a[@]}y" z"${a[@]}" ${a[@]}y
e=$(umask >&-); set -- b a $e $e; "x$@y" "$@"$@
e=$(umask >&-); ${e+s} ${q+s} ${e-d}
eval "$(umask >&-)"; IFS=_; x='a b_c'; $x
x='a b'; for i in $(umask; umask); do x="$x"q; done; $x
declare -A h=([k]=v [l]=w); unset 'h[k]'; "${h[@]}" "${h[k]-n}"
x=1; x+=(2); "${x[@]}" ${#x[@]}
IFS=b; a=(1 2); x="${!a[@]}"; y="${a[@]:0:2}"; z="${a[*]}"; v=${a[@]}; w=$*; "$x" "$y" "$z" "$v" "$w"
IFS=b; set -- 1 2; x=$*; y="$*"; z=$@; "$x" "$y" "$z"
a=hello; "${a[@]:1:2}" ${a[*]:1} "${a[-1]}"
n=1; f() { local x=$((n+=2)){,z}; }; f; $n
IFS=; x='a b'; f() { if [ -n "$x" ]; then IFS=_; set -f; fi; }; f; ${x//b/Q_}$"l"$(printf '%s,' $x)
$11 ${11} $1é
x=1; f() { \local x; x=2; }; f; $x
d=declare; x=1; $d x+=2; $x
d=declare; $d -i n; n=1+1; $n
set -- a b; a=rm; b=ls; ${!#} ${!1} "${!2}"
$(printf "a\0b") $(printf %b "a\0162\162") $(echo -e "a\0162\162\x72")
e=$(umask >&-); set -- '' $e; $@y "$@"y x$@y
e=$(umask >&-); set -- '' 'p q' $e; $@y "$@"y x$@y
"$(printf "a\\"b\\?\\c\\060")" $(echo -e "\0")x $(echo -e "a\cb")
`, "\n"), "\n")

// split cuts a line of words into the commands in front and the words themselves.
func splitLine(line string) (setup, args string) {
	line = strings.ReplaceAll(line, `\n`, "\n")
	depth := strings.LastIndex(line, "; ")
	if strings.Count(line[:max(depth, 0)], "'")%2 == 1 {
		return "", line
	}
	if depth < 0 {
		return "", line
	}
	return line[:depth+2], line[depth+2:]
}

// linesOf are the lines of a file in testdata.
func linesOf(t *testing.T, name string) []string {
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.Trim(string(data), "\n"), "\n")
}

// Words agree with the shell or are reported as unknown (C-3.4.3). state.txt has lines like words
// whose point is their effect: attributes, jumps, directories, scopes, what a builtin assigns.
// asks.txt has lines that are not followed: their words may be unknown, but a person is asked about
// the line.
func TestWords(t *testing.T) {
	t.Parallel()
	eachShell(t, func(t *testing.T, sh *realShell) {
		for _, line := range slices.Concat(words, linesOf(t, "state.txt")) {
			setup, args := splitLine(line)
			sh.words(t, setup, args)
		}
		if sh.dialect == Bash && 2*sh.fine < 7*sh.open {
			t.Errorf("too many words are not known: %d, %d are", sh.open, sh.fine)
		}
		for _, line := range linesOf(t, "asks.txt") {
			setup, args := splitLine(line)
			sh.words(t, setup, args)
			s := Parse(setup+": "+args, sh.options())
			if sh.dialect == Bash && s.Err == nil && !slices.ContainsFunc(s.Opaque,
				func(o Opaque) bool { return o.Place <= InCode }) {
				t.Errorf("%q asks about nothing", line)
			}
		}
	})
}

// What the words of a command assign, also to an element and by another name, counts in its
// redirections.
func TestTargets(t *testing.T) {
	eachShell(t, func(t *testing.T, sh *realShell) {
		if sh.dialect != Bash {
			t.Skip("of bash alone")
		}
		for _, setup := range []string{": $((a[0]=1)) ", ": $((a[n]++)) ", "a=; : $((a=1)) ",
			"declare -n b=a; : $((b=1)) ", "declare -n b=a; : ${b:=x} "} {
			sh.target(t, setup, "", "f${#a[@]}$a")
		}
	})
}
