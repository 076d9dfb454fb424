package code

import "testing"

// C-3.4.1: what make starts is read out of its text.
func TestMake(t *testing.T) {
	testScan(t, "make", []scanCase{
		{"all:\n\trm -rf x\n", "sh rm -rf x"},
		{"all: ; rm x", "sh rm x"},
		{"all: a b\n\t@-touch $@ $< $^\na:\n\techo a\nother:\n\trm x\n",
			"sh touch all a a b; sh echo a"},
		{"D = build\nall:\n\trm -rf $(D)/$(E) $$HOME ${D}\n", "sh rm -rf build/${E} $HOME build"},
		{"X := $(shell rm -rf ~)\n", "sh rm -rf ~"},
		{"X != id\n", "sh id"},
		{"all:\n\tcc -o x \\\n\t  $(wildcard *.c)\n", "sh cc -o x \\\n  *.c"},
		{"OBJ = $(SRC:.c=.o)\nclean:\n\trm -f $(OBJ)\n", "sh rm -f " + Unknown},
		{"all: $(patsubst %.c,%.o,a.c)\nother:\n\trm x\n", "sh rm x"},
		{"%.o: %.c\n\t$(CC) -c $<\nall: a.o\n\tld\n", "sh cc -c " + Unknown + "; sh ld"},
		{".ONESHELL:\nall:\n\tcd x\n\trm y\n", "sh cd x\nrm y"},
		{"SHELL := ./evil\nall:\n\ttrue\n", "sh true; opaque"},
		{"include other.mk\n-include $(X)\n", "load other.mk; opaque"},
		{"$(eval X=1)\n", "opaque"},
		{"include\tx.mk\n$(shell id)\n", "load x.mk; sh id; opaque"},
		{"define X\nrm y\nendef\n", "opaque"},
		{"# rm x\nall: # rm y\n\ttrue # z\n", "sh true # z"},
		{"ifdef X\nA = 1\nelse\nA = 2\nendif\nall:\n\trm $(A)\n", "sh rm " + Unknown},
		{"A = $(A)\nall: ; $(A)\n", "sh " + Unknown + "; opaque"},
		{"", ""},
	})
}

// The goals of the command line decide which recipes run, and its variables what they say.
func TestMakeGoals(t *testing.T) {
	for _, tt := range []struct {
		words []string
		want  string
	}{
		{nil, "sh a x"},
		{[]string{"b"}, "sh b x; sh a x"},
		{[]string{"b", "X=y"}, "sh b y; sh a y"},
		{[]string{"none"}, "sh a x; sh b x"},
		{[]string{"-e"}, "sh a x; opaque"},
	} {
		facts, opaque := Make("X = x\na:\n\ta $(X)\nb: a\n\tb $(X)\n", tt.words)
		if got := show(facts, opaque); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.words, got, tt.want)
		}
	}
}
