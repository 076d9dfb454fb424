package resolve

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// N3: what a git remote stands for, by the settings of the repository and of the user.
func TestRemotes(t *testing.T) {
	root := t.TempDir()
	home, ws := root+"/home", root+"/home/work"
	for name, text := range map[string]string{
		home + "/.gitconfig": "[url \"https://short.test/\"]\n insteadOf = s:\n" +
			"[url \"ssh://push.test/\"]\n\tpushInsteadOf = https://both.test/\n" +
			"[include]\n path = more\n[includeIf \"gitdir:/\"]\n path = other\n",
		home + "/more":  "[url \"https://long.test/\"] insteadOf = s:long/ ; the longest counts\n",
		home + "/other": "[user]\nname = a\n",
		home + "/.ssh/config": "Host alias a?.test !ab.test\n HostName real.test\n  Port=2200\n" +
			"Host jump\n HostName far.test\n ProxyJump mid.test\nHost *\n HostName no.test\n" +
			"Match user x\n Port 1\n",
		ws + "/.git/HEAD":           "ref: refs/heads/topic/x\n",
		ws + "/.git/objects/info/x": "", ws + "/.git/refs/heads/x": "",
		ws + "/.git/config": `
[remote "origin"]
	url = "git@alias:a/b"  # quoted
[remote "path"] url = ../bare.git
[remote "file"]
	url = file:///srv/x
[remote "two"]
	url = https://one.test/a
	url = https://two.test/a
[remote "push"]
	url = https://fetched.test/a
	pushurl = https://pushed.test:8443/a
[remote "both"]
	url = https://both.test/a
[remote "short"]
	url = s:long/x
[remote "shorter"]
	url = s:x
[remote "hop"]
	url = git@jump:a
[remote "helper"]
	url = ext::sh -c id
[remote "vcs"]
	url = https://vcs.test/
	vcs = hg
[branch "topic/x"]
	remote = push
	pushRemote = path
`,
		ws + "/tree/.git":                     "gitdir: ../.git/worktrees/tree\n",
		ws + "/.git/worktrees/tree/HEAD":      "ref: refs/heads/main\n",
		ws + "/.git/worktrees/tree/gitdir":    ws + "/tree/.git\n",
		ws + "/.git/worktrees/tree/commondir": "../..\n",
		ws + "/folder/x":                      "",
	} {
		must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for line, want := range map[string]string{
		"git fetch":                      "net https://fetched.test",
		"git push":                       "write " + home + "/bare.git",
		"git push --force":               "write " + home + "/bare.git",
		"git fetch origin":               "net ssh://real.test:2200",
		"git fetch path":                 "read " + home + "/bare.git",
		"git -C folder push path":        "write " + home + "/bare.git",
		"cd folder; git push path":       "write " + home + "/bare.git",
		"git push file x":                "write /srv/x",
		"git fetch two":                  "net https://one.test",
		"git push two":                   "net https://one.test up, net https://two.test up",
		"git push push":                  "net https://pushed.test:8443 up",
		"git fetch both":                 "net https://both.test",
		"git push both":                  "net ssh://no.test up",
		"git fetch short":                "net https://long.test",
		"git fetch shorter":              "net https://short.test",
		"git fetch folder":               "read " + ws + "/folder",
		"cd tree && git fetch":           "net ssh://real.test:2200",
		"git fetch hop":                  "net ssh://jump",
		"git push helper":                "net remote://helper up",
		"git fetch vcs":                  "net remote://vcs",
		"git push nowhere":               "net remote://nowhere up",
		"git -c remote.path.url=x push":  "net remote:// up",
		"GIT_DIR=x git push path":        "net remote://path up",
		"git remote add x y; git push x": "net remote://x up",
		"git config a.b c; git push":     "net remote:// up",
	} {
		env := map[string]string{"HOME": home, "PATH": "/usr/bin"}
		s := shellparse.Parse(line, shellparse.Options{Dir: ws, Home: home, Vars: env})
		plan, err := Resolve(s, Caller{Dir: ws, Home: home, UID: os.Getuid(), Root: ws, Env: env})
		if err != nil {
			t.Fatal(err)
		}
		if got := remoteEffects(plan); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
		plan.Close()
	}
}

// remoteEffects are the hosts of a plan and the folders that its remotes stand for.
func remoteEffects(plan *Plan) string {
	var list []string
	for i := range plan.Script.Effects {
		e := &plan.Script.Effects[i]
		if n := e.Net; n != nil {
			text := fmt.Sprintf("net %s://%s", n.Scheme, n.Host)
			if n.Port != 0 {
				text += fmt.Sprintf(":%d", n.Port)
			}
			if n.Upload {
				text += " up"
			}
			list = append(list, text)
		}
		for j := range plan.Targets {
			t := &plan.Targets[j]
			text := "read " + t.Path()
			if t.Right == command.Write {
				text = "write " + t.Path()
			}
			if t.Effect == i && t.Flags&command.Recursive != 0 && !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	return strings.Join(list, ", ")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
