package syntax

import "testing"

// A print that is not the text must parse to the same tree: positions and looks may
// differ, and nothing else.
func TestSameTree(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"a  b # c", "a b", true},
		{"`a`", "$(a)", true},
		{"a\\\nb", "ab", true},
		{"function f { a; }", "f() { a; }", true},
		{"for i in a; { b; }", "for i in a; do b; done", true},
		{"$[1+2]", "$((1+2))", true},
		{"case x in a) b ;; esac", "case x in a) b; esac", true},
		{"cat <<-E\n\t\ta\n\tE\n", "cat <<-E\n\ta\nE\n", true},
		{"cat <<E\n\ta\nE\n", "cat <<E\na\nE\n", false},
		{"a b", "a c", false},
		{"a b", "a 'b'", false},
		{"a b", "a b c", false},
		{"'a'", "$'a'", false},
		{"! a", "a", false},
		{"a &", "a", false},
		{"a && b", "a || b", false},
		{"a >b", "a >>b", false},
		{"a >b", "a 2>b", false},
		{"x=a", "x+=a", false},
		{"$x", "$y", false},
		{"${x:-a}", "${x-a}", false},
		{"${x/a/b}", "${x//a/b}", false},
		{"${#x}", "${x}", false},
		{"$((x))", "$(($x))", false},
		{"$((x++))", "$((++x))", false},
		{"for i; do a; done", "for i in; do a; done", false},
		{"while a; do b; done", "until a; do b; done", false},
		{"case x in a) b ;& esac", "case x in a) b ;; esac", false},
		{"<(a)", ">(a)", false},
		{"[[ a == b ]]", "[[ a != b ]]", false},
		{"(a)", "{ a; }", false},
	} {
		a, err := Parse(c.a, Bash)
		b, err2 := Parse(c.b, Bash)
		if err != nil || err2 != nil {
			t.Fatalf("%q, %q: %v, %v", c.a, c.b, err, err2)
		}
		if same := sameTree(a, b); same != c.same {
			t.Errorf("%q and %q: the same tree %v, want %v", c.a, c.b, same, c.same)
		}
	}
}
