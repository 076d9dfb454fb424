package gitmeta

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// run runs a script with the real git in dir.
func run(t *testing.T, dir, script string) string {
	t.Helper()
	cmd := exec.Command("/bin/bash", "-ec", script)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a",
		"GIT_COMMITTER_EMAIL=a@b", "GIT_ALLOW_PROTOCOL=file"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}

func workspace(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git on this machine")
	}
	dir := t.TempDir()
	run(t, dir, "git init -q proj; cd proj; echo x > f; git add f; git commit -qm x; echo '#!/bin/sh' > .git/hooks/pre-push; chmod +x .git/hooks/pre-push; git config core.editor vi")
	return dir
}

// What people and agents do with git every day changes nothing that runs.
func TestOrdinary(t *testing.T) {
	for _, script := range []string{
		"git init -q new", "git init -q --bare new.git", "git clone -q proj other",
		"git clone -q --bare proj other.git",
		"cd proj; echo y > f; git commit -qam y; git branch b; git checkout -q b; git tag v; git stash list; git gc -q",
		"cd proj; git config user.name x; git config user.email x@y; git config pull.rebase true; git config alias.st status",
		`cd proj; git config alias.lg "log --graph --pretty=format:'%Cred%h%Creset -%C(yellow)%d %s' --abbrev-commit"; git config alias.ci 'commit -a -m'; git config alias.unstage 'reset HEAD --'`,
		"cd proj; git remote add v6 'https://[::1]:8080/x.git'; git remote add o git@example.com:x.git; git config protocol.file.allow user; git config protocol.ext.allow never",
		"cp -r /usr/share/doc/git . 2>/dev/null || :; mkdir objects refs; echo x > HEAD",
		"cd proj; git remote add origin https://example.com/x.git; git remote rename origin up; git branch -q --set-upstream-to=b 2>/dev/null || git config branch.master.remote up",
		"cd proj; git worktree add -q ../wt; git worktree add -q sub/wt2 HEAD; cd ../wt; echo z > g; git add g; git commit -qm z",
		"cd proj; git worktree add -q ../wt; git worktree remove ../wt",
		"git init -q lib; cd lib; git commit -q --allow-empty -m x; cd ../proj; git -c protocol.file.allow=always submodule --quiet add ../lib lib; git commit -qm s",
		"mv proj moved", "cp -r proj copied", "cd proj; git config core.fsmonitor false",
		"cd proj; git update-index --chmod=+x f; git config core.filemode false",
		"cd proj; chmod -x .git/hooks/pre-push; rm -r .git/hooks",
		"cd proj; git config --unset core.editor",
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			dir := workspace(t)
			before := Look([]string{dir}, Most)
			run(t, dir, script)
			for _, c := range before.Changes() {
				if !(c.Kind == Removed && strings.HasPrefix(script, "mv")) {
					t.Errorf("%v", c)
				}
			}
			if before.Incomplete {
				t.Error("incomplete")
			}
		})
	}
}

// E-bkr-3: each way to have the next git outside run something: git really runs it without us, and
// no more once the changes are taken back, while what was ordinary in the same file stays. B-R6.3a.
func TestAttacks(t *testing.T) {
	const evil = "printf '#!/bin/sh\\ntouch \"$RAN\"\\n' > $PWD/evil; chmod +x $PWD/evil; E=$PWD/evil; "
	for _, test := range []struct {
		name, script string
		kind         Kind
		trigger      string // what a person does later
		dir          string // where
	}{
		{"hook", "cp $E proj/.git/hooks/post-commit", Hook, "git commit -q --allow-empty -m x",
			"proj"},
		{"changed hook", "cp $E proj/.git/hooks/pre-push", Hook,
			"git init -q --bare ../b; git push -q ../b HEAD", "proj"},
		{"linked hook", "ln -s $E proj/.git/hooks/post-commit", Hook,
			"git commit -q --allow-empty -m x", "proj"},
		{"linked hooks", "mkdir h; cp $E h/post-commit; rm -r proj/.git/hooks; ln -s $PWD/h proj/.git/hooks", Pointer, "git commit -q --allow-empty -m x", "proj"},
		{"fsmonitor", "cd proj; git config user.name kept; git config core.fsmonitor $E", Setting,
			"git status", "proj"},
		{"fsmonitor, hidden in text",
			"cd proj; printf '[CORE]fsmonitor = \\\\\\n\"'$E'\" ; x' >> .git/config", Setting,
			"git status", "proj"},
		{"hooksPath", "mkdir h; cp $E h/post-commit; git -C proj config core.hooksPath $PWD/h",
			Setting, "git commit -q --allow-empty -m x", "proj"},
		{"include", "printf '[core]\\nfsmonitor='$E > inc; git -C proj config include.path $PWD/inc", Setting, "git status", "proj"},
		{"includeIf", "printf '[core]\\nfsmonitor='$E > inc; git -C proj config includeIf.gitdir:/**.path $PWD/inc", Setting, "git status", "proj"},
		{"alias", "git -C proj config alias.lg '!'$E", Setting, "git lg", "proj"},
		{"filter", "cd proj; git config filter.x.clean $E; echo 'f filter=x' > .gitattributes; touch f", Setting, "git add f", "proj"},
		{"external diff", "cd proj; git config diff.external $E; echo y > f", Setting, "git diff",
			"proj"},
		{"replaced editor", "git -C proj config core.editor $E", Setting,
			"git commit --allow-empty || :", "proj"},
		{"config.worktree", "cd proj; git config extensions.worktreeConfig true; git config --worktree core.fsmonitor $E", Setting, "git status", "proj"},
		{"commondir", "cp -r proj/.git evil.d; git config -f evil.d/config core.fsmonitor $E; echo $PWD/evil.d > proj/.git/commondir", Pointer, "git status", "proj"},
		{"linked config", "cp proj/.git/config c; git config -f c core.fsmonitor $E; ln -sf $PWD/c proj/.git/config", Pointer, "git status", "proj"},
		{"nested repository", "git init -q proj/sub/deep; git -C proj/sub/deep config core.fsmonitor $E", Setting, "git status", "proj/sub/deep"},
		{"bare repository", "git init -q --bare proj/b; git -C proj/b config core.sshCommand x; cp $E proj/b/hooks/post-receive", Hook, "git push -q b HEAD:refs/heads/x", "proj"},
		{"repository made by hand", "mkdir -p proj/d/objects proj/d/refs; echo ref: refs/heads/x > proj/d/HEAD; printf '[alias]\\nzz=!'$E > proj/d/config", Setting, "git zz", "proj/d"},
		{"worktree", "cd proj; git worktree add -q ../wt; git config extensions.worktreeConfig true; git -C ../wt config --worktree core.fsmonitor $E", Setting, "git status", "wt"},
		{"pointer to a folder of another name",
			"cp -r proj/.git x; git config -f x/config core.fsmonitor $E; mkdir p; echo gitdir: $PWD/x > p/.git", Setting, "git status", "p"},
		{"folder replaced by a pointer",
			"cp -r proj/.git x; git config -f x/config core.fsmonitor $E; rm -r proj/.git; echo gitdir: $PWD/x > proj/.git", Setting, "git status", "proj"},
		{"submodule", "git init -q lib; git -C lib commit -q --allow-empty -m x; cd proj; git -c protocol.file.allow=always submodule --quiet add ../lib lib; git config -f .git/modules/lib/config core.fsmonitor $E", Setting, "git status", "proj/lib"},
		{"fake bare repository around the real one",
			"cd proj; mkdir objects refs; echo x > HEAD; git config core.fsmonitor $E", Setting,
			"git status", "proj"},
		{"fake bare repository above",
			"mkdir -p objects refs; echo x > HEAD; git -C proj config core.fsmonitor $E", Setting,
			"git status", "proj"},
		{"pointer out of the roots",
			"mkdir p; cp -r proj/.git $OUTSIDE/x; git config -f $OUTSIDE/x/config core.fsmonitor $E; echo gitdir: $OUTSIDE/x > p/.git", Pointer, "git status", "p"},
		{"pointer by a link out of the roots",
			"mkdir p; cp -r proj/.git $OUTSIDE/x; git config -f $OUTSIDE/x/config core.fsmonitor $E; ln -s $OUTSIDE l; echo gitdir: ../l/x > p/.git", Pointer, "git status", "p"},
		{"pointer into a folder of git's",
			"mkdir p; cp -r proj/.git x; mv x proj/.git/x; git config -f proj/.git/x/config core.fsmonitor $E; echo gitdir: ../proj/.git/x > p/.git", Setting, "git status", "p"},
		{"large configuration", "cd proj; { head -c 1200000 /dev/zero | tr '\\0' '#'; printf '\n" +
			"[core]\nfsmonitor='$E; } >> .git/config", Setting, "git status", "proj"},
		{"ext for the user", "cd proj; git config protocol.ext.allow user; git config remote.x.url \"ext::$E\"", Setting, "git fetch x", "proj"},
		{"every protocol for the user",
			"cd proj; git config protocol.allow user; git config remote.x.pushurl \"ext::$E\"; git config remote.x.url .", Setting, "git push x HEAD", "proj"},
		{"alias of grep", "cd proj; git config alias.g \"grep -O$E x\"", Setting, "git g", "proj"},
		{"alias of difftool", "cd proj; git config alias.dt \"difftool -y --extcmd=$E\"; echo y > f", Setting, "git dt", "proj"},
		{"alias of fetch", "cd proj; git config alias.up \"fetch --upload-pack=$E .\"", Setting,
			"git up", "proj"},
		{"alias of clone", "cd proj; git config alias.cl \"clone -u $E . c\"", Setting, "git cl",
			"proj"},
		{"alias in quotes", "cd proj; git config alias.sf \"submodule for'eac'h $E\"; git config alias.rb \"rebase '-'x $E --root\"; git config alias.zz 'bisect \"r\"un '$E; git bisect start -q HEAD HEAD~0 || :", Setting, "git rb; git zz", "proj"},
		{"hooksPath that was there", "cp $E proj/.githooks/post-commit", Hook,
			"git commit -q --allow-empty -m x", "proj"},
		{"included file that was there", "printf '[core]\nfsmonitor='$E >> proj/inc", Setting,
			"git status", "proj"},
		{"included file that was not there", "printf '[core]\nfsmonitor='$E > later.inc", Setting,
			"git status", "proj"},
		{"erased", "rm -rf proj/.git", Removed, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir, outside := workspace(t), t.TempDir()
			if strings.Contains(test.name, "that was") {
				run(t, dir, "cd proj; mkdir .githooks; git config core.hooksPath .githooks; git config include.path ../inc; echo '[include]path = ../later.inc' > inc")
			}
			before := Look([]string{dir}, Most)
			run(t, dir, "OUTSIDE="+outside+"; "+evil+test.script)
			changes := before.Changes()
			if !slices.ContainsFunc(changes,
				func(c Change) bool { return c.Kind == test.kind && c.String() != "" }) {
				t.Fatalf("not seen: %v", changes)
			}
			ran := dir + "/ran"
			later := func() bool {
				os.Remove(ran)
				cmd := exec.Command("/bin/bash", "-c", test.trigger)
				cmd.Dir = filepath.Join(dir, test.dir)
				cmd.Env = []string{"PATH=/usr/bin:/bin", "RAN=" + ran, "HOME=" + dir,
					"GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b",
					"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b", "TERM=xterm"}
				cmd.Run()
				_, err := os.Stat(ran)
				return err == nil
			}
			if test.kind == Removed {
				if _, err := before.Undo(changes[0]); !errors.Is(err, ErrGone) {
					t.Error(err)
				}
				return
			}
			if !later() {
				t.Fatal("git does not run it: this is no attack")
			}
			for _, c := range changes {
				if _, err := before.Undo(c); err != nil && c.Kind != Removed {
					t.Errorf("%v: %v", c, err)
				}
			}
			if later() {
				t.Error("still run after the changes were taken back")
			}
			if test.name == "fsmonitor" &&
				!strings.Contains(run(t, dir+"/proj", "git config -l"), "user.name=kept") {
				t.Error("what was ordinary went too")
			}
			if test.name == "replaced editor" &&
				!strings.Contains(run(t, dir+"/proj", "git config -l"), "core.editor=vi\n") {
				t.Error("what was replaced did not come back")
			}
		})
	}
}

// No path of an undo leads out of the root, whatever the command has put there.
func TestUndoStaysInside(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(dir+"/.git/hooks", 0o700); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(outside+"/config", []byte("[user]\nname=x\n"), 0o600)
	before := Look([]string{dir}, Most)
	os.WriteFile(dir+"/.git/config", []byte("[core]\nfsmonitor=x\n"), 0o600)
	changes := before.Changes()
	os.Remove(dir + "/.git/config")
	os.Symlink(outside+"/config", dir+"/.git/config")
	for _, c := range changes {
		before.Undo(c)
	}
	os.RemoveAll(dir + "/.git")
	os.Symlink(outside, dir+"/.git")
	for _, c := range changes {
		before.Undo(c)
	}
	if text, _ := os.ReadFile(outside + "/config"); string(text) != "[user]\nname=x\n" {
		t.Errorf("%q", text)
	}
}

func TestIncomplete(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c/d/e", "f"} {
		os.MkdirAll(dir+"/"+name, 0o700)
	}
	if s := Look([]string{dir}, 3); !s.Incomplete {
		t.Error("not said")
	}
	if s := Look([]string{dir, dir + "/none"}, 100); s.Incomplete {
		t.Error("said for nothing")
	}
}

// configs are files on which git and this package must agree.
var configs = []string{
	"[core]\n\tfsmonitor = x\n", "[core] fsmonitor=x", "[CoRe]FsMonitor\n",
	"[a \"B.c\\\"d\\\\\"]\nk=v\n", "[a.B]\nk=v", "[core]\r\nk = v \r\n",
	"[a]\nk = \" x \"  y ; c\n", "[a]\nk = a\\\n b\n", "[a]\nk = \"a\\nb\\t\"\n", "\ufeff[a]\nk=v",
	"[a]\nk = x # y\nl=\\\\\n", "# c\n; d\n[a]k=1\n[b]l=2\n",
	"[a]\nk=\n", "k=v\n", "[a\n", "[a]\nk=\"x\n", "[a]\nk=\\q\n", "[a]\n1k=v\n",
	"[a \"b\" ]\nk=v\n", "[a]\n-k=v", "[a]\nk x\n", "[a]\nk = \"x\\\ny\"\n", "[]\nk=v\n",
}

// git reads a configuration as this package does.
func TestAsGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git on this machine")
	}
	for _, text := range configs {
		agree(t, text)
	}
}

func agree(t *testing.T, text string) {
	t.Helper()
	name := t.TempDir() + "/c"
	os.WriteFile(name, []byte(text), 0o600)
	out, err := exec.Command("git", "config", "-f", name, "--list", "-z").Output()
	settings, mine := parse([]byte(text))
	if err == nil && mine != nil {
		t.Errorf("%q: git reads %q", text, out)
	}
	if err != nil || mine != nil {
		return // more that we refuse is looked at by a person; more that git refuses runs nothing
	}
	var got strings.Builder
	for _, s := range settings {
		got.WriteString(s.String())
		if !(s.value == "true" && strings.Contains(string(out), s.String()+"\x00")) {
			got.WriteString("\n" + s.value)
		}
		got.WriteByte(0)
	}
	if got.String() != string(out) {
		t.Errorf("%q: %q, git says %q", text, got.String(), out)
	}
}

// Whatever the text, what is left after cleaning runs nothing.
func FuzzCleaned(f *testing.F) {
	for _, text := range configs {
		f.Add(text, "[user]\nname=x\n")
	}
	f.Add("[core]fsmonitor=a\n[alias]x=!b", "[core]\nfsmonitor=c")
	f.Fuzz(func(t *testing.T, now, old string) {
		clean := cleaned("", now, old)
		settings, err := parse([]byte(clean))
		if err != nil {
			if clean != old {
				t.Fatalf("%q was cleaned to what cannot be read: %q", now, clean)
			}
			return
		}
		if left := fresh("", settings, old); len(left) > 0 {
			t.Fatalf("%q was cleaned to %q, which runs %v", now, clean, left)
		}
	})
}

func BenchmarkLook(b *testing.B) {
	dir := b.TempDir()
	for _, x := range strings.Split("abcdefghij", "") {
		for _, y := range strings.Split("abcdefghij", "") {
			os.MkdirAll(dir+"/"+x+"/"+y, 0o700)
			for _, z := range strings.Split("abcdefghij", "") {
				os.WriteFile(dir+"/"+x+"/"+y+"/"+z, nil, 0o600)
			}
		}
	}
	for b.Loop() {
		Look([]string{dir}, Most)
	}
}
