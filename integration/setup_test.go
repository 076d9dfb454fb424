package integration

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// settingsFiles are the files that setup writes, below the home of the account.
func settingsFiles() (files []string) {
	shells := map[string]bool{}
	for f := range agents.Of("settings", "shell") {
		w := f.Words()
		path := strings.TrimPrefix(w[0], "~/")
		if f.Kind == "settings" {
			path = filepath.Join(path, w[1])
		}
		if strings.HasSuffix(path, ".jsonc") || slices.Contains(files, path) ||
			f.Kind == "shell" && shells[f.Agent] { // one file of several has it
			continue
		}
		shells[f.Agent] = shells[f.Agent] || f.Kind == "shell"
		files = append(files, path)
	}
	return files
}

// anAccount is a place with the programs of all agents with a hook, and a home for them.
func anAccount(t *testing.T) (p *place, home string) {
	t.Helper()
	p = newPlace(t)
	home = filepath.Join(filepath.Dir(p.dir), "home")
	p.env = append(p.env, "HOME="+home)
	for _, name := range []string{"tada-run", "tadactl"} { // the hook is beside the program
		self, err := os.Executable()
		program := filepath.Join(filepath.Dir(p.dir), "bin", name)
		if err := errors.Join(err, os.Remove(program), linkOrCopy(self, program)); err != nil {
			t.Fatal(err)
		}
	}
	for f := range agents.Of("settings") {
		if w := f.Words(); len(w) > 2 {
			p.env = append(p.env, w[2]+"=")
		}
		if program := agents.First(f.Agent, "program"); program != "" {
			if err := hermetic.WriteProgram(filepath.Join(filepath.Dir(p.dir), "bin", program),
				[]byte("#!/bin/sh\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	return p, home
}

// planned is setup, for exactly what a dry run shows.
const planned = `plan=$(tadactl setup %[1]s --dry-run --json |
	sed 's/.*"plan":"\([0-9a-f]*\)".*/\1/')
tadactl setup %[1]s --plan "$plan"; echo status $?`

func (p *place) setUp(flags string) string {
	p.t.Helper()
	return p.answered(fmt.Sprintf(planned, flags))
}

var digestWord = regexp.MustCompile(`"plan":"([0-9a-f]{12})"`)

// planOf is what a dry run prints for --plan.
func (p *place) planOf(flags string) string {
	p.t.Helper()
	out := p.answered("tadactl setup --dry-run --json " + flags)
	found := digestWord.FindStringSubmatch(out)
	if found == nil {
		p.t.Fatal(out)
	}
	return flags + " --plan " + found[1]
}

// whole has a line for each name in a folder: type, mode, owner, link and content.
func whole(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		st := info.Sys().(*syscall.Stat_t)
		to, _ := os.Readlink(name)
		var text []byte
		if info.Mode().IsRegular() {
			text, err = os.ReadFile(name)
		}
		fmt.Fprintf(&b, "%s %v %d:%d %s %q\n", strings.TrimPrefix(name, dir), info.Mode(), st.Uid,
			st.Gid, to, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// makeAll makes every file of settings with a text; setup refuses those that it may not change.
func makeAll(home, text string, mode os.FileMode) error {
	var all error
	for _, name := range settingsFiles() {
		file := filepath.Join(home, name)
		all = errors.Join(all, os.MkdirAll(filepath.Dir(file), 0o755),
			os.WriteFile(file, []byte(text), 0o600), hermetic.Chmod(file, mode))
	}
	return all
}

// A file of settings as a person may have it, and whether setup may write it: always, never, or for
// some agents only.
var accountFiles = map[string]struct {
	make  func(home string) error
	takes string
}{
	"absent": {func(home string) error {
		return errors.Join(makeAll(home, "", 0o600), removeAll(home))
	}, "all"},
	"no folders": {func(home string) error { return os.Mkdir(home, 0o755) }, "all"},
	"empty":      {func(home string) error { return makeAll(home, "", 0o644) }, "all"},
	"with comments": {func(home string) error {
		return makeAll(home, "{\n\t// mine\n\t\"a\":  1 /* and\n so on */\n}\n", 0o640)
	}, "some"},
	"with line ends of DOS": {func(home string) error {
		return makeAll(home, "{\r\n    \"a\": [ ],\r\n    \"hooks\": null\r\n}\r\n\r\n", 0o600)
	}, "some"}, // OpenCode's plugin is not its own
	"a link": {func(home string) error {
		all := makeAll(filepath.Join(home, "dots"), "{\"a\":1}", 0o604)
		for i, name := range settingsFiles() {
			file := filepath.Join(home, name)
			to := filepath.Join(home, "dots", name)
			if i%2 == 0 { // by a relative path
				to, _ = filepath.Rel(filepath.Dir(file), to)
			}
			all = errors.Join(all, os.MkdirAll(filepath.Dir(file), 0o755), os.Symlink(to, file))
		}
		return all
	}, "some"},
	"a link to nothing": {func(home string) error {
		all := errors.Join(makeAll(home, "", 0o600), removeAll(home))
		for _, name := range settingsFiles() {
			file := filepath.Join(home, name)
			all = errors.Join(all, os.Symlink("none.json", file))
		}
		return all
	}, "some"}, // two may lead to one file
	"read-only": {func(home string) error { return makeAll(home, "{}", 0o444) }, "none"},
	"of another account": {func(home string) error {
		all := makeAll(home, "{}\n", 0o664)
		for _, name := range settingsFiles() {
			all = errors.Join(all, os.Chown(filepath.Join(home, name), 1234, 1235))
		}
		return all
	}, "some"},
	"wrong JSON": {func(home string) error { return makeAll(home, "{\"a\": ", 0o600) }, "none"},
	"a member twice": {func(home string) error {
		return makeAll(home, `{"a":1,"a":2}`, 0o600)
	}, "none"},
	"something else": {func(home string) error { return makeAll(home, "[1]\n", 0o600) }, "none"},
	"with a second name": {func(home string) error {
		all := makeAll(home, "{}", 0o600)
		for i, name := range settingsFiles() {
			all = errors.Join(all, os.Link(filepath.Join(home, name),
				filepath.Join(home, fmt.Sprint("second", i))))
		}
		return all
	}, "none"},
}

func removeAll(home string) (all error) {
	for _, name := range settingsFiles() {
		all = errors.Join(all, os.Remove(filepath.Join(home, name)))
	}
	return all
}

// Setup and its undo leave every file of every agent as it was, however it was; one that setup may
// not change is not changed at all. A second setup changes nothing.
func TestSetUpAndBack(t *testing.T) {
	for name, files := range accountFiles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "of another account" && os.Getuid() != 0 {
				t.Skip("only root can make files of another account")
			}
			p, home := anAccount(t)
			if err := files.make(home); err != nil {
				t.Fatal(err)
			}
			before := whole(t, home)
			said := p.setUp("")
			after := whole(t, home)
			changed := 0
			for line := range strings.Lines(apart(before, after)) {
				if strings.HasPrefix(line, "+") && strings.Contains(line, " -rw") {
					changed++
				}
			}
			least, most := 0, 0
			switch all := len(settingsFiles()); files.takes {
			case "all":
				least, most = all, all
			case "some":
				least, most = 1, all
			}
			if changed < least || changed > most || (before == after) != (most == 0) {
				t.Errorf("%d files were changed, want %d to %d:\n%s", changed, least, most, said)
			}
			if again := p.setUp(""); whole(t, home) != after {
				t.Errorf("again: %s\n%s", again, apart(after, whole(t, home)))
			}
			said = p.setUp("--undo")
			if is := whole(t, home); is != before || !strings.Contains(said, "status 0") {
				t.Errorf("not as before: %s\n%s", said, apart(before, is))
			}
			if out := p.run("tadactl tamper status"); strings.Contains(out, home) {
				t.Errorf("still protected: %s", out)
			}
		})
	}
}

// Several setups at the same time do what one does; and so do their undos.
func TestSetUpSeveralAtOnce(t *testing.T) {
	t.Parallel()
	p, home := anAccount(t)
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	before := whole(t, home)
	for range 3 {
		line := "tadactl setup " + p.planOf("")
		said := p.answered(strings.Repeat(line+" & ", 4) + "wait")
		late := strings.Count(said, "is not what would be done now") // some of it was done by then
		if strings.Contains(said, "FAILED") || strings.Count(said, "proven   codex")+late != 4 ||
			late == 4 {
			t.Errorf("%s", said)
		}
		after := whole(t, home)
		if n := strings.Count(after, "hook run"); n == 0 {
			t.Errorf("nothing was set up: %s", said)
		}
		p.setUp("")
		if is := whole(t, home); is != after {
			t.Error(apart(after, is))
		}
		line = "tadactl setup " + p.planOf("--undo")
		said = p.answered(strings.Repeat(line+" & ", 4) + "wait")
		if is := whole(t, home); is != before {
			t.Errorf("%s%s", said, apart(before, is))
		}
	}
}

// Nothing that comes from an agent's program, and no script without a terminal, sets agents up or
// takes that back, also not what a person was shown.
func TestAgentsCannotSetUp(t *testing.T) {
	t.Parallel()
	p, home := anAccount(t)
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	before := whole(t, home)
	line := "tadactl setup --agent codex " + p.planOf("--agent codex")
	ways := agentWays(t, p)
	refuse := func(line string) {
		t.Helper()
		for name, way := range ways {
			out := way.run(p, line+" 2>&1")
			if !strings.Contains(out, "this needs a person at a terminal") ||
				!strings.Contains(out, way.says) {
				t.Errorf("%s: %q: %s", name, line, out)
			}
		}
	}
	refuse(line)
	refuse("tadactl setup --dry-run") // settings may hold secrets
	if is := whole(t, home); is != before {
		t.Fatal(apart(before, is))
	}
	if out := p.answered(line + "; echo status $?"); !strings.Contains(out, "status 0") {
		t.Errorf("a person: %s", out)
	}
	after := whole(t, home)
	refuse("tadactl setup " + p.planOf("--undo"))
	if is := whole(t, home); is != after || is == before {
		t.Error(apart(after, is))
	}
	p.setUp("--undo")
	if is := whole(t, home); is != before {
		t.Error(apart(before, is))
	}
}
