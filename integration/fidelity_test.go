package integration

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// fidelity are the programs that start a shell of the user's choice. Each line runs twice in a
// fresh directory, with $SH as bash and as tada-run under a shell's name, and prints the same.
var fidelity = []struct {
	name  string
	needs []string
	files map[string]string
	run   string
}{
	{"make", []string{"make"}, map[string]string{"Makefile": `
export GREETING = hello
all: sub
	@echo "$$GREETING"; for i in 1 2; do echo $$i; done
	@printf '%s\n' "$(shell echo from shell)" >&2
	@test -t 0 || echo no terminal; exit 3
sub:
	@test -d . && echo sub | tr a-z A-Z
`}, `make -s -j2 SHELL=$SH all`},

	{"configure", []string{"autoconf", "git"}, map[string]string{"configure.ac": `
AC_INIT([x],[1])
AC_CONFIG_SRCDIR([configure.ac])
AC_CHECK_PROGS([AWK],[gawk mawk awk])
AC_CHECK_FILE([/etc/passwd])
AC_CONFIG_FILES([out])
AC_OUTPUT
`, "out.in": "v=@PACKAGE_VERSION@ @AWK@ @srcdir@\n"}, `git init -q . && autoconf && mkdir b && cd b && CONFIG_SHELL=$SH $SH ../configure --srcdir=.. && cat out && grep -c . config.status`},

	{"npm", []string{"npm", "node"},
		map[string]string{"package.json": `{"name":"x","version":"1.0.0","scripts":{
	"prebuild":"echo before","build":"echo \"$npm_package_version\" && echo args: ","fail":"exit 7"}}`},
		`npm run --silent --script-shell=$SH build -- one 'two three'; npm run --silent --script-shell=$SH fail; echo $?`},

	{"git hooks", []string{"git"}, map[string]string{"hook": `#!/usr/bin/env bash
echo "hook $0 $(git diff --cached --name-only)" >&2
[[ $(git diff --cached --name-only) != *bad* ]]
`}, `git init -q -b main . && git config user.name x && git config user.email x@example.com &&
install -m 755 hook .git/hooks/pre-commit && touch good bad && PATH=$SHIMS:$PATH &&
git add good && git commit -q -m good; echo $?; git add bad && git commit -q -m bad; echo $?; git log --format=%s`},

	{"xargs", nil, map[string]string{"list": "a\nb c\n"},
		`xargs -d '\n' -n1 -P1 $SH -c 'echo "<$1>"; exit 1' x < list; echo $?`},
	{"find", nil, map[string]string{"d/one": "1", "d/two": "22"},
		`find d -type f -exec $SH -c 'wc -c < "$1"' x {} \; | sort; find d -type f -execdir $SH -c 'echo $0 $#' {} + | sort`},
	{"parallel", []string{"parallel"}, nil,
		`SHELL=$SH PARALLEL_SHELL=$SH parallel --will-cite -k -j2 'echo {} $((6*7)); exit {}' ::: 0 1 2; echo $?`},

	{"bats", []string{"bats"}, map[string]string{"t.bats": `
setup() { x=1; }
@test "adds" { run bash -c 'echo $((x+1))'; [ "$output" = 1 ]; }
@test "fails" { run false; [ "$status" -eq 1 ]; }
@test "breaks" { echo told; false; }
`}, `PATH=$SHIMS:$PATH bats --tap t.bats; echo $?`},

	{"tmux", []string{"tmux"}, nil, `tmux -L fidelity-$$ -f /dev/null new-session -d -x 80 -y 24 \; set -g default-shell $SH \; set -g remain-on-exit on \;` +
		` new-window 'echo in tmux; stty size; tty | cut -c1-8; exit 5' \; run-shell -d 0 true
for i in $(seq 100); do d=$(tmux -L fidelity-$$ list-panes -t :1 -F '#{pane_dead}'); [ "$d" = 1 ] && break; sleep 0.1; done
tmux -L fidelity-$$ capture-pane -p -S - -t :1 | grep -v '^$' | head -3; echo "$d"; tmux -L fidelity-$$ kill-server`},

	{"script file", nil, map[string]string{"s.sh": "#!/bin/sh\ncd \"$(dirname \"$0\")\" && echo $0 $# \"$@\" && cat <<E\n$1\nE\nread x; echo \"read $x\"; kill -TERM $$\n"},
		`echo line | $SH -e ./s.sh a 'b c'; echo $?`},
	{"standard input", nil, nil, `printf 'echo one\ncat <<E\nhere $((1+1))\nE\nexit 4\n' | $SH; echo $?; $SH -s a b <<< 'echo $2 $#'`},
	{"options", nil, nil, `$SH -ec 'false; echo no'; echo $?; $SH -o pipefail -c 'false | true'; echo $?; $SH -uc 'echo $unset' 2>/dev/null; echo $?; $SH -c 'echo $0 $1' name one; $SH -c 'exec false'; echo $?; $SH -c 'nosuchcommand' 2>/dev/null; echo $?`},
	{"lines", nil, nil, `$SH -euo pipefail -c 'echo a; (nosuch; true); nosuch' x; $SH -xc $'if true; then nosuch; fi; true\n# comment\n\n  nosuch; (cd nowhere)\necho $LINENO' x
$SH -c $'cat <<E\ntext\nE\nnosuch' x; printf 'true; nosuch\n\nnosuch; echo $LINENO\n' | $SH 2>&1 | sed 's/.*: line/line/'`},
	{"syntax errors", nil, nil, `for t in 'if then' 'echo $(if)' "echo 'a" ')' 'for' '[[ a' "eval 'if then'" "bash -c 'if then'" "sh -c 'if then'" "exec sh -c 'if then'" $'case x in\n'; do
	$SH -c "$t" x; echo $?; $SH -euo pipefail -c "$t" x; echo $?
done; $SH -c "eval 'if then' </dev/null && pwd -P" x; echo 'if then' | $SH 2>&1 | sed 's/.*: line/line/'`},
	{"process substitution", nil, nil,
		`$SH -c 'seq 100000 > >(sleep 0.05; tail -1)' | cat; $SH -c 'seq 3 2>&1 > >(tee log)' | cat; cat log; $SH -c 'echo a 2> >(cat >&2) >&2' 2>&1 | cat`},
	{"descriptors", nil, nil, `$SH -c 'echo to err >&2; echo to out' 2>&1 >/dev/null; $SH -c 'cat' < /etc/hostname | wc -l; echo x | $SH -c 'read a; echo $a' <&0; $SH -c 'echo appended' >> file; $SH -c 'echo again' >> file; cat file; $SH -c 'read a; echo $a; exec cat' < file`},
	{"signals", nil, nil, `{ $SH -c 'kill -KILL $$'; } 2>/dev/null; echo $?; $SH -c 'kill -PIPE $$'; echo $?; $SH -c 'trap "echo term; exit 9" TERM; kill $$; sleep 1'; echo $?; $SH -c 'yes' | head -1`},
}

// As a shell, tada-run makes no difference to the programs with which people start shells.
func TestFidelity(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range fidelity {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			need(t, test.needs...)
			want, wantStatus := shellUsed(t, test.files, test.run, "/bin/bash", "")
			got, status := shellUsed(t, test.files, test.run, "", self)
			if got != want || status != wantStatus {
				t.Errorf("%s\nwith bash, status %d:\n%s\nwith tada-run, status %d:\n%s", test.run,
					wantStatus, want, status, got)
			}
			if want == "" {
				t.Error("nothing was said, so nothing was compared")
			}
		})
	}
}

// shellUsed runs a line with $SH and $SHIMS in a fresh workspace. With shim, both are made from
// that program; without, $SHIMS is an empty directory.
func shellUsed(t *testing.T, files map[string]string, line, sh,
	shim string) (out string, status int) {
	t.Helper()
	dir := t.TempDir()
	work, shims := filepath.Join(dir, "work"), filepath.Join(dir, "work", "shims")
	if err := os.MkdirAll(shims, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(work, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			hermetic.WriteProgram(path, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	if shim != "" {
		sh = filepath.Join(shims, "tada-sh")
		for _, name := range []string{"tada-sh", "bash"} {
			program, err := os.ReadFile(shim)
			if err == nil {
				err = hermetic.WriteProgram(filepath.Join(shims, name), program,
					0o755)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd := exec.Command("/bin/bash", "-c", line)
	cmd.Dir = work
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + work, "LANG=C.UTF-8", "TERM=xterm",
		"TMPDIR=" + os.TempDir(),
		"SH=" + sh, "SHIMS=" + shims, "TRANSCRIPT_HOME=" + filepath.Join(dir, "state"),
	}
	var both bytes.Buffer
	cmd.Stdout, cmd.Stderr = &both, &both
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	text := strings.NewReplacer(sh, "SH", dir, "DIR").Replace(both.String())
	return text, cmd.ProcessState.ExitCode()
}
