package shellparse

// What makes the generated words deep: words that stand in other words, and statements that are
// about the order in which such things happen.

// composed is an expansion that has words of its own in it.
func (g *generator) composed() string {
	g.inner++
	defer func() { g.inner-- }()
	if g.dialect != POSIX && g.IntN(2) == 0 {
		return g.bashComposed()
	}
	name := g.of("x", "y", "z", "u", "e", "q", "1", "@")
	switch g.IntN(12) {
	case 0, 1:
		return "${" + name + g.of(":-", "-", ":+", "+") + g.word() + "}"
	case 2, 3:
		return `"${` + name + g.of(":-", "-", ":+", "+") + g.word() + `}"`
	case 4:
		return "${" + g.of("x", "z", "w") + g.of(":=", "=") + g.word() + "}"
	case 5:
		return "${" + g.of("x", "y", "PWD") + g.of("#", "##", "%", "%%") + g.word() + "}"
	case 6:
		return `"${` + g.of("x", "y", "PWD") + g.of("#", "##", "%", "%%") + g.word() + `}"`
	case 7:
		return "$((" + g.sum() + "))"
	case 8:
		return "$(printf '%s,' " + g.word() + " " + g.word() + ")"
	case 9:
		return `"$(cat <<E` + "\n" + g.word() + "\nE\n" + `)"`
	case 10:
		return "$(set -- " + g.word() + "; echo " + g.of(`"$@"`, "$2-$1", `"$*"`, "$#") + ")"
	}
	return g.of("a:~", "~:", "x=~/b", "~/b:~", "--p=~", ":~/", "=~", "~x", `~"/b"`, "~$x", "~/$x")
}

// sum is arithmetic.
func (g *generator) sum() string {
	if g.dialect == POSIX {
		return g.of("n+1", "n*n", "${#x}+n", "n=n+2", "n+=1", "n>1?2:3", "(n=4)+n", "${n:-1}*2",
			"n%2", "-n", "!n", "n<<2", "n&&0", "$n$n")
	}
	return g.of("n++", "++n", "n--+n", "n=n+2", "(n=4)+n", "n+=n", "n>1?x:y", "${#a[@]}+n", "a[0]",
		"a[n]", "a[1]+=2", "a[n]++", "a[n++]=n", "x", "n**2", "n,n+1", "n=1,n++", "h[k]", "h[k]++",
		"${#h[k]}", "${a[0]:-3}", "n?${#x}:0", "i=n", "010+n", "$n$n", "!n", "~n", "r", "r++",
		"r=7")
}

// bashComposed is composed with what bash has besides.
func (g *generator) bashComposed() string {
	a := g.of("a[@]", "a[*]", "a[$n]", "a[n-1]", "a[${#a[@]}-1]", "a[0]", "h[$k]", "h[k]", "@", "x",
		"r", "r[@]")
	switch g.IntN(10) {
	case 0:
		return "${" + a + "/" + g.of("", "/", "#", "%") + g.word() + "/" + g.word() + "}"
	case 1:
		return `"${` + a + "/" + g.of("", "/") + g.of("b", "$y", "?", "[a-c]", "' '") + "/" +
			g.of("$z", "'", "Q", "\\&", "&", "~") + `}"`
	case 2:
		return "${" + a + ":" + g.of("1", "n", "$n", " -1", "n-1", "${#x}-1", "0:n", "1:1",
			"$((n-1)):2", "0:-1") + "}"
	case 3:
		return `"${` + a + ":" + g.of("1", "n", "$n", " -1", "0:n", "1:1", "n++:1") + `}"`
	case 4:
		return "$(cat <<< " + g.word() + ")"
	case 5:
		return "{" + g.word() + "," + g.word() + "}"
	case 6:
		return "${" + a + g.of("^", "^^", ",", ",,", "@U", "@Q", "@E") + "}"
	case 7:
		return "${" + a + g.of(":-", "-", ":+", "+") + g.word() + "}"
	case 8:
		return "${" + g.of("#", "!") + a + "}"
	}
	return "$[" + g.sum() + "]"
}

// about is a statement whose words depend on when each of them is expanded.
func (g *generator) about() string {
	if g.dialect == POSIX || g.IntN(2) == 0 {
		switch g.IntN(11) {
		case 0:
			return "x=" + g.word() + " y=$x z=" + g.word()
		case 1:
			return "case " + g.word() + " in " + g.word() + "|" + g.word() + ") y=1;; " + g.word() +
				") y=2;; esac"
		case 2:
			return "for i in " + g.word() + ` "$@" ` + g.word() + "; do y=$y$i; done"
		case 3:
			return "set -- " + g.word() + ` "$@" ` + g.word() + "; shift"
		case 4:
			return "f8() { z=$#; y=$2; x=\"$*\"; }; f8 " + g.word() + " " + g.word()
		case 5:
			return "x=" + g.of("~", "~/a:~", "a:~/b:~", "$y:~", ":~", `"a":~`, "a~:~x", "~:$y",
				"x=~", "~/$y")
		case 6:
			return ": ${z:=" + g.word() + "} " + g.of("${z:=q}", "$((n=n+1))") + "; y=$z"
		case 7:
			return "n=$((" + g.sum() + "))"
		case 8:
			return "x=$(cat <<E\n" + g.word() + "\nE\n)"
		case 9:
			return "IFS=" + g.of(g.word(), "' '", "_", "' :'") + "; set -- $x $y; unset IFS"
		}
		return "[ " + g.word() + " = " + g.word() + " ] && z=" + g.word()
	}
	switch g.IntN(13) {
	case 0:
		return "[[ " + g.word() + " " + g.of("==", "!=", "<", "=") + " " + g.word() + " ]] && y=" +
			g.word()
	case 1:
		return "a=(" + g.word() + " " + g.word() + " " + g.word() + "); x=${#a[@]}"
	case 2:
		return "a=([" + g.of("2", "n", "n++", "1") + "]=" + g.word() + " " + g.word() + ")"
	case 3:
		return "a[" + g.sum() + "]=" + g.word()
	case 4:
		return "((" + g.sum() + "))"
	case 5:
		return "f7() { local x=" + g.word() + " n=$n; local y=$x; ((n++)); z=$x$n; }; f7 " +
			g.word()
	case 6:
		return "read -r" + g.of("", "a a", " 'a[1]'", " x", " r", " y n") + " <<< " + g.word()
	case 7:
		return "printf -v " + g.of("'a[1]'", "'a[n]'", "'h[k]'", "r", "x") + " %s " + g.word()
	case 8:
		return "declare -A h=([k]=" + g.word() + " [" + g.word() + "]=" + g.word() + ")"
	case 9:
		return "declare -n r=" + g.of("x", "a", "'a[1]'", "h", "n", "q") + "; r" +
			g.of("=", "+=", "[1]=") + g.word()
	case 10:
		return g.of("unset r", "unset -n r", "unset a", "unset 'a[n]'", "unset h", "unset n",
			"for r in x y; do r=1; done", "local -n r=x", "declare -ai a", "declare -u a")
	case 11:
		return "x+=" + g.word() + " a+=(" + g.word() + ") n+=1"
	}
	return "let n=" + g.of("1,n++", "a[0]=3", "'n = n + 2'") + " y=" + g.of("n", "n++", "2")
}
