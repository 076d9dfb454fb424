package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// optionFiles are the options whose value is the name of a file.
var optionFiles = []string{"intent", "home"}

// The directives in the protocol of tadactl's completion scripts.
const (
	completeFiles = 0
	completeThese = 4
)

// asksWords reports whether a completion script asks for the possible last words of a command line
// of tada-run. No command line begins this way: several operands are a usage error.
func asksWords(argv []string) bool { return len(argv) > 2 && argv[1] == "__complete" }

// words writes what the last of args can be, one per line, and whether it can be a file.
func words(out io.Writer, args []string) {
	list, directive := candidates(args[:len(args)-1], args[len(args)-1])
	for _, w := range list {
		fmt.Fprintln(out, w)
	}
	fmt.Fprintf(out, ":%d\n", directive)
}

func candidates(before []string, last string) ([]string, int) {
	takesValue := map[string]bool{}
	var options []string
	for _, o := range (&invocation{}).options(true) {
		if o.long == "" || slices.Contains([]string{"line", "entry", "detached"}, o.long) {
			// for tada-run itself
			continue
		}
		_, flag := o.to.(*bool)
		takesValue[o.long] = !flag
		options = append(options, "--"+o.long)
	}
	values := func(name string) ([]string, int) {
		if slices.Contains(optionFiles, name) {
			return nil, completeFiles
		}
		return optionValues[name], completeThese
	}
	for i := 0; i < len(before); i++ {
		name, long := strings.CutPrefix(before[i], "--")
		switch {
		case !strings.HasPrefix(before[i], "-") || before[i] == "--":
			return nil, completeFiles // an operand: the rest is the command's
		case long && takesValue[name] && i+1 == len(before):
			return values(name)
		case long && takesValue[name]:
			i++
		}
	}
	if name, _, given := strings.Cut(strings.TrimPrefix(last, "--"), "="); given &&
		strings.HasPrefix(last, "--") {
		return values(name)
	}
	if !strings.HasPrefix(last, "-") {
		return nil, completeFiles
	}
	slices.Sort(options)
	return slices.DeleteFunc(options, func(o string) bool { return !strings.HasPrefix(o, last) }),
		completeThese
}
