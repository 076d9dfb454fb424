package launcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/launcher/undo"
)

// spoilers try to change or lose a file of which nothing is kept, or to spoil what is kept of it.
// Each is a program in Python with the files keep/0 to keep/39, which begin with "precious", and
// with rounds of a race.
var spoilers = []struct{ name, program string }{
	{"one thread writes, one removes", `
def write(i):
    with contextlib.suppress(OSError):
        with open(f'keep/{i}', 'r+') as f: f.write('SPOILED')
def remove(i):
    with contextlib.suppress(OSError): os.unlink(f'keep/{i}')
for i in range(40): both(lambda: write(i), lambda: remove(i))
`},
	{"a name that is exchanged while it is removed", `
open('bait', 'w').close()
libc = ctypes.CDLL(None, use_errno=True)
def swap():
    for _ in range(rounds): libc.renameat2(-100, b'bait', -100, b'keep/1', 2)
def remove():
    for _ in range(rounds):
        with contextlib.suppress(OSError): os.unlink('bait')
        with contextlib.suppress(OSError): open('bait', 'x').close()
both(swap, remove)
`},
	{"a path that is swapped in memory", `
libc = ctypes.CDLL(None, use_errno=True)
path = ctypes.create_string_buffer(b'keep/01')
open('keep/01', 'w').close()
def swap():
    for n in range(20 * rounds): path[6] = b'12'[n % 2]; path[5] = b'0\0'[n % 2]
def remove():
    for n in range(rounds):
        libc.unlink(path); libc.truncate(path, 0); libc.rename(path, b'keep/3')
both(swap, remove)
`},
	{"a hard link made before", `
os.link('keep/2', 'other')
os.unlink('keep/2')
with contextlib.suppress(OSError): open('other', 'w').write('SPOILED')
`},
	{"a descriptor that writes after the file is gone", `
f = open('keep/4', 'r+')
os.unlink('keep/4')
f.write('SPOILED'); f.flush()
`},
	{"a file that is opened again by its descriptor", `
f = open('keep/5')
os.unlink('keep/5')
with contextlib.suppress(OSError):
    with open(f'/proc/self/fd/{f.fileno()}', 'r+') as g: g.write('SPOILED')
with contextlib.suppress(OSError): os.truncate(f'/proc/self/fd/{f.fileno()}', 0)
`},
	{"mapped memory", `
f = open('keep/6', 'r+')
m = mmap.mmap(f.fileno(), 0)
os.unlink('keep/6')
m[0:7] = b'SPOILED'; m.flush()
`},
	{"another name where nothing is kept", `
for name in ('keep/7', 'keep/8'):
    with contextlib.suppress(OSError): os.link(name, '/tmp/' + away)
    with contextlib.suppress(OSError): os.rename(name, '/tmp/' + away)
    with contextlib.suppress(OSError):
        with open('/tmp/' + away, 'w') as f: f.write('SPOILED')
with contextlib.suppress(OSError): os.rename('keep', '/tmp/' + away + '.d')
`},
	{"a folder that moves while its files go", `
def move():
    for _ in range(rounds):
        with contextlib.suppress(OSError): os.rename('keep', 'moved')
        with contextlib.suppress(OSError): os.rename('moved', 'keep')
def remove():
    for n in range(rounds):
        with contextlib.suppress(OSError): os.unlink(f'keep/{n % 40}')
        with contextlib.suppress(OSError): open(f'moved/{n % 40}', 'w').write('SPOILED')
both(move, remove)
`},
	{"names that lead through links", `
os.symlink('keep', 'way'); os.mkdir('decoy')
for n in range(40): open(f'decoy/{n}', 'w').close()
def turn():
    for n in range(rounds):
        os.symlink(['keep', 'decoy'][n % 2], 'new'); os.rename('new', 'way')
def remove():
    for n in range(rounds):
        with contextlib.suppress(OSError): os.unlink(f'way/{n % 40}')
        with contextlib.suppress(OSError): os.truncate(f'way/{(n + 7) % 40}', 0)
both(turn, remove)
`},
	{"replaced at the same time", `
def replace(text):
    for n in range(rounds):
        with contextlib.suppress(OSError):
            open(text, 'w').write(text); os.rename(text, f'keep/{n % 40}')
both(lambda: replace('SPOILED1'), lambda: replace('SPOILED2'))
`},
}

const spoilerHead = `import contextlib, ctypes, mmap, os, threading
def both(*work):
    threads = [threading.Thread(target=w) for w in work]
    for t in threads: t.start()
    for t in threads: t.join()
`

// Where undo stands for a question, no race inside of the run and no other name of a file spoils
// what is kept: all comes back as it was.
func TestWhatStandsForAQuestionIsKept(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	for _, level := range []sandbox.Level{sandbox.Base, sandbox.Strong} {
		for _, s := range spoilers {
			t.Run(level.String()+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				spoil(t, level, s.program)
			})
		}
	}
}

func spoil(t *testing.T, level sandbox.Level, program string) {
	l, req := world(t)
	if l.level() < level {
		t.Skip("this machine has no such sandbox")
	}
	l.level = func() sandbox.Level { return level }
	l.stands = true
	keep := filepath.Join(req.Dir, "keep")
	away := "tada-spoiled-" + filepath.Base(filepath.Dir(filepath.Dir(req.Dir)))
	t.Cleanup(func() {
		os.Remove("/tmp/" + away)
		os.RemoveAll("/tmp/" + away + ".d")
	})
	head := fmt.Sprintf("%srounds, away = %d, %q\n", spoilerHead, hermetic.Rounds(400), away)
	err := errors.Join(os.Mkdir(keep, 0o755), os.WriteFile(filepath.Join(req.Dir, "spoil.py"),
		[]byte(head+program), 0o644))
	for n := range 40 {
		err = errors.Join(err, os.WriteFile(filepath.Join(keep, strconv.Itoa(n)),
			[]byte("precious "+strconv.Itoa(n)+strings.Repeat(".", n*1000)), 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
	before := tree(t, req.Dir)
	req.Shell.Text, req.Stdio, req.PTY = "python3 spoil.py", nowhere(t), session.Never
	req.Ask = approves
	out, err := l.Run(context.Background(), req)
	if err != nil || out.Refusal != nil {
		t.Fatalf("%v %+v", err, out.Refusal)
	}
	if out.Status != 0 {
		t.Errorf("it ended with %d", out.Status)
	}
	if len(unlike(before, tree(t, req.Dir))) == 0 && !strings.Contains(program, "away") {
		t.Error("it changed nothing")
	}
	r, err := l.Undo(undo.Take{Runs: []string{out.Session}}, ordered("undo", req.Dir))
	if err != nil && len(unlike(before, tree(t, req.Dir))) > 0 {
		t.Fatal(err)
	}
	if left := unlike(before, tree(t, req.Dir)); len(left) > 0 {
		t.Errorf("not undone (%v, %v):\n%s\n%v", out.Reversible, out.Lacks,
			strings.Join(left, "\n"), r.Steps)
	}
}
