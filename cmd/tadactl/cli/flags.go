package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tada-run/tada-run/pathguard"
)

// flagValues has the values of the options that take one of a few; --outcome takes an exit status,
// too. An option that is neither here nor in flagFiles completes nothing.
var flagValues = map[string][]string{
	"format":    exportNames(),
	"authority": {"policy", "approval", "grant"},
	"verdict":   {"allow", "ask", "deny"},
	"outcome": {"ok", "error", "refused", "waiting", "approved", "denied", "withdrawn", "expired",
		"failed", "running", "lost", "announced", "ended"},
	"kind":     kindNames(),
	"max-risk": {"0", "1", "2", "3"},
}

// flagFiles are the options whose value is the name of a file or a folder.
var flagFiles = strings.Fields(
	"home remember head since token vouch output ci-intent delegation root file runtime folder " +
		"touches copy")

// checkFlags refuses a word that an option does not take: an empty list could be mistaken for an
// answer.
func checkFlags(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		words, few := flagValues[f.Name]
		if !few || err != nil {
			return
		}
		value := f.Value.String()
		if value == "" && f.DefValue == "" { // as if the option were missing
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
