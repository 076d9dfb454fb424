package cli

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tada-run/tada-run/pathguard"
)

//go:embed kinds.txt
var kindsText string

// A logKind is a kind of entries, or the first word of several kinds.
type logKind struct{ name, says string }

func logKinds() (all []logKind) {
	for line := range strings.Lines(kindsText) {
		if name, says, ok := strings.Cut(strings.TrimSpace(line), " | "); ok && name[0] != '#' {
			all = append(all, logKind{name, says})
		}
	}
	return all
}

func kindNames() (names []string) {
	for _, k := range logKinds() {
		names = append(names, k.name)
	}
	return names
}

// kindsHelp is the part of a manual that lists the kinds.
func kindsHelp() string {
	text := "KINDS"
	for _, k := range logKinds() {
		text += fmt.Sprintf("\n  %-24s  %s", k.name, k.says)
	}
	return text
}

// checkFlags refuses a word that an option does not take: an empty list would be read as an answer.
func checkFlags(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		words, few := flagValues[f.Name]
		if !few || err != nil {
			return
		}
		value := f.Value.String()
		if value == "" && f.DefValue == "" { // as if it were not there
			return
		}
		option := "--" + f.Name
		switch f.Name {
		case "kind":
			value = strings.TrimSuffix(value, ".")
		case "outcome":
			if _, numeric := strconv.ParseUint(value, 10, 8); numeric == nil {
				return
			}
			option += ", if not an exit status,"
		}
		err = pathguard.CheckWord(option, value, words)
	})
	if err != nil {
		return &usageError{err}
	}
	return nil
}
