package shellparse_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// wrappers are programs that start another one: CMD stands for its words, TEXT for a shell
// text in one word, and WORDS for its words in one, which no shell reads.
var wrappers = strings.Split(strings.TrimSpace(`
sh -c TEXT
bash -lc TEXT
dash -c TEXT
eval TEXT
exec CMD
command CMD
builtin eval TEXT
env CMD
env -i A=1 CMD
env -S WORDS
sudo CMD
sudo -u dev -- CMD
doas CMD
su -c TEXT
su dev -c TEXT
nice -n 5 CMD
ionice -c 3 CMD
timeout -k 1 5 CMD
time CMD
time -p CMD
nohup CMD
setsid -w CMD
stdbuf -oL CMD
flock /l CMD
flock /l -c TEXT
watch -n 1 -x CMD
watch TEXT
xargs CMD < /dev/null
xargs -I{} sh -c TEXT
parallel ::: TEXT
find . -exec CMD \;
find . -execdir CMD \;
find . -ok CMD \;
find . -okdir CMD \;
strace -f -o t CMD
ltrace CMD
perf stat CMD
perf record -- CMD
chroot / CMD
unshare -r CMD
nsenter -t 1 -m CMD
busybox sh -c TEXT
busybox CMD
toybox CMD
/lib64/ld-linux-x86-64.so.2 /bin/sh -c TEXT
git -c core.pager=TEXT log
git -c alias.z='!'TEXT z
git -c core.sshCommand=TEXT fetch
git -c core.editor=TEXT commit
git submodule foreach TEXT
git bisect run CMD
git rebase -x TEXT HEAD~1
npm exec -c TEXT
npm exec -- CMD
npx -c TEXT
tar cf a.tar . --checkpoint=1 --checkpoint-action=exec=TEXT
tar xf a.tar --to-command=TEXT
tar -I WORDS -cf a.tar .
rsync -e WORDS a h:b
man -P WORDS ls
man --html=WORDS ls
trap TEXT EXIT
coproc CMD
script -c TEXT /dev/null
unbuffer CMD
runuser -u dev -- CMD
runuser -c TEXT dev
systemd-run CMD
taskset 1 CMD
prlimit --nofile=9 CMD
setpriv --nnp CMD
start-stop-daemon --start --exec /bin/sh -- -c TEXT
entr CMD
tmux new-session TEXT
screen -dm CMD
bash <<< TEXT
printf %s TEXT | sh
MANPAGER=WORDS man ls
GIT_SSH_COMMAND=TEXT git fetch
BASH_ENV=<(echo TEXT) bash -c true
echo "$(CMD)"
cat <(CMD)
f() { CMD; }; f
`), "\n")

// wrapped puts cmd inside a wrapper.
func wrapped(wrapper, cmd string) string {
	if strings.Contains(wrapper, "TEXT") {
		return strings.Replace(wrapper, "TEXT", single(cmd), 1)
	}
	if strings.ContainsAny(cmd, "|;<=$&\\") || keyword(cmd) {
		cmd = "sh -c " + single(cmd) // no program has these words
	}
	return strings.Replace(strings.Replace(wrapper, "WORDS", single(cmd), 1), "CMD", cmd, 1)
}

func keyword(cmd string) bool {
	first, _, _ := strings.Cut(cmd, " ")
	switch first {
	case "eval", "exec", "command", "builtin", "trap", "coproc", "time":
		return true
	}
	return false
}

// deletesTarget reports whether a script says that /target is deleted as a tree. What runs
// elsewhere, or under another root, has no names here: there it shows the command.
func deletesTarget(s *shellparse.Script) bool {
	for _, c := range s.Commands {
		if c.Name == "rm" && len(c.Args) == 3 && c.Args[2].Text == "/target" &&
			slices.Contains(c.Via, "chroot") {
			return true
		}
	}
	for _, o := range s.Opaque {
		if o.Place <= shellparse.InCode {
			return true // the worst that can be said, as of xargs -I{} in xargs -I{}
		}
	}
	for _, e := range s.Effects {
		if e.Right == command.Delete && e.Name.Text == "/target" && e.Flags&command.Recursive != 0 {
			return true
		}
	}
	return false
}

// What is started is found behind every wrapper, behind every two of them, and behind each
// between two others (C-3.3, C-3.4).
func TestNestingToDepthThree(t *testing.T) {
	t.Parallel()
	const victim = "rm -rf /target"
	try := func(text string) {
		s := shellparse.Parse(text, metamorphicShell)
		if s.Err != nil || !deletesTarget(s) {
			t.Errorf("not seen in %s: %v %v", text, s.Err, s.Opaque)
		}
	}
	for i, a := range wrappers {
		try(wrapped(a, victim))
		for j, b := range wrappers {
			if !shellparse.All() && (i+j)%4 > 0 {
				continue
			}
			try(wrapped(a, wrapped(b, victim)))
		}
		for j := range wrappers {
			if !shellparse.All() && (i+j)%4 != 1 {
				continue
			}
			b, c := wrappers[(i+j)%len(wrappers)], wrappers[(i+7*j+3)%len(wrappers)]
			try(wrapped(a, wrapped(b, wrapped(c, victim))))
		}
	}
	if deletesTarget(shellparse.Parse("echo "+single(victim), metamorphicShell)) {
		t.Error("the test cannot fail")
	}
}
