package wrapper

import (
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// valueOf is the value of the one word behind : in a text.
func valueOf(t *testing.T, word string, dialect syntax.LangVariant) string {
	t.Helper()
	file, err := syntax.NewParser(syntax.Variant(dialect)).Parse(strings.NewReader(": "+word), "")
	if err != nil {
		return unknown
	}
	call, is := file.Stmts[0].Cmd.(*syntax.CallExpr)
	if !is || len(file.Stmts[0].Redirs) > 0 || len(call.Args) != 2 ||
		int(call.Args[1].End().Offset()) != len(word)+2 {
		return unknown // it is more than one word
	}
	return value(call.Args[1].Parts)
}

// A value that is known is what bash makes of the word.
func TestValueIsThatOfBash(t *testing.T) {
	words := []string{`a\b`, `\$x`, `"\$x"`, "\"\\`x\"", `"\\"`, `"\"x"`, `"\a"`, `"a\\b"`,
		"a\\\nb",
		"\"a\\\nb\"", "'a\\\nb'", `'a\\b'`, `"'"`, `'"'`, `é`, `"é"`, `a\ b`, `\\`, `\é`, `''`,
		`""`,
		`"a"'b'c`, `\~`, `"~"`, `a=b`, `"\é"`, `"a\"`}
	r := rand.New(rand.NewPCG(7, 8))
	for range 3000 {
		var b strings.Builder
		for range 1 + r.IntN(6) {
			b.WriteString(pick(r, "a", "b", "/", `\`, `\`, "'", `"`, `'x'`, `"y"`, "$", "`", "\n",
				" ", "é", "*", "~", "{", ",", "}", "!", "=", "#", "(", ";", "&", "<", "^"))
		}
		words = append(words, b.String())
	}
	var known, values []string
	for _, w := range words {
		w = strings.Trim(w, "\n")
		if v := valueOf(t, w, syntax.LangBash); !strings.ContainsAny(v, expansion+unknown) {
			known, values = append(known, w), append(values, v)
		}
	}
	if len(known) < len(words)/10 {
		t.Fatalf("only %d of %d words are known", len(known), len(words))
	}
	script := "printf '%s\\0' " + strings.Join(known, " \\\n") + "\n"
	said, err := exec.Command("/bin/bash", "-c", script).Output()
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range strings.Split(strings.TrimSuffix(string(said), "\x00"), "\x00") {
		if i >= len(values) || v != values[i] {
			t.Fatalf("%q: %q, and bash makes %q", known[min(i, len(known)-1)],
				values[min(i, len(values)-1)], v)
		}
	}
}

// What a word is that has a variable, or that only a shell can tell.
func TestValue(t *testing.T) {
	const bash, zsh, mksh = syntax.LangBash, syntax.LangZsh, syntax.LangMirBSDKorn
	for _, test := range []struct {
		word    string
		dialect syntax.LangVariant
		value   string
	}{
		{`$x`, bash, "\x02x"}, {`"$x"`, bash, "\x02x"}, {`a"${x}"b`, bash, "a\x02xb"},
		{`${x-}`, bash, "\x02{x-}"}, {`${x:-}`, bash, "\x02{x:-}"}, {`${x+y}`, bash, "\x02{x+y}"},
		{`${x:+y}`, bash, "\x02{x:+y}"}, {`a\`, bash, unknown},
		{"'\x02x'", bash, unknown}, {"\"\x02x\"", bash, unknown}, {"\\\x02x", bash, unknown},
		{"\x02x", bash, unknown}, {"'a\x1fb'", bash, unknown}, {"'\x03'", bash, unknown},
		{`a$(x)`, bash, unknown}, {"a`x`b", bash, unknown}, {`"a$((1))"`, bash, unknown},
		{`a$'x'`, bash, unknown}, {`$"x"`, bash, unknown}, {`a*`, bash, unknown},
		{`"a"*`, bash, unknown},
		{`a?`, bash, unknown}, {`[a]`, bash, unknown}, {`~`, bash, unknown}, {`~/x`, bash, unknown},
		{`{a,b}`, bash, unknown}, {`a!b`, bash, unknown}, {`a#b`, bash, unknown},
		{`<(x)`, bash, unknown}, {`@(a)`, bash, unknown}, {`${!x}`, bash, unknown},
		{`${#x}`, bash, unknown}, {`${x[0]}`, bash, unknown}, {`${x:0:1}`, bash, unknown},
		{`${x/a/b}`, bash, unknown}, {`${!x*}`, bash, unknown}, {`${x@P}`, bash, unknown},
		{`${x=y}`, bash, unknown}, {`${x:?y}`, bash, unknown}, {`${x#y}`, bash, unknown},
		{`${x^}`, bash, unknown}, {`${x-$y}`, bash, unknown}, {`${x-$(y)}`, bash, unknown},
		{`${x-*}`, bash, unknown}, {`${%x}`, mksh, unknown}, {`${|x;}`, mksh, unknown},
		{`${+x}`, zsh, unknown}, {`$+x`, zsh, unknown}, {`${(e)x}`, zsh, unknown},
		{`${${x}}`, zsh, unknown}, {`${x:h}`, zsh, unknown}, {`${=x}`, zsh, unknown},
		{`${~x}`, zsh, unknown}, {`${^x}`, zsh, unknown}, {`$#x`, zsh, unknown},
		{`${:-x}`, zsh, unknown},
	} {
		if got := valueOf(t, test.word, test.dialect); got != test.value {
			t.Errorf("%s in %s: %q, want %q", test.word, test.dialect, got, test.value)
		}
	}
}
