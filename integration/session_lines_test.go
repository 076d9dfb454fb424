package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// forbiddenLine is a line that policy refuses, and that is harmless if it runs anyway: then it
// prints that. These words appear on the screen only in its output.
const forbiddenLine = `cat secret; echo ESC''APED`

// hiddenLine gives the shell a variable with that line in it.
const hiddenLine = `x='cat secret; echo ESC""APED'; y='a[$(cat secret; echo ESC""APED >&2)]'`

// waysRound are what a user types to run a line that is not judged. After each, the forbidden line
// itself is typed. A key of tmux is on a line of its own, after KEY.
var waysRound = []struct{ name, lines string }{
	{"the line itself", forbiddenLine},
	{"once more", "!!"},
	{"by its beginning", "!cat"},
	{"by a substitution", "^secret^secret^"},
	{"by fc", "fc -s"},
	{"by an editor", "FCEDIT=true fc"},
	{"eval", `eval "$x"`},
	{"a word", `$x`},
	{"a process", `. <(echo "$x")`},
	{"an indirection", `n=x; eval "${!n}"`},
	{"a prompt command", `PROMPT_COMMAND=$x`},
	{"a prompt command more", `PROMPT_COMMAND+=("$x")`},
	{"a prompt command read", `read -r PROMPT_COMMAND <<< "$x"`},
	{"a prompt command printed", `printf -v PROMPT_COMMAND %s "$x"`},
	{"a trap", `trap "$x" DEBUG`},
	{"a trap on errors", "trap \"$x\" ERR\nfalse"},
	{"a trap that is told", "trap '" + `cat secret; echo ESC""APED` + "' DEBUG"},
	{"an alias", "alias g1=\"$x\"\ng1"},
	{"an alias of pieces", "alias g2='cat ' g3='secret; echo ESC\"\"APED'\ng2 g3"},
	{"a function", "g4() { eval \"$x\"; }\ng4"},
	{"a function that is told", "g5() { cat secret; echo ESC''APED; }\ng5"},
	{"a completion", `complete -C "$x" g6`},
	{"a completion by a function", "g7() { $x; }\ncomplete -F g7 g8"},
	{"a key", `bind -x '"\C-g": cat secret; echo ESC""APED'` + "\nKEY C-g"},
	{"a key of a value", "bind -x \"\\\"\\C-g\\\": $x\"\nKEY C-g"},
	{"an editor on a key", "bind '\"\\C-g\": edit-and-execute-command'; export VISUAL=true\n" +
		"TYPE cat secret; echo ESC''APED #\nKEY C-g\nKEY C-c"},
	{"the usual key of an editor", "export VISUAL=true\nTYPE cat secret; echo ESC''APED\n" +
		"KEY C-x\nKEY C-e\nKEY C-c"},
	{"the key of an editor in vi's way",
		"set -o vi; export VISUAL=true\nTYPE cat secret; echo ESC''APED\nKEY Escape\nKEY v\n" +
			"KEY C-c\nset -o emacs"},
	{"an expansion while it is edited",
		"TYPE echo $(cat secret; echo ESC''APED)\nKEY M-C-e\nKEY C-c"},
	{"a file", "printf 'cat secret\\necho ESC%sAPED\\n' \"''\" > f\n. ./f"},
	{"a file for a shell", "bash f"},
	{"a here-document", "bash <<E\ncat secret\necho ESC''APED\nE"},
	{"a here-document by a pipe", "cat <<'E' | bash\ncat secret\necho ESC''APED\nE"},
	{"another shell", "bash --norc"},
	{"another shell in the place of this", "exec bash --norc"},
	{"a loop", "for i in 1 2; do\ncat secret; echo ESC''APED\ndone"},
	{"a condition", "if true\nthen cat secret; echo ESC''APED\nfi"},
	{"a job", "cat secret & echo ESC''APED"},
	{"a subshell", "(cat secret; echo ESC''APED)"},
	{"a comment before it", "# nothing\ncat secret; echo ESC''APED"},
	{"a line that goes on", "cat \\\nsecret; echo ESC''APED"},
	{"no PS0", "unset PS0"},
	{"an empty PS0", "PS0="},
	{"a local PS0", "g9() { local PS0=; }; g9"},
	{"prompts without code", "shopt -u promptvars"},
	{"no history", "set +o history"},
	{"half a history", "shopt -u cmdhist lithist"},
	{"a history that ignores", "HISTCONTROL=ignorespace HISTIGNORE='*'"},
	{"another history", "history -c; history -s true"},
	{"a builtin that is off", "enable -n history kill builtin"},
	{"a function for builtin", "builtin() { :; }"},
	{"a function for history", "history() { echo 1 true; }"},
	{"a function for kill", "kill() { :; }"},
	{"a function for exec", "exec() { :; }"},
	{"a function for the gate", "__tada_line() { :; }"},
	{"no function for the gate", "unset -f __tada_line"},
	{"no descriptors", "ulimit -Sn 4"},
	{"no processes", "ulimit -Su 1"},
	{"the posix mode", "set -o posix"},
	{"no descriptor", "exec 3<&-"},
	{"another descriptor", "export TADA_RUN_OUTSIDE=9"},
	{"no word of a descriptor", "unset TADA_RUN_OUTSIDE"},
	{"a path", "hash -p /bin/true cat; PATH=/nowhere"},
}

// shutting are lines that leave the shell no way to ask. After them nothing runs any more.
var shutting = []string{
	"readonly __tada_text=1 __tada_made=1 __tada_entry=1",
}

// unseen are what the judge does not see: code in a value that bash evaluates as arithmetic or as a
// subscript, in a prompt, and in a file that a variable names. It runs, but in the sandbox, which
// shows it no more than any line.
var unseen = []string{
	`echo $((y))`, `[[ y -eq 1 ]]`, `[[ -v $y ]]`, `printf -v "$y" 1`, `read -r "$y" <<< 1`,
	`let "$y"`, `unset "$y"`, "BASH_ENV=./f bash -c true",
}

// Whatever is typed at a session's shell, the line that policy refuses does not run: the check
// cannot be removed, and if code hides from it, that is a question, which the profile ci denies.
func TestLinesThatHide(t *testing.T) {
	t.Parallel()
	for part := range slices.Chunk(waysRound, (len(waysRound)+3)/4) {
		t.Run(part[0].name, func(t *testing.T) {
			t.Parallel()
			h := newHiding(t)
			for _, way := range part {
				h.types(way.lines)
				if s := h.ready(way.name); strings.Contains(s, "ESCAPED") {
					t.Errorf("%s: it ran:\n%s", way.name, s)
				}
				h.types(forbiddenLine)
				if s := h.ready(way.name); !strings.Contains(s, "tada-run: ") ||
					strings.Contains(s, "ESCAPED") {
					t.Errorf("%s: the line behind it is not refused:\n%s", way.name, s)
				}
			}
		})
	}
	t.Run("unseen", func(t *testing.T) { // and the control: such lines do run without a judge
		t.Parallel()
		h := newHiding(t)
		for _, line := range unseen {
			h.types(line)
			if s := h.ready(line); !strings.Contains(s, "\nESCAPED") ||
				!strings.Contains(s, "secret: Permission denied") &&
					!strings.Contains(s, "secret: No such file") {
				t.Errorf("%s: want it to run and to be contained:\n%s", line, s)
			}
		}
	})
}

// A refused line leaves the status of an interrupt, as the help says: bash has no other way to drop
// a line.
func TestRefusedLineStatus(t *testing.T) {
	t.Parallel()
	h := newHiding(t)
	h.types(forbiddenLine + "\n" + `echo "st""=$?"`)
	if s := h.ready("its status"); !strings.Contains(s, "st=130") {
		t.Errorf("want st=130:\n%s", s)
	}
}

// A shell that cannot ask runs nothing.
func TestLinesWithoutAnybodyToAsk(t *testing.T) {
	t.Parallel()
	for _, line := range shutting {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			h := newHiding(t)
			h.types(line)
			h.types(forbiddenLine)
			h.types("echo NO''NE")
			h.types("KEY C-d")
			h.shows("outer>")
			if s := h.text(); strings.Contains(s, "ESCAPED") || strings.Contains(s, "NONE") {
				t.Errorf("it ran:\n%s", s)
			}
		})
	}
}

// A hiding is a session in a window whose shell has the code in variables, and a file with it.
type hiding struct {
	*window
	n int
}

func newHiding(t *testing.T) *hiding {
	t.Helper()
	d := newDesktop(t)
	d.rc(hiddenLine + "\n")
	for name, text := range map[string]string{"secret": "told\n",
		"f": "cat secret\necho ESC''APED\n"} {
		if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d.run("tadactl policy check")
	if err := os.WriteFile(filepath.Join(d.state, "config.yaml"),
		[]byte("security:\n  restricted_paths: ["+filepath.Join(d.dir, "secret")+"]\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	h := &hiding{window: d.window("a", 120, 50)}
	h.session("--profile ci")
	h.shows("inner$")
	return h
}

// types types lines, each with Enter except those of keys. It types like a person who looks: text
// that is typed ahead may be lost with an interrupt.
func (h *hiding) types(lines string) {
	h.d.t.Helper()
	for line := range strings.Lines(lines) {
		line = strings.TrimSuffix(line, "\n")
		if key, ok := strings.CutPrefix(line, "KEY "); ok {
			if key == "C-c" {
				h.settles()
			}
			before := strings.Count(h.text(), "inner$")
			h.window.types("", key)
			if key == "C-c" {
				// what is typed before the shell has read it may be dropped with it
				looks := 0
				h.until("has a new prompt after "+lines, func(s string) bool {
					if strings.Count(s, "inner$") > before {
						return true
					}
					// While readline waits for the rest of a key, it acts on the signal only with
					// the next key; and while an editor runs, the signal is the editor's.
					if looks++; strings.Contains(s, "^C") || looks%25 == 0 {
						h.window.types("", "Enter")
					}
					return false
				})
			}
			continue
		}
		if text, ok := strings.CutPrefix(line, "TYPE "); ok {
			h.window.types(text)
			continue
		}
		h.step(line)
	}
}

// settles waits until the keys typed so far show nothing new: an earlier interrupt would end what
// they started, and then nothing was tried.
func (h *hiding) settles() {
	h.d.t.Helper()
	last, same := "", 0
	h.until("settles", func(s string) bool {
		if same++; s != last {
			last, same = s, 0
		}
		return same == 10
	})
}

// ready types a line of its own, waits until everything before it is done, and returns what the
// window showed.
func (h *hiding) ready(what string) string {
	h.d.t.Helper()
	h.n++
	h.until("has its prompt after "+what, func(string) bool { return h.at() == "inner$" })
	h.step(fmt.Sprintf("echo re''ady %d", h.n))
	s := h.text()
	if strings.Contains(s, "\ntold") || !strings.Contains(s, fmt.Sprintf("\nready %d", h.n)) {
		h.d.t.Errorf("%s: the fence was left, or the shell:\n%s", what, s)
	}
	h.window.types("", "C-l")
	h.until("is cleared", func(s string) bool { return strings.TrimSpace(s) == "inner$" })
	return s
}
