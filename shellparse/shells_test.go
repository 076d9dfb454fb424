package shellparse

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	shpattern "mvdan.cc/sh/v3/pattern"
)

// A realShell is a shell that is installed here, in a throw-away directory. It says what a
// text means; Parse must say the same or name what it does not know.
type realShell struct {
	name    string
	argv    []string
	dialect Dialect
	dir     string
	env     []string
	// what was compared
	fine, open, refused int
}

// dialects are the shells that a dialect can stand for. bash is there wherever the tests
// run; the others are compared where they are installed.
var dialects = []struct {
	name    string
	argv    []string
	dialect Dialect
}{
	{"bash", []string{"bash", "-c"}, Bash},
	{"dash", []string{"dash", "-c"}, POSIX},
	{"bash in posix mode", []string{"bash", "--posix", "-c"}, POSIX},
	{"zsh", []string{"zsh", "-fc"}, Zsh},
}

// eachShell runs a test for every shell that is installed, and skips the others by name.
func eachShell(t *testing.T, f func(t *testing.T, sh *realShell)) {
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			if _, err := exec.LookPath(d.argv[0]); err != nil {
				if d.dialect == Bash {
					t.Fatal("bash is not installed, and is what runs every command line")
				}
				t.Skipf("%s is not installed", d.argv[0])
			}
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			sh := &realShell{name: d.name, argv: d.argv, dialect: d.dialect, dir: dir}
			sh.env = []string{"HOME=" + dir + "/home", "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"}
			f(t, sh)
			all := max(sh.fine+sh.open, 1)
			t.Logf("%s: %d words agree, %d are named as not known (%d%%), %d texts are refused by one of the two",
				d.name, sh.fine, sh.open, 100*sh.open/all, sh.refused)
		})
	}
}

// options are the facts that the real shell starts with.
func (sh *realShell) options() Options {
	vars := map[string]string{}
	for _, kv := range sh.env {
		name, val, _ := strings.Cut(kv, "=")
		vars[name] = val
	}
	return Options{Dialect: sh.dialect, Dir: sh.dir, Home: vars["HOME"], Vars: vars}
}

// run executes text in the throw-away directory, which holds d/e and home before it and
// nothing after it, and returns its output and the files that it has made.
func (sh *realShell) run(t testing.TB, text string) (out []byte, made []string, ok bool) {
	for _, d := range []string{"d/e", "home"} {
		if err := os.MkdirAll(filepath.Join(sh.dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, sh.argv[0], append(slices.Clone(sh.argv[1:]), text)...)
	cmd.Dir, cmd.Env = sh.dir, sh.env
	cmd.SysProcAttr = powerless(t, sh.dir)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	err2 := filepath.WalkDir(sh.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			made = append(made, path)
			err = os.Remove(path)
		}
		return err
	})
	if err2 != nil {
		t.Fatal(err2)
	}
	return out, made, err == nil
}

// words compares the words of one line: setup is what stands in front of them.
func (sh *realShell) words(t testing.TB, setup, args string) {
	s := Parse(setup+"printf '%s\\0' @@ "+args, sh.options())
	all := printed(s)
	if s.Err != nil || len(all) == 0 {
		sh.refused++
		return
	}
	out, _, ok := sh.run(t, setup+"printf '%s\\0' @@ "+args)
	_, after, found := bytes.Cut(out, []byte("@@\x00"))
	if !ok || !found {
		sh.refused++
		return
	}
	want := strings.Split(string(after), "\x00")
	want = want[:len(want)-1]
	var why []string
	for _, got := range all {
		known := leading(got, strings.Contains(setup, "nullglob"))
		how := compareWords(got[:known], want, known < len(got), strings.Contains(setup, "cd "))
		if how == "" {
			sh.fine, sh.open = sh.fine+known, sh.open+len(got)-known
			return
		}
		why = append(why, how)
	}
	t.Errorf("%s: %s%s\n  shell %q\n  parse %s", sh.name, setup, args, want,
		strings.Join(why, "\n     or "))
}

// printed returns the words of each printf of the text itself, one list for each possible
// run.
func printed(s *Script) [][]Word {
	var all [][]Word
	for _, c := range s.Commands {
		if c.Name == "printf" && len(c.Args) > 2 && c.Args[2].Text == "@@" && len(c.Via) == 0 {
			all = append(all, c.Args[3:])
		}
	}
	return all
}

// leading is how many words stand before the first that is not known.
func leading(words []Word, nullglob bool) int {
	for i, w := range words {
		if !w.Static && !w.Glob || w.Glob && nullglob {
			return i
		}
	}
	return len(words)
}

// compareWords says how words differ from those of the shell, which may have more of them
// when what follows is not known. Away from the throw-away directory a pattern may match.
func compareWords(got []Word, want []string, more, away bool) string {
	texts := make([]string, len(got))
	same := len(got) == len(want) || more && len(got) <= len(want)
	for i, w := range got {
		texts[i] = w.Text
		switch {
		case w.Glob && strings.Contains(w.Text, "/"):
			return "" // it may match
		case w.Glob && away && slices.ContainsFunc(want,
			func(s string) bool { return s != w.Text && fits(w.Text, s) }):
			return ""
		case w.Glob && same && fits(w.Text, want[i]) &&
			slices.Contains([]string{"d", "home", "."}, want[i]):
			return "" // it lists the directory
		case w.Glob && same && stands(w.Text, want[i]):
		case w.Glob && strings.Trim(w.Text, ".*?") == "":
			return "" // it lists the directory
		default:
			same = same && texts[i] == want[i]
		}
	}
	if same {
		return ""
	}
	return fmt.Sprintf("%q", texts)
}

// stands reports whether a pattern that matches no file can stand for a word: as it is
// written, or with a number that is made at run time in the place of a star. Of a value, what
// no pattern uses stays: a backslash, a set that no bracket closes.
func stands(pattern, want string) bool {
	strip := strings.NewReplacer(`\`, "")
	for _, p := range []string{pattern, loneBrackets(pattern)} {
		if fits(p, want) || fits(strip.Replace(p), strip.Replace(want)) {
			return true
		}
	}
	return unquoted.ReplaceAllString(pattern, "$1") == want ||
		strip.Replace(pattern) == strip.Replace(want)
}

// unquoted are the characters of a pattern that a backslash makes ordinary.
var unquoted = regexp.MustCompile(`\\([*?\[\]\\])`)

// fits reports whether a pattern matches a name.
func fits(pattern, name string) bool {
	expr, err := shpattern.Regexp(pattern, shpattern.EntireString)
	return err == nil && regexp.MustCompile(expr).MatchString(name)
}

// loneBrackets returns a pattern in which no bracket starts a set.
func loneBrackets(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern):
			b.WriteByte(c)
			i++
		case c == '[' || c == ']':
			b.WriteByte('\\')
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}

// target compares the file that a redirection opens.
func (sh *realShell) target(t testing.TB, setup, front, word string) {
	text := setup + front + ">" + word
	s := Parse(text, sh.options())
	if s.Err != nil {
		sh.refused++
		return
	}
	_, made, _ := sh.run(t, text)
	if len(made) == 0 {
		sh.refused++ // an ambiguous or failed redirection touches nothing
		return
	}
	if slices.ContainsFunc(s.Opaque, func(o Opaque) bool { return o.Place <= InWrite }) {
		sh.open++
		return
	}
	if slices.ContainsFunc(s.Effects, func(e Effect) bool {
		return e.Name.Dir == "" &&
			!strings.HasPrefix(e.Name.Text, "/")
	}) {
		sh.open++ // the directory is not known
		return
	}
	for _, file := range made {
		if !slices.ContainsFunc(s.Effects, func(e Effect) bool { return writes(e, file) }) {
			t.Errorf("%s: %s\n  shell makes %q\n%s", sh.name, text, file, describe(s))
			return
		}
	}
	sh.fine++
}

// writes reports whether an effect says that a file is written.
func writes(e Effect, file string) bool {
	name := e.Name.Text
	if !strings.HasPrefix(name, "/") {
		name = e.Name.Dir + "/" + name
	}
	if e.Name.Glob {
		if stands(name, file) {
			return true // nothing matches, so the pattern is the name
		}
		expr, err := shpattern.Regexp(name, shpattern.EntireString)
		return err == nil && regexp.MustCompile(expr).MatchString(file)
	}
	return filepath.Clean(name) == file
}
