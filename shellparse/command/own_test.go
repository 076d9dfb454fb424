package command

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// A person teaches a program of their own, with a second name and sub-commands.
func ExampleParse() {
	table, err := Parse(`
shipit: closed -v,--verbose -c,--config=R
  : _*
  push: !pkg.publish -n,--dry-run!dry --exec=SH : R+
ship = shipit
`)
	if err != nil {
		fmt.Println(err)
		return
	}
	spec, _ := table.Lookup("ship")
	fmt.Println(strings.Join(facts(spec.Match(argv("ship -c my.conf push a.tgz"))), ", "))
	fmt.Println(strings.Join(facts(spec.Match(argv("ship push --dry-run a.tgz"))), ", "))
	fmt.Println(strings.Join(facts(spec.Match(argv("ship push --ex 'rm x' a.tgz"))), ", "))
	// Output:
	// read my.conf, read a.tgz, !pkg.publish
	// read a.tgz
	// read a.tgz, !pkg.publish, sh rm x
}

func ExampleSpec_Match() {
	spec, _ := Lookup("cp")
	use := spec.Match([]Arg{
		{Text: "cp", Static: true}, {Text: "-rt", Static: true}, {Text: "dir", Static: true},
		{Text: "*.go", Glob: true},
	})
	for _, t := range use.Touches {
		fmt.Println(t.Right, t.Flags&Recursive != 0, t.Text, "in word", t.Arg)
	}
	// Output:
	// 2 false dir in word 2
	// 1 true *.go in word 3
}

// An entry that cannot be understood is refused, with its name and line.
func TestParseErrors(t *testing.T) {
	for _, tt := range []struct {
		text, entry string
		line        int
		want        string
	}{
		{"x\n", "x", 1, "no colon"},
		{"x: -f=Q : R*", "x", 1, `"Q"`},
		{"x: : Q*", "x", 1, `"Q"`},
		{"x: sometimes", "x", 1, `"sometimes"`},
		{"x: -f!nope : R*", "x", 1, `"nope"`},
		{"x: !no.rule : R*", "x", 1, `"no.rule"`},
		{"x: -f -f : R*", "x", 1, "twice"},
		{"# mine\nx: : R*\ny: : R*\nx: : W*\n", "x", 4, "twice"},
		{"x: -f\n  with -g: R*", "x", 2, "no colon"},
		{"x: -f\n  with -g : R", "x", 2, "no such option"},
		{"x:\n  word", "x", 2, "neither"},
		{"x:\n  y: -f=Q : R*", "x", 2, `"Q"`},
		{"a: : R*\n\n# two\nx: -a\n  -b=_\n  -c=QQ -d\n  : R*\nz: : R*\n", "x", 6, `"QQ"`},
		{"a: : R*\nx:\n  push:\n    all: !no.rule : _*\n  pull: : _*\n", "x", 4, `"no.rule"`},
	} {
		_, err := Parse(tt.text)
		var bad *ParseError
		if !errors.As(err, &bad) || bad.Entry != tt.entry || bad.Line != tt.line ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("Parse(%q): %v, want entry %s, line %d and %s", tt.text, err, tt.entry,
				tt.line, tt.want)
		}
	}
}

// An own entry replaces the built-in one; everything else stays.
func TestParseReplaces(t *testing.T) {
	table, err := Parse("zz: : R*\nls: : W*\n")
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{"ls a": "write a", "zz a": "read a",
		"rm a": "delete a"} {
		args := argv(line)
		s, ok := table.Lookup(args[0].Text)
		if got := facts(s.Match(args)); !ok || got[0] != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	if _, ok := (Table{}).Lookup("git"); !ok {
		t.Error("the zero Table has no git")
	}
}

// The generic reading finds names, addresses and a command behind a wrapper without an entry.
// (C-3.3.1)
func TestGeneric(t *testing.T) {
	for line, want := range map[string]string{
		"frob a b":                 "",
		"frob /etc/x":              "read+possible /etc/x, write+possible /etc/x",
		"frob --out=/x":            "read+possible /x, write /x",
		"frob -o ./x":              "read+possible ./x, write ./x",
		"frob @./x":                "read+possible ./x, write+possible ./x",
		"frob https://h.test/x":    "net https://h.test",
		"frob -- sudo rm -rf /srv": "run+possible sudo rm -rf /srv",
		"frob /bin/rm x":           "read+possible /bin/rm, write+possible /bin/rm, run+possible /bin/rm x",
		"frob *.go":                "read+possible *.go, write+possible *.go",
	} {
		var s *Spec
		if got := strings.Join(facts(s.Match(argv(line))), ", "); got != want {
			t.Errorf("%s\n\tgot  %s\n\twant %s", line, got, want)
		}
	}
}

// A word that is not known could be an option that does harm; a known beginning, a "--"
// before it, and an entry without such options rule that out.
func TestUnknownWords(t *testing.T) {
	for line, want := range map[string]Right{
		"sort $x": Exec, "sort -- $x": 0, "sort ./$x": 0, "rm $x": Delete, "cat $x": 0,
		"find $x": Delete, "find . -name $x": 0, "find . $x": Delete, "dd $x": Write,
		"git -c $x status": Exec, "sed $x f": Exec, "sed s/a/$x f": 0, "tar $x": Exec,
	} {
		args := argv(line)
		s, _ := Lookup(args[0].Text)
		worst := Right(0)
		for _, o := range s.Match(args).Opaque {
			worst = max(worst, o.Right)
		}
		if worst != want {
			t.Errorf("%s: right %d, want %d", line, worst, want)
		}
	}
}

// Everyday lines of agents have no hazard, no unknown option and nothing that could not be
// read. (notes on benign patterns; C-10.2)
func TestEveryday(t *testing.T) {
	for line := range strings.SplitSeq(strings.TrimSpace(everyday), "\n") {
		args := argv(line)
		s, ok := Lookup(base(args[0].Text))
		if !ok {
			t.Errorf("%s: no entry", line)
			continue
		}
		u := s.Match(args)
		if len(u.Hazards)+len(u.Unknown)+len(u.Opaque) > 0 {
			t.Errorf("%s\n\t%q", line, facts(u))
		}
	}
}

const everyday = `
npm test
npm run lint -- --fix
npm install --save-dev typescript @types/node
npm ci --prefer-offline
npx tsc --noEmit -p .
npx prettier --check src
yarn install --frozen-lockfile
pnpm -r build
node -p "require('./package.json').version"
node --test --experimental-strip-types src
go test ./... -run TestX -count=1 -v
go build -ldflags='-s -w' -o bin/x ./cmd/x
go vet ./...
go mod tidy
go list -m -json all
go tool cover -func=coverage.out
gofmt -l -w .
cargo test --release --all-features
cargo clippy -- -D warnings
python3 -m pytest -q tests
python3 -m venv .venv
python3 -m json.tool data.json
pip install -r requirements.txt
pip install -e .
pip list --outdated
uv run pytest -q
uv pip install -r requirements.txt
poetry install --no-root
pytest -x -q --maxfail=1 -k name tests/unit
ruff check --fix .
black --check .
mypy src
make -j4 build
make -C sub test
cmake -S . -B build -DCMAKE_BUILD_TYPE=Release
cmake --build build -j
ctest --test-dir build
gradle test --info
./gradlew build
mvn -q test
docker ps -a
docker compose logs --tail 5 api
docker compose up -d
docker build -t app:dev .
docker images
docker inspect web
kubectl get pods -n web -o wide
kubectl describe pod x
kubectl logs -f deploy/x --tail=50
terraform plan
terraform validate
terraform fmt -check
helm template . -f values.yaml
aws s3 ls
aws sts get-caller-identity
gh pr list --limit 10
gh pr view 12 --json title,body
gh run view 1 --log-failed
gh issue list -s open
git add -A
git add src/a.ts test/
git commit -m "fix: it"
git commit --amend --no-edit
git --no-pager log --oneline -5
git log --since=1.week -p -- src
git diff --stat HEAD~1
git diff --cached -U3
git show HEAD:src/a.go
git status --short --branch
git branch --show-current
git branch -d merged
git checkout -b feature/x
git switch -c feature/y
git merge --no-ff feature/x
git rebase main
git cherry-pick abc123
git stash
git stash pop
git fetch --all --prune
git tag -l
git rev-parse --abbrev-ref HEAD
git ls-files '*.go'
git blame -L 1,20 src/a.go
git config --get user.name
git config user.email dev@example.test
git remote -v
git restore --staged src/a.ts
git rm --cached old.txt
git mv a.txt b.txt
git worktree list
git submodule update --init
rg -n --hidden -g '!vendor' TODO src
rg --files
rg -l foo -t go
grep -rn --include='*.go' TODO .
grep -v 'no test files'
grep -oE '[0-9]+' f
find . -name '*.go' -not -path './vendor/*' -exec grep -l foo {} +
find . -type f -newer a -print0
fd -e ts . src
sed -n '120,180p' f
sed -i 's/foo/bar/g' a.ts b.ts
sed -E 's/([a-z]+)=(.*)/\2/' f
awk -F: '{print $1}' /etc/passwd
awk 'NR>=10 && NR<=20' f
awk '{a[$1]+=$2} END {for (k in a) print k, a[k]}' f
jq -r '.items[] | .name' p.json
jq '.a=1' p.json
yq '.services | keys' docker-compose.yml
xargs grep -n TODO
xargs -0 -n1 wc -l
cat a b
head -n 40 f
tail -n +5 f
tail -f app.log
ls -la --color=never src
wc -l a b
sort -u -t, -k2,2n a
uniq -c
cut -d, -f1,3 a.csv
tr -d '\r'
tee build.log
diff -ru a b
comm -12 a b
stat -c %s f
du -sh node_modules
df -h
mkdir -p src/x
touch a
cp -r a b
mv a b
ln -s ../a b
chmod +x run.sh
chmod 644 a
tar czf out.tgz src
tar xzf in.tgz -C out
unzip -q a.zip -d out
zip -qr a.zip src
curl -s localhost:8080/health
curl -sf -o /dev/null -w '%{http_code}' http://localhost:3000
curl -X POST -H 'Content-Type: application/json' -d '{"a":1}' localhost:3000/x
wget -qO- http://localhost:3000
timeout 120 npm test
nohup npm run dev
env NODE_ENV=test npm test
time make
bash -lc 'npm run lint'
sh -c 'npm run build && npm test'
ps aux
ps -ef
pgrep -fl node
lsof -i :3000
ss -ltnp
kill %1
which node
uname -a
id -u
date +%s
date -u +%Y-%m-%dT%H:%M:%SZ
hostname
free -m
psql postgres://dev@localhost/test -c '\dt'
psql -h localhost -U dev -d test -c 'select count(*) from users'
sqlite3 dev.db '.tables'
redis-cli -h localhost get key
mysql -h 127.0.0.1 -u root -e 'show tables' test
systemctl status nginx --no-pager
journalctl -u nginx -n 50 --no-pager
openssl rand -hex 16
openssl x509 -in cert.pem -noout -text
ssh-keygen -lf key.pub
base64 -d payload.b64
sha256sum -c SUMS
xxd assets/logo.png
hexdump -C f
file bin/x
strings -n 8 bin/x
nm -C bin/x
ldd bin/x
objdump -d bin/x
gdb -batch -ex run -ex bt ./bin/test
gdb -batch -ex 'info registers' -ex 'print x' ./bin/test core
strace -f -e trace=openat ls
shellcheck -x a.sh
vim -es -c '%s/a/b/ge' -c wq f
perl -pi -e 's/a/b/g' f
perl -ne 'print if /x/' f
ruby -c a.rb
php -l a.php
tsc --noEmit
eslint --fix src
prettier --write src
jest --ci --coverage
vitest run
protoc --go_out=. a.proto
gcc -O2 -Wall -Iinclude -o a a.c -lm
clang-format -i a.c
rsync -a --exclude node_modules src/ backup/
man -k printf
dig +short example.test
ping -c 1 localhost
nc -z localhost 8080
tmux ls
docker exec web ls /app
docker run --rm -v ./src:/src -w /src node:20 npm test
apt list --installed
apt-cache policy bash
dpkg -l
brew list
sleep 5
seq 1 10
printf '%s\n' a
echo "rm -rf /"
test -f x
[ -d x ]
basename a/b.c .c
realpath .
mktemp -d
`

// ReadOnly is said only of lines that change nothing, here or elsewhere.
func TestReadOnly(t *testing.T) {
	for line, want := range map[string]bool{
		"ls -la": true, "git status": true, "git log -p": true, "git diff": true,
		"git branch -vv": true, "git branch": true,
		"git branch x": false, "git branch -d x": false, "git tag": true, "git tag v1": false,
		"git config --get a.b": true,
		"git config a.b c":     false, "git config --unset a.b": false, "git log --output=x": false,
		"git foo":      false,
		"grep -rn x .": true, "rg x": true, "cat a": true, "sed -n 1p f": true,
		"sed -i s/a/b/ f": false, "sort a": true,
		"sort -o a a": false, "find . -name x": true, "find . -delete": false,
		"kubectl get pods": true, "docker ps": true,
		"docker run x": false, "npm test": false, "rm a": false, "date": true, "date -s x": false,
		"hostname":   true,
		"hostname x": false, "dig example.test": true, "dig $x.test": false, "rg --nope x": false,
		"bash": false, "frob": false,
	} {
		args := argv(line)
		s, _ := Lookup(args[0].Text)
		if got := s.Match(args).ReadOnly; got != want {
			t.Errorf("%s: ReadOnly %v, want %v", line, got, want)
		}
	}
}

// What the manual shows of the language, Parse takes.
func TestManual(t *testing.T) {
	manual, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for line := range strings.Lines(string(manual)) {
		if text, ok := strings.CutPrefix(line, "\t"); ok &&
			(len(shown) > 0 || strings.HasPrefix(text, "# deploys")) {
			shown = append(shown, text)
		} else if len(shown) > 0 {
			break
		}
	}
	table, err := Parse(strings.Join(shown, ""))
	if err != nil {
		t.Fatal(err)
	}
	s, ok := table.Lookup("ship")
	if !ok {
		t.Fatal("the manual's entry is not found by its second name")
	}
	got := facts(s.Match(argv("ship -c x.conf --prod push --exec=id a")))
	if missing, extra := compare(got,
		[]string{"read x.conf", "!cloud.change", "sh id", "read a"}); len(missing)+len(extra) > 0 {
		t.Errorf("missing %q, extra %q", missing, extra)
	}
}
