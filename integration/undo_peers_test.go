package integration

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A keeper is one way to be able to take a command back. Each script is run by sh with $RUN as the
// command, in a copy of the same files; $KEEP is a folder that lasts for the next command.
type keeper struct {
	name   string
	script string
}

// keepers have in common that all of the tree can be brought back afterwards.
func keepers(run, with, without string) []keeper {
	git := `git --git-dir "$KEEP/git" --work-tree . -c user.name=t -c user.email=t@t -c gc.auto=0`
	hashes := `find . -type f -print0 | sort -z | xargs -0 sha256sum`
	list := []keeper{
		{"the command alone", `sh -c "$RUN"`},
		{"the same sandbox without undo", run + " --home " + without + ` "$RUN"`},
		{"tada-run", run + " --home " + with + ` "$RUN"`},
		{"shadow git, later commands", git + ` add -A && ` + git +
			` commit -qm x --allow-empty; sh -c "$RUN"`},
		{"hash before and after", hashes + ` > "$KEEP/before"; sh -c "$RUN"; ` + hashes +
			` > "$KEEP/after"`},
	}
	overlay := `unshare -Urm sh -c 'rm -rf "$KEEP/o"; mkdir -p "$KEEP/o/up" "$KEEP/o/work" && ` +
		`mount -t overlay overlay -o "lowerdir=$PWD,upperdir=$KEEP/o/up,workdir=$KEEP/o/work" ` +
		`"$PWD" && cd "$PWD" && sh -c "$RUN"'`
	return append(list, keeper{"overlay", overlay})
}

// A change is a command, and what makes its files in the working directory: only ours are compared
// where it says so.
type change struct {
	title, make, run string
	ours             bool
}

// repository is what makes a folder below the home a workspace.
const repository = "git init -q . && "

// many makes five folders of a thousand files.
const many = repository + "for d in 0 1 2 3 4; do mkdir d$d; for f in $(seq 1000); do " +
	"head -c 4096 /dev/urandom > d$d/f$f; done; done; " +
	"echo 'for f in d4/*; do head -c 4096 /dev/zero > $f; done' > rewrite.sh"

// branches makes a repository with two branches, 800 files apart.
const branches = "git init -q -b a . && for f in $(seq 800); do echo one $f > f$f; done && " +
	"git add -A && git -c user.name=t -c user.email=t@t commit -qm a && git checkout -q -b b && " +
	"for f in $(seq 800); do echo two $f > f$f; done && " +
	"git -c user.name=t -c user.email=t@t commit -qam b"

// archive makes an archive of 5,000 files.
const archive = repository + "mkdir t && for f in $(seq 5000); do echo $f > t/f$f; done && " +
	"tar cf t.tar t && rm -rf t"

// goModule makes a Go module that needs some of the standard library.
const goModule = repository + "printf 'module m\\n' > go.mod && printf " +
	"'package main\\nimport \"encoding/json\"\\nfunc main() { json.Valid(nil) }\\n' > main.go"

// TestUndoPeers prints what it costs to be able to take a command back, beside other ways, as the
// median of each round's ratio to the command alone, and how many bytes of disk each takes for it.
// It is a report, as TestPeers.
func TestUndoPeers(t *testing.T) {
	if os.Getenv("BENCH_PEERS") == "" {
		t.Skip("a report for people: BENCH_PEERS=1 go test -run TestUndoPeers -v ./integration")
	}
	run := installed(t, "../cmd/...")
	top := quiet(t)
	without := filepath.Join(top, "without")
	if err := os.MkdirAll(without, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(without, "config.yaml"), []byte("undo: {quota: 0}\n"+
		"rules: {commands: [{program: rm, verdict: allow}, {program: echo, verdict: allow}]}\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []change{
		{"one of 5,000 files is written", many, "echo x >> d1/f1", false},
		{"3,000 of 5,000 files are removed", many, "rm -rf d1 d2 d3", false},
		{"1,000 of 5,000 files are written anew", many, "sh rewrite.sh", false},
		{"git checkout, 800 files", branches, "git checkout -q a", true},
		{"tar x, 5,000 new files", archive, "tar xf t.tar", true},
		{"go build with an empty cache", goModule, "GOCACHE=$PWD/cache go build -o m .", true},
	} {
		undoReport(t, top, c, keepers(run, filepath.Join(top, "with"), without))
	}
}

// undoRounds is how often each way runs each command.
const undoRounds = 8

func undoReport(t *testing.T, top string, c change, list []keeper) {
	whole := filepath.Join(top, "whole")
	timed(t, top, []string{"sh", "-c", `rm -rf "$0"; mkdir "$0" && cd "$0" && ` + c.make, whole})
	if c.ours {
		list = list[:3]
	}
	times, sizes := make([][]float64, len(list)), make([]int, len(list))
	failed := make([]string, len(list))
	first := 0.0
	for round := range undoRounds {
		var bare time.Duration
		for i, k := range list {
			if failed[i] != "" {
				continue
			}
			// Each in a folder of its own: ext4 passes over the inodes of files that were
			// deleted in the last minutes, which takes longer than the commands.
			work := filepath.Join(top, fmt.Sprintf("work-%d-%d", round, i))
			keep := filepath.Join(top, "keep-"+strconv.Itoa(i))
			timed(t, top, []string{"sh", "-c", `cp -a "$1" "$0"; mkdir -p "$2"`, work, whole, keep})
			if strings.HasPrefix(k.name, "shadow git") && round == 0 {
				first = float64(timedIn(t, work, keep, c.run, "git --git-dir $KEEP/git init -q; "+
					k.script)) / float64(bare)
				continue
			}
			before := diskUse(t, top)
			cmd := exec.Command("sh", "-c", k.script)
			cmd.Dir = work
			cmd.Env = append(os.Environ(), "RUN="+c.run, "KEEP="+keep)
			began := time.Now()
			out, err := cmd.CombinedOutput()
			took := time.Since(began)
			if err != nil {
				failed[i] = strings.TrimSpace(string(out))
				continue
			}
			if i == 0 {
				bare = took
			}
			if round > 0 {
				times[i] = append(times[i], float64(took)/float64(bare))
			}
			sizes[i] = diskUse(t, top) - before
		}
	}
	fmt.Printf("\n%s, %d rounds\n\n| | ratio | disk, KiB |\n|---|---|---|\n", c.title, undoRounds-1)
	for i, k := range list {
		if failed[i] != "" {
			fmt.Printf("| %s | not here: %.60q | |\n", k.name, failed[i])
			continue
		}
		if strings.HasPrefix(k.name, "shadow git") {
			fmt.Printf("| shadow git, the first command | %.1f | |\n", first)
		}
		fmt.Printf("| %s | %.2f | %d |\n", k.name, median(times[i]), sizes[i])
	}
	w := slices.IndexFunc(list, func(k keeper) bool { return k.name == "tada-run" })
	pairs := make([]float64, 0, len(times[w]))
	for i := range min(len(times[w]), len(times[w-1])) {
		pairs = append(pairs, times[w][i]/times[w-1][i])
	}
	timed(t, top, []string{"sh", "-c", `rm -rf "$0"/work-*`, top})
	if len(pairs) > 0 {
		fmt.Printf("\ntada-run beside the same sandbox without undo: %.2f\n", median(pairs))
	}
}

func timedIn(t *testing.T, dir, keep, run, script string) time.Duration {
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "RUN="+run, "KEEP="+keep)
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return time.Since(began)
}

// diskUse is what is used on the file system of top, without the files that the commands change, in
// KiB.
func diskUse(t *testing.T, top string) int {
	out, err := exec.Command("du", "-sk", "--exclude=work-*", top).Output()
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.Fields(string(out))[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}
