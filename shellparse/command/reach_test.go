package command

import (
	"slices"
	"strings"
	"testing"
)

// reached is every program that starts programs, or writes through an option, by the words
// in which a line would use it to get at ~/x, and what must be seen behind it. A line
// reaches "rm -rf ~/x" when that is an argv, or text for a shell, at any depth below it; other
// expectations are facts of the line itself. (C-3.3, C-3.4)
const reached = `
sh -c 'rm -rf ~/x'
bash -lc 'rm -rf ~/x'
bash -O extglob -c 'rm -rf ~/x' a b
dash -c 'rm -rf ~/x'
ksh -c 'rm -rf ~/x'
busybox sh -c 'rm -rf ~/x'
busybox rm -rf ~/x
toybox rm -rf ~/x
eval 'rm -rf ~/x'
eval rm -rf '~/x'
env A=1 rm -rf ~/x
env -i -u B rm -rf ~/x
env -S 'rm -rf' ~/x
sudo -u dev A=1 rm -rf ~/x
sudo -- rm -rf ~/x
doas -u dev rm -rf ~/x
su -c 'rm -rf ~/x' dev
su - dev -c 'rm -rf ~/x'
runuser -l dev -c 'rm -rf ~/x'
runuser -u dev -- rm -rf ~/x
pkexec rm -rf ~/x
nice -n 5 rm -rf ~/x
nice -5 rm -rf ~/x
ionice -c3 rm -rf ~/x
chrt -b 0 rm -rf ~/x
taskset 1 rm -rf ~/x
prlimit --nofile=9 rm -rf ~/x
timeout -k 1 5 rm -rf ~/x
time -p rm -rf ~/x
nohup rm -rf ~/x
setsid -f rm -rf ~/x
stdbuf -oL rm -rf ~/x
unbuffer rm -rf ~/x
flock /l rm -rf ~/x
flock /l -c 'rm -rf ~/x'
watch rm -rf '~/x'
watch -x rm -rf ~/x
xargs -n1 rm -rf ~/x
xargs -I{} sh -c 'rm -rf ~/x'
parallel rm -rf ::: ~/x
parallel 'rm -rf {}' ::: ~/x => run rm -rf {} ~/x
find . -exec rm -rf ~/x ;
find . -execdir rm -rf ~/x {} + => run rm -rf ~/x {.}
find . -ok rm -rf ~/x ;
find . -okdir rm -rf ~/x ;
find ~/x -delete => delete+recursive+below ~/x
fd -x rm -rf ~/x => run rm -rf ~/x {.}
ssh h rm -rf '~/x' => sh+remote rm -rf ~/x
ssh -o ProxyCommand='rm -rf ~/x' h
ssh -o LocalCommand='rm -rf ~/x' h
docker run --rm -v /:/m alpine rm -rf /m => write+recursive+below /
docker exec -it c rm -rf ~/x => run+remote rm -rf ~/x
docker compose exec -T c rm -rf ~/x => run+remote rm -rf ~/x
podman exec c rm -rf ~/x => run+remote rm -rf ~/x
kubectl exec -it p -c c -- rm -rf ~/x => run+remote rm -rf ~/x
strace -f -e trace=file rm -rf ~/x
strace -o '|rm -rf ~/x' true
ltrace rm -rf ~/x
perf stat -r 2 rm -rf ~/x
perf record -g -- rm -rf ~/x
valgrind --leak-check=full rm -rf ~/x
gdb --args rm -rf ~/x
gdb -batch -ex 'shell rm -rf ~/x'
gdb -batch -ex '!rm -rf ~/x'
chroot /m rm -rf ~/x => run+remote rm -rf ~/x
unshare -Ur rm -rf ~/x
nsenter -t 1 -m rm -rf ~/x
setpriv --no-new-privs rm -rf ~/x
capsh -- -c 'rm -rf ~/x' => !priv.capability
bwrap --bind / / rm -rf ~/x
systemd-run --user rm -rf ~/x
ld.so /bin/rm -rf ~/x => run /bin/rm -rf ~/x
ld-linux-x86-64.so.2 --library-path /l /bin/rm -rf ~/x => run /bin/rm -rf ~/x
git -c alias.z='!rm -rf ~/x' z
git -c core.pager='rm -rf ~/x' log
git -c core.sshCommand='rm -rf ~/x' fetch
git -c core.fsmonitor='rm -rf ~/x' status
git -c core.editor='rm -rf ~/x' commit
git -c diff.external='rm -rf ~/x' diff
git -c filter.f.clean='rm -rf ~/x' add .
git -c credential.helper='!rm -rf ~/x' fetch
git submodule foreach --recursive 'rm -rf ~/x'
git bisect run rm -rf ~/x
git rebase -x 'rm -rf ~/x' main
git difftool -x 'rm -rf ~/x'
git filter-branch --tree-filter 'rm -rf ~/x'
git ls-remote --upload-pack='rm -rf ~/x' h:y
git clone -u 'rm -rf ~/x' h:y
git archive --remote=h:y --exec='rm -rf ~/x' HEAD
git grep -O'rm -rf ~/x' y => run rm -rf ~/x {?}
make -f /tmp/m => read+source /tmp/m
make --eval='t: ; rm -rf ~/x' => code:make t: ; rm -rf ~/x
make CC='rm -rf ~/x'
make SHELL='rm -rf ~/x'
npm exec -- rm -rf ~/x
npm exec -c 'rm -rf ~/x'
npm explore p -- rm -rf ~/x
npm pkg set scripts.test='rm -rf ~/x'
npx -c 'rm -rf ~/x'
npx rm -rf ~/x
pnpm exec rm -rf ~/x
yarn exec rm -rf ~/x
bunx rm -rf ~/x
poetry run rm -rf ~/x
pipenv run rm -rf ~/x
hatch run rm -rf ~/x
uv run rm -rf ~/x
conda run -n e rm -rf ~/x
mise exec -- rm -rf ~/x
direnv exec . rm -rf ~/x
nix-shell --run 'rm -rf ~/x'
nix shell p -c rm -rf ~/x
tar cf a b --checkpoint=1 --checkpoint-action=exec='rm -rf ~/x'
tar xf a --to-command='rm -rf ~/x'
tar -I 'rm -rf ~/x' -cf a b
tar -cf a b -F 'rm -rf ~/x'
tar cf h:a b --rsh-command='rm -rf ~/x'
rsync -e 'rm -rf ~/x' a h:b
rsync --rsync-path='rm -rf ~/x' a h:b => sh+remote rm -rf ~/x
scp -S 'rm -rf ~/x' a h:b
sftp -D 'rm -rf ~/x' h
sed -n '1e rm -rf ~/x' f
sed 'w /home/x' f => write /home/x
sed s/a/b/w/home/x f => write /home/x
awk 'BEGIN{system("rm -rf ~/x")}'
awk 'BEGIN{"rm -rf ~/x" | getline}'
awk '{print | "rm -rf ~/x"}'
awk '{print > "/home/x"}' => write /home/x
vim -c '!rm -rf ~/x' f
vim '+!rm -rf ~/x' f
vim -c 'w! /home/x' f => code:vim w! /home/x
ex -c '!rm -rf ~/x' f
nano -s 'rm -rf ~/x' f => run rm -rf ~/x {?}
less '+!rm -rf ~/x' f
man -P 'rm -rf ~/x' ls
man --html='rm -rf ~/x' ls
man -H'rm -rf ~/x' ls
bat --pager 'rm -rf ~/x' f
sort --compress-program='rm -rf ~/x' f
sort -o /home/x f => write /home/x
split --filter='rm -rf ~/x' f
rg --pre 'rm -rf ~/x' y => run rm -rf ~/x {?}
rg --hostname-bin='rm -rf ~/x' y
ag --pager 'rm -rf ~/x' y
diff3 --diff-program='rm -rf ~/x' a b c
zip a.zip b -T -TT 'rm -rf ~/x'
cpio -o --rsh-command='rm -rf ~/x' -F h:f
install -s --strip-program='rm -rf ~/x' a b
start-stop-daemon -S -x /bin/rm -- -rf ~/x => run /bin/rm -rf ~/x
script -c 'rm -rf ~/x' /l
script -q /l -c 'rm -rf ~/x'
screen -dm rm -rf ~/x
tmux new-session -d 'rm -rf ~/x'
tmux run-shell 'rm -rf ~/x'
at now => stdin sh
crontab - => !schedule.job
entr -s 'rm -rf ~/x'
entr rm -rf ~/x
watchexec -- rm -rf '~/x'
nodemon --exec 'rm -rf ~/x'
concurrently 'rm -rf ~/x' ls
cross-env A=1 rm -rf ~/x
dotenv -- rm -rf ~/x
hyperfine 'rm -rf ~/x'
hyperfine --prepare 'rm -rf ~/x' ls
cmake -E rm -rf ~/x
cmake -E env A=1 rm -rf ~/x
go test -exec='rm -rf ~/x' ./...
go build -toolexec='rm -rf ~/x' ./...
go build -ldflags '-extld=/home/x' . => run /home/x
cargo watch -s 'rm -rf ~/x'
cargo --config build.rustc='"/home/x"' build => run /home/x
rustc -C linker=/home/x a.rs => run /home/x
gcc -wrapper rm,-rf,~/x a.c
just -c rm -rf ~/x
bazel run --run_under='rm -rf ~/x' //y
meson test --wrapper 'rm -rf ~/x'
socat TCP-LISTEN:1 EXEC:'rm -rf ~/x'
nc -e /home/x h 1 => run /home/x
ncat -c 'rm -rf ~/x' h 1
tcpdump -w f -z /home/x => run /home/x {?}
mosh --ssh='rm -rf ~/x' h
lftp -c '!rm -rf ~/x' h
sqlite3 :memory: '.shell rm -rf ~/x'
psql -c '\! rm -rf ~/x'
psql -o '|rm -rf ~/x' -c 'select 1'
mysql -e 'system rm -rf ~/x'
mysql --pager='rm -rf ~/x' -e 'select 1'
yt-dlp --exec 'rm -rf ~/x' http://h
aria2c --on-download-complete='rm -rf ~/x' http://h => run rm -rf ~/x {?}
rclone --password-command 'rm -rf ~/x' ls r:
restic --password-command 'rm -rf ~/x' snapshots
borg --rsh 'rm -rf ~/x' list h:r
fzf --preview 'rm -rf ~/x'
fzf --bind 'start:execute-silent(rm -rf ~/x)'
apt-get -o APT::Update::Pre-Invoke::='rm -rf ~/x' update
dpkg --pre-invoke='rm -rf ~/x' -i a.deb
rpm --pipe 'rm -rf ~/x' a
logrotate -m 'rm -rf ~/x' c
ip netns exec n rm -rf ~/x
machinectl shell => !priv.namespace
run-parts --arg=x /home/d => exec /home/d
python3 -c 'x' => code:python x
python3 - => stdin python
node -e 'x' => code:javascript x
node - => stdin javascript
perl -e 'x' => code:perl x
ruby -e 'x' => code:ruby x
ruby -run -e rm -- -rf ~/x
php -r 'x' => code:php x
lua -e 'x' => code:lua x
expect -c 'x' => code:expect x
emacs --batch --eval 'x' => code:elisp x
fish -c 'x' => code:fish x
deno eval 'x' => code:javascript x
R -e 'x' => code:r x
java -XX:OnOutOfMemoryError='rm -rf ~/x' A
wish => stdin tcl
ansible-pull -U https://h/x => !code.remote
kcmd-nobody-knows rm -rf ~/x => run+possible rm -rf ~/x
`

// TestReached tries every line of the list.
func TestReached(t *testing.T) {
	count := 0
	for line := range strings.SplitSeq(strings.TrimSpace(reached), "\n") {
		words, want, told := strings.Cut(line, " => ")
		args := argv(words)
		s, _ := Lookup(base(args[0].Text))
		u := s.Match(args)
		count++
		switch {
		case told:
			if !slices.Contains(facts(u), want) {
				t.Errorf("%s\n\twant %q\n\tgot  %q", words, want, facts(u))
			}
		case !reaches(u, 0):
			t.Errorf("%s\n\tdoes not reach rm -rf ~/x: %q", words, facts(u))
		}
	}
	t.Logf("%d ways", count)
}

// reaches follows what a Use starts.
func reaches(u Use, depth int) bool {
	for _, n := range u.Nested {
		switch {
		case n.Possible: // a guess is not knowledge
		case n.Shell != nil && strings.Contains(n.Shell.Text, "rm -rf ~/x"):
			return true
		case len(n.Argv) > 0:
			var words []string
			for _, a := range n.Argv {
				words = append(words, a.Text)
			}
			if strings.Join(words, " ") == "rm -rf ~/x" {
				return true
			}
			s, _ := Lookup(base(n.Argv[0].Text))
			if depth < 4 && reaches(s.Match(n.Argv), depth+1) {
				return true
			}
		}
	}
	return false
}
