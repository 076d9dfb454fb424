package cli

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed verbs.txt
var verbsText string

// exitStatus begins the part of a verb's manual that lists its exit statuses.
const exitStatus = "EXIT STATUS\n"

// everyStatus are those of every verb, unless it describes one in its own words.
var everyStatus = []string{"2    wrong usage", "78   configuration or state refused",
	"125  tadactl itself failed"}

// describe gives each command of the tree its text from verbs.txt. {more} is the text that it had
// before.
func describe(root *cobra.Command) {
	manuals := map[string]string{}
	for entry := range strings.SplitSeq(verbsText, "\n= ") {
		path, text, _ := strings.Cut(entry, "\n")
		manuals[path] = text
	}
	var each func(*cobra.Command)
	each = func(cmd *cobra.Command) {
		about, statuses, verb := strings.Cut(manuals[cmd.CommandPath()], exitStatus)
		about, options, _ := strings.Cut(about, "OPTIONS\n")
		for line := range strings.Lines(options) {
			name, usage, _ := strings.Cut(strings.TrimSpace(line), "  ")
			if flag := cmd.LocalFlags().Lookup(strings.TrimPrefix(name, "--")); flag != nil {
				flag.Usage = usage
			}
		}
		cmd.Short, about, _ = strings.Cut(about, "\n")
		cmd.Long = strings.TrimSpace(strings.Replace(about, "{more}", cmd.Long, 1))
		if verb {
			cmd.Long = strings.TrimSpace(cmd.Long + "\n\n" + exitStatus + statusLines(statuses))
		}
		for _, below := range cmd.Commands() {
			each(below)
		}
	}
	each(root)
}

// statusLines are the exit statuses of a verb, its own first.
func statusLines(own string) string {
	lines := []string{"0    done"}
	for line := range strings.Lines(own) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	for _, s := range everyStatus {
		number, _, _ := strings.Cut(s, " ")
		if !slices.ContainsFunc(lines, func(have string) bool {
			return strings.HasPrefix(have, number+" ")
		}) {
			lines = append(lines, s)
		}
	}
	return "  " + strings.Join(lines, "\n  ")
}

// manual returns what a verb is for, and its exit statuses.
func manual(cmd *cobra.Command) (about, statuses string) {
	about, statuses, _ = strings.Cut(cmd.Long, exitStatus)
	return cmp.Or(strings.TrimSpace(about), cmd.Short+"."), statuses
}
