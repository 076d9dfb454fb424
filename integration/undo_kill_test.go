package integration

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// changing is a command that changes files in many ways.
const changing = `for n in 1 2 3 4 5 6; do rm -r d$n/x; echo more >> f$n; mv g$n d$n/; ` +
	`echo new > n$n; cp d1/y d$n/y; chmod 600 d$n/z; mkdir e$n; ln -sf f$n l; rm -f h$n; done`

// A run that SIGKILL ends at any moment, its launcher and all, can be taken back, also after
// SIGKILL at any moment of an undo: then the files are as before the run.
func TestUndoOfWhatWasKilled(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	r := rand.New(rand.NewPCG(1, 2))
	changed := 0
	for round := range hermetic.Rounds(60) {
		furnish(t, p.dir)
		before := digest(t, p.dir)
		p.killed("tada-run '"+changing+"'", time.Duration(r.Int64N(int64(40*time.Millisecond))))
		if digest(t, p.dir) == before {
			continue
		}
		changed++
		for range r.IntN(3) {
			p.killedAtUndo(time.Duration(r.Int64N(int64(40 * time.Millisecond))))
		}
		out := p.answered(undoNewest + " 2>&1")
		if now := digest(t, p.dir); now != before {
			t.Fatalf("round %d: %s\n%s", round, out, apart(before, now))
		}
	}
	t.Logf("%d of %d had changed something", changed, hermetic.Rounds(60))
	if out := p.run("tadactl audit verify"); !strings.HasPrefix(out, "ok: ") {
		t.Error(out)
	}
}

// killed starts a line, and kills what it started some time after the first change.
func (p *place) killed(line string, after time.Duration) {
	p.t.Helper()
	cmd := p.command("exec " + line)
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	for range 30_000 {
		if _, err := os.Lstat(filepath.Join(p.dir, "d1/x/a")); err != nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	time.Sleep(after)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	ended(p.t, p.dir)
}

// killedAtUndo starts an undo of the newest run, and kills it some time after the answer.
func (p *place) killedAtUndo(after time.Duration) {
	p.t.Helper()
	file := filepath.Join(filepath.Dir(p.dir), "pid")
	s, t := p.asPerson("echo $$ > " + file + "; exec " + undoNewest)
	if _, err := s.showsOne("type yes: "); err == nil {
		fmt.Fprint(t, "yes\r")
		time.Sleep(after)
	}
	text, err := os.ReadFile(file)
	pid, err2 := strconv.Atoi(strings.TrimSpace(string(text)))
	if err := errors.Join(err, err2); err != nil {
		p.t.Fatal(err)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	_ = t.Wait()
	ended(p.t, p.dir)
}

// undoNewest takes the newest run back, whatever undos came after it.
const undoNewest = "tadactl undo " +
	"$(tadactl sessions | grep -v 'tadactl undo' | tail -1 | cut -d' ' -f1)"

// furnish makes the files of a workspace anew.
func furnish(t *testing.T, dir string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for n := range 7 {
		for _, name := range []string{"f%d", "g%d", "h%d", "d%d/x/a", "d%d/x/b", "d%d/y", "d%d/z"} {
			write(t, filepath.Join(dir, fmt.Sprintf(name, n)), fmt.Sprint(name, n))
		}
	}
}

// digest has a line for each name in a folder: mode, size or target, time, and content.
func digest(t *testing.T, dir string) string {
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
		var content []byte
		switch {
		case info.Mode().IsRegular():
			content, err = os.ReadFile(name)
		case info.Mode().Type() == fs.ModeSymlink:
			var to string
			to, err = os.Readlink(name)
			content = []byte(to)
		}
		fmt.Fprintf(&b, "%s %v %d %x\n", strings.TrimPrefix(name, dir), info.Mode(),
			info.ModTime().UnixNano(), sha256.Sum256(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// apart returns the lines that only one of two texts has.
func apart(before, after string) string {
	var b strings.Builder
	for _, side := range [][3]string{{"-", before, after}, {"+", after, before}} {
		for line := range strings.Lines(side[1]) {
			if !strings.Contains(side[2], line) {
				b.WriteString(side[0] + line)
			}
		}
	}
	return b.String()
}
