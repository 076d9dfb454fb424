package shellparse

import (
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/shellparse/command"
)

// Statements that look as if they only kept variables are followed where one gets what is not its
// own: nothing may be brought in by them.
func TestNothingIsBroughtInByWhatKeeps(t *testing.T) {
	const s, k = "__CODEX_SNAPSHOT_", "CODEX_"
	save := func(mark, name string) string {
		return s + mark + `F="${` + name + `+x}"` + "\n" + s + mark + `="${` + name + `-}"` + "\n"
	}
	restore := func(mark, name string) string {
		return `if [ -n "$` + s + mark + `F" ]; then export ` + name + `="$` + s + mark +
			`"; else unset ` + name + "; fi\n"
	}
	const evil = k + "A='rm -rf /etc/x'\n"
	for name, text := range map[string]string{
		"of another variable": save("A", k+"A") + evil + save("B", k+"A") + k + "B=ls\n" +
			restore("B", k+"B") + "$" + k + "B",
		"over an assignment": save("A", k+"A") + evil + save("A", k+"A") + k + "A=ls\n" +
			restore("A", k+"A") + "$" + k + "A",
		"without a save": save("A", k+"A") + s + "B='rm -rf /etc/x'\n" + k + "B=ls\nexport " +
			k + `B="$` + s + "B\"\n$" + k + "B",
		"unset": save("A", k+"A") + k + "B=ls\nunset " + k + "B\n${" + k +
			"B-rm} -rf /etc/x",
		"in its other branch": save("A", k+"A") + k + "A=ls\n" + `if [ -n "$` + s +
			`AF" ]; then unset ` + k + "A; fi\n${" + k + "A-rm} -rf /etc/x",
	} {
		script := Parse(text, Options{Home: "/h"})
		if seen := len(script.Opaque) > 0 ||
			slices.ContainsFunc(script.Commands, func(c Command) bool {
				return strings.HasPrefix(c.Name, "rm")
			}); !seen {
			t.Errorf("%s: rm is not seen, commands %v:\n%s", name, script.Commands, text)
		}
	}
}

// A statement that keeps a variable and does something else besides is followed.
func TestWhatKeepsAndDoesMoreIsFollowed(t *testing.T) {
	const text = "__CODEX_SNAPSHOT_F=\"${HTTPS_PROXY+x}\"\n" +
		"if [ -n \"$__CODEX_SNAPSHOT_F\" ]; then . /w/shell_snapshots/a.sh; fi\n"
	s := Parse(text, Options{Home: "/h"})
	if !slices.ContainsFunc(s.Effects,
		func(e Effect) bool { return e.Name.Text == "/w/shell_snapshots/a.sh" }) {
		t.Errorf("the file is not seen: %v", s.Effects)
	}
}

// What an agent's program is about to write is known after the user's own start-up file; nothing
// else is, and after no other file.
func TestOnlyTheSavedNameSurvivesAStartUpFile(t *testing.T) {
	for text, known := range map[string]bool{
		`SNAPSHOT_FILE=/h/a; source "/h/.bashrc" < /dev/null; echo x > "$SNAPSHOT_FILE"`: true,
		`SNAPSHOT_FILE=/h/a; . ~/.zshrc; echo x > "$SNAPSHOT_FILE"`:                      true,
		`SNAPSHOT_FILE=/h/a; . /w/.bashrc; echo x > "$SNAPSHOT_FILE"`:                    false,
		`SNAPSHOT_FILE=/h/a; . /h/../w/.bashrc; echo x > "$SNAPSHOT_FILE"`:               false,
		`SNAPSHOT_FILE=/h/a; . /h/x/.bashrc; echo x > "$SNAPSHOT_FILE"`:                  false,
		`SNAPSHOT_FILE=/h/a; . /h/.bashrc*; echo x > "$SNAPSHOT_FILE"`:                   false,
		`OTHER=/h/a; . /h/.bashrc; echo x > "$OTHER"`:                                    false,
		`SNAPSHOT_FILE=/h/a; . /h/.bashrc; . /w/a; echo x > "$SNAPSHOT_FILE"`:            false,
	} {
		s := Parse(text, Options{Home: "/h", Dir: "/w"})
		if got := slices.ContainsFunc(s.Effects, func(e Effect) bool {
			return e.Right == command.Write && e.Name.Static && e.Name.Text == "/h/a"
		}); got != known {
			t.Errorf("known is %v: %s\n%v", got, text, s.Effects)
		}
	}
}
