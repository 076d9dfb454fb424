package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func tree(t *testing.T) []*cobra.Command {
	t.Helper()
	c := &ctl{out: &bytes.Buffer{}, err: &bytes.Buffer{}}
	var all []*cobra.Command
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		all = append(all, cmd)
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(c.command())
	if len(all) < 15 {
		t.Fatalf("%d verbs: the walk does not reach them", len(all))
	}
	return all
}

// no flag anywhere overrides anything.
func TestNoForceFlag(t *testing.T) {
	for _, cmd := range tree(t) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "force" || f.Name == "yes" || f.Shorthand == "f" || f.Shorthand == "y" {
				t.Errorf("%s has a flag --%s (-%s)", cmd.CommandPath(), f.Name, f.Shorthand)
			}
		})
	}
}

// Every verb says what its exit statuses mean, and says it last.
func TestHelpEndsWithExitStatus(t *testing.T) {
	for _, cmd := range tree(t) {
		if cmd.RunE == nil {
			continue
		}
		text := help(cmd)
		_, statuses, ok := strings.Cut(text, "\n\nEXIT STATUS\n")
		if !ok || strings.Contains(statuses, "\n\n") || strings.Count(statuses, "  125 ") != 1 || strings.Count(statuses, "  2  ") != 1 {
			t.Errorf("%s: its help does not end with its exit statuses, each once:\n%s", cmd.CommandPath(), statuses)
		}
		if strings.HasPrefix(text, "EXIT STATUS") || strings.Contains(text, "\n\n\n") {
			t.Errorf("%s: its help does not begin with what it is for, or has a gap:\n%s", cmd.CommandPath(), text)
		}
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: short help %q", cmd.CommandPath(), cmd.Short)
		}
	}
}

// What a list prints of an agent's text cannot move a cursor or look like another field.
func TestInert(t *testing.T) {
	for in, want := range map[string]string{
		"ls": "ls", "ls -l": `"ls -l"`, "": `""`, "a\x1b[2J": `"a\x1b[2J"`, "a\nb": `"a\nb"`, "\u202e": `"\u202e"`, "caf\u00e9": `"caf\u00e9"`,
	} {
		if got := inert(in); got != want {
			t.Errorf("inert(%q) = %s, want %s", in, got, want)
		}
	}
}
