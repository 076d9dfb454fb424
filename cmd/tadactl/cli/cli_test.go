package cli

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tada-run/tada-run/approval/render"
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
	walk(c.command(nil))
	if len(all) < 15 {
		t.Fatalf("%d verbs: the walk does not reach them", len(all))
	}
	return all
}

// no flag overrides anything.
func TestNoForceFlag(t *testing.T) {
	for _, cmd := range tree(t) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "force" || f.Name == "yes" || f.Shorthand == "f" || f.Shorthand == "y" {
				t.Errorf("%s has a flag --%s (-%s)", cmd.CommandPath(), f.Name, f.Shorthand)
			}
		})
	}
}

// TestVerbs: verbs.txt has exactly one entry for each command and no others; every option in it is
// one of the command, and every option has a description.
func TestVerbs(t *testing.T) {
	var want, got []string
	verbs := map[string]*cobra.Command{}
	for _, cmd := range tree(t) {
		want, verbs[cmd.CommandPath()] = append(want, cmd.CommandPath()), cmd
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s: --%s says nothing", cmd.CommandPath(), f.Name)
			}
		})
	}
	for entry := range strings.SplitSeq(verbsText, "\n= ") {
		path, text, _ := strings.Cut(entry, "\n")
		if verbs[path] == nil {
			continue
		}
		got = append(got, path)
		_, options, _ := strings.Cut(text, "OPTIONS\n")
		options, _, _ = strings.Cut(options, exitStatus)
		for line := range strings.Lines(strings.TrimSpace(options)) {
			name, _, _ := strings.Cut(line, "  ")
			if verbs[path].LocalFlags().Lookup(strings.TrimPrefix(name, "--")) == nil {
				t.Errorf("%s has no option %s", path, name)
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) || strings.Count(verbsText, "\n= ") != len(got) {
		t.Errorf("verbs.txt has %q, want %q", got, want)
	}
}

// Every verb says what its exit statuses mean, at the end.
func TestHelpEndsWithExitStatus(t *testing.T) {
	for _, cmd := range tree(t) {
		if cmd.RunE == nil {
			continue
		}
		text := help(cmd)
		_, statuses, ok := strings.Cut(text, "\n\nEXIT STATUS\n")
		if !ok || strings.Contains(statuses, "\n\n") || strings.Count(statuses, "  125 ") != 1 ||
			strings.Count(statuses, "  2  ") != 1 {
			t.Errorf("%s: its help does not end with its exit statuses, each once:\n%s",
				cmd.CommandPath(), statuses)
		}
		if strings.HasPrefix(text, "EXIT STATUS") || strings.Contains(text, "\n\n\n") {
			t.Errorf("%s: its help does not begin with what it is for, or has a gap:\n%s",
				cmd.CommandPath(), text)
		}
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: short help %q", cmd.CommandPath(), cmd.Short)
		}
	}
}

// An agent's text in a list cannot move a cursor, reverse the line or look like another field;
// letters are shown as themselves if the terminal takes UTF-8.
func TestInert(t *testing.T) {
	for in, want := range map[string]struct{ ascii, utf8 string }{
		"ls": {"ls", "ls"}, "ls -l": {`"ls -l"`, `"ls -l"`}, "": {`""`, `""`},
		"a\x1b[2J": {`"a\x1b[2J"`, `"a\x1b[2J"`}, "a\nb": {`"a\nb"`, `"a\nb"`},
		"\u009b2J":       {`"\u009b2J"`, `"\u009b2J"`},
		"caf\u00e9":      {`"caf\u00e9"`, "caf\u00e9"},
		"\u65e5\u672c x": {`"\u65e5\u672c x"`, "\"\u65e5\u672c x\""},
		"\u202ea":        {`"\u202ea"`, `"\u202ea"`}, "\u200b": {`"\u200b"`, `"\u200b"`},
		"a\u00a0b": {`"a\u00a0b"`, `"a\u00a0b"`}, "\u2003": {`"\u2003"`, `"\u2003"`},
		"\u05d0": {`"\u05d0"`, `"\u05d0"`}, "\u0627": {`"\u0627"`, `"\u0627"`},
		"e\u0301": {`"e\u0301"`, `"e\u0301"`}, "a\u20dd": {`"a\u20dd"`, `"a\u20dd"`},
		"\xff": {`"\xff"`, `"\xff"`}, "\ufffd": {`"\ufffd"`, "\ufffd"},
	} {
		if got := render.Quote(in, false); got != want.ascii {
			t.Errorf("quoted(%q) = %s, want %s", in, got, want.ascii)
		}
		if got := render.Quote(in, true); got != want.utf8 {
			t.Errorf("quoted(%q) with UTF-8 = %s, want %s", in, got, want.utf8)
		}
	}
}

// TestCompletedOptions: each option that has values to complete, or files, is an option of a verb.
func TestCompletedOptions(t *testing.T) {
	have := map[string]bool{}
	for _, cmd := range tree(t) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { have[f.Name] = true })
	}
	for _, name := range slices.AppendSeq(slices.Clone(flagFiles), maps.Keys(flagValues)) {
		if !have[name] {
			t.Errorf("no verb has --%s", name)
		}
	}
}

func TestALongCommandIsCutInLists(t *testing.T) {
	if got := brief("git status"); got != `"git status"` {
		t.Error(got)
	}
	got := brief("first\n" + strings.Repeat("x", 5000) + "; last")
	if len(got) > 500 || !strings.HasPrefix(got, `"first\n`) ||
		!strings.Contains(got, " chars cut] ") || !strings.HasSuffix(got, `; last"`) {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}
