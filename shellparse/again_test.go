package shellparse

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// bash evaluates the values of names in arithmetic again, and runs the substitutions in their
// subscripts, through any number of names, in arrays and integers too.
func TestArithmeticRunsValues(t *testing.T) {
	t.Parallel()
	chain := "a0='q[$(rm /x)]'"
	for i := range 40 {
		chain += fmt.Sprintf("; a%d=a%d", i+1, i)
	}
	sum := strings.Repeat("b+", 200) + "a"
	for _, line := range []string{
		`x='a[$(rm /x)]'; y=x; echo $((y))`,
		chain + `; echo $((a40))`,
		`h=(a x); x='a[$(rm /x)]'; echo $((h[1]))`,
		`a=([5]='z[$(rm /x)]'); echo $((a[5]))`,
		`a=([9]='z[$(rm /x)]' [2]=1); ((b=a[9]))`,
		`declare -i n; n='q[$(rm /x)]'`,
		`declare -il n='q[$(rm /x)]'`,
		`declare -A m; m[k]='q[$(rm /x)]'; echo $((m[k]))`,
		`declare -A m; m['']='q[$(rm /x)]'; echo $((m))`,
		`z='q[$(rm /x)]'; y='w=z'; echo $((y))`,
		`a='q[$(rm /x)]'; x=` + sum + `; echo $((x))`, // longer than what is followed
		`q='z[$(rm /x)]'; echo $(($(cat f)))`,         // what is evaluated is not known
		`a=(1 2); a[$RANDOM]='z[$(rm /x)]'; echo $((a[0]))`,
	} {
		s := Parse(line, Options{Dir: "/w"})
		if !slices.ContainsFunc(s.Commands, func(c Command) bool { return c.Name == "rm" }) {
			t.Errorf("%s: %+v", line, s.Commands)
		}
	}
}

// Names that name each other are evaluated more often than any machine can: each is read once.
func TestArithmeticOfManyNames(t *testing.T) {
	t.Parallel()
	var line strings.Builder
	for i := range 60 {
		fmt.Fprintf(&line, "a%d='a%d+a%d'; ", i, (i+1)%60, (i+7)%60)
	}
	line.WriteString("a33='b[$(rm /x)]'; echo $((a0))")
	s := Parse(line.String(), Options{Dir: "/w"})
	if !slices.ContainsFunc(s.Commands, func(c Command) bool { return c.Name == "rm" }) {
		t.Errorf("%+v", s.Commands)
	}
}
