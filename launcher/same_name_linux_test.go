package launcher

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/launcher/session"
)

// onOneName are the effects that a command line can have on the name N: read, write, append,
// create, delete, rename to and from, link to and from, and a change of its mode, also as the
// programs do it that put a new file in the place of the old one. A, B and C are names beside it.
var onOneName = []string{
	`cat N`, `echo w > N`, `echo a >> N`, `touch N`, `mkdir N`, `rm -r N`, `mv N A`, `mv B N`,
	`cp B N`, `ln N C`, `ln -s B N`, `chmod 600 N`, `sed -i s/o/0/ N`,
}

// A line that has two effects on one name has them as plain bash has them, one after the other: in
// the workspace and in a folder outside that was granted, at both levels.
func TestTwoEffectsOnOneName(t *testing.T) {
	l, req := world(t)
	base := atBase(t, l)
	outside := filepath.Join(filepath.Dir(base.state.Dir), "granted") // not among temporary files
	config := fmt.Sprintf("rules: {paths: [{path: %q, verdict: allow}]}\n", outside)
	plain := map[string][]string{} // what bash alone does, by place and first effect
	bash := func(line string) string {
		cmd := exec.Command("/bin/bash", "-c", line)
		cmd.Dir, cmd.Env = req.Dir, req.Env
		text, _ := cmd.CombinedOutput()
		return fmt.Sprintf("status %d\n%s", cmd.ProcessState.ExitCode(), text)
	}
	for i, l := range []*Launcher{l, base} {
		if err := errors.Join(os.WriteFile(l.state.Config(), []byte(config), 0o600),
			os.MkdirAll(outside, 0o755)); err != nil {
			t.Fatal(err)
		}
		level := l.level
		l, err := own(l.state.Dir).Open()
		if err != nil {
			t.Fatal(err)
		}
		l.Caller, l.level = personHere, level
		for _, place := range []string{req.Dir, outside} {
			t.Run(fmt.Sprint([]string{"strong ", "base "}[i], filepath.Base(place)),
				func(t *testing.T) {
					for _, first := range onOneName {
						if plain[place+first] == nil {
							plain[place+first] = twoEffects(t, place, first, "true", bash)
						}
						want := plain[place+first]
						// no plan knows what awk writes, so the workspace is open to it
						for _, program := range []string{"true", "awk 'BEGIN{}'"} {
							got := twoEffects(t, place, first, program, func(line string) string {
								return heardRun(t, l, req, line)
							})
							if !slices.Equal(want, got) {
								t.Errorf("%s\nwith bash alone:\n%s\nnot so after %s:\n%s", first,
									different(want, got), program, different(got, want))
							}
						}
					}
				})
		}
	}
}

// twoEffects runs a line that begins with a program, and then has an effect with each other one
// after it, each two on a name in a folder of their own in place. It returns what the line said and
// left.
func twoEffects(t *testing.T, place, effect, program string,
	run func(line string) string) []string {
	t.Helper()
	line, work := program, filepath.Join(place, "x")
	for i, second := range onOneName {
		dir := fmt.Sprintf("%s/%c", work, 'a'+i)
		line += "; " + nameOfEffect.ReplaceAllString(effect+"; "+second, " "+dir+"/$1")
		err := os.MkdirAll(dir, 0o755)
		for name, text := range map[string]string{"N": "old\n", "B": "other\n",
			"keep": "keep\n"} {
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	said := strings.NewReplacer("tada-run: ", "", "/bin/bash: ", "").Replace(run(line))
	said += whatIsIn(t, work)
	if err := os.RemoveAll(work); err != nil {
		t.Fatal(err)
	}
	return strings.Split(said, "\n")
}

var nameOfEffect = regexp.MustCompile(` ([NABC])\b`)

// different returns the lines of a that are not in b.
func different(a, b []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(a),
		func(line string) bool { return slices.Contains(b, line) }), "\n")
}

// heardRun runs a command line with both outputs in one file, and returns its status and what it
// said.
func heardRun(t *testing.T, l *Launcher, req Request, text string) string {
	t.Helper()
	both, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer both.Close()
	req.Shell.Text, req.PTY = text, session.Never
	req.Stdio = session.Stdio{In: devNull(t), Out: both, Err: both}
	out, err := l.Run(context.Background(), req)
	if err != nil {
		t.Fatal(text, err)
	}
	if out.Refusal != nil {
		t.Fatal(text, out.Refusal.Line())
	}
	said, err := os.ReadFile(both.Name())
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("status %d\n%s", out.Status, said)
}

// whatIsIn describes what is in a folder: kinds, modes, texts, and names of one file.
func whatIsIn(t *testing.T, dir string) string {
	t.Helper()
	var out bytes.Buffer
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text, _ := os.ReadFile(name)
		fmt.Fprintf(&out, "%s %v %q\n", strings.TrimPrefix(name, dir), info.Mode(), text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}
