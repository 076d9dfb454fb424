package sandbox

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// fuzzed are calls about files that the broker answers.
var fuzzed = []uintptr{unix.SYS_OPENAT, unix.SYS_MKDIRAT, unix.SYS_UNLINKAT, unix.SYS_RENAMEAT,
	unix.SYS_RENAMEAT2, unix.SYS_LINKAT, unix.SYS_SYMLINKAT, unix.SYS_MKNODAT, unix.SYS_TRUNCATE,
	unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2,
	unix.SYS_UTIMENSAT, unix.SYS_SETXATTR, unix.SYS_FCHMOD}

// fuzzerMain makes such calls with arguments of all kinds, as often as args say.
func fuzzerMain(args []string) {
	n, _ := strconv.Atoi(args[1])
	seed, _ := strconv.ParseUint(args[2], 10, 64)
	_ = os.Chdir(args[0])
	random := rand.New(rand.NewPCG(seed, 0))
	page, err := unix.Mmap(-1, 0, 2<<12, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err == nil {
		err = unix.Mprotect(page[1<<12:], unix.PROT_NONE)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	parts := []string{".env", "conf", "deep", "key", "id", "meta", "config", "hooks", "x", "sub",
		"..", ".", "", "own", "/", args[0], "/proc/self/fd/3", "/proc/self/cwd", "/dev/fd/4", "new",
		args[3], "theirs", strings.Repeat("a", 300), strings.Repeat("b/", 2100), "\xff\x01"}
	var names [][]byte
	for i := range parts {
		for j := range parts {
			names = append(names, append([]byte(parts[i]+"/"+parts[j]), 0),
				append([]byte(parts[i]), 0))
		}
	}
	for _, name := range []string{args[0], args[3], "conf", "."} {
		_, _ = unix.Open(name, unix.O_PATH, 0)
	}
	argument := func() uintptr {
		switch random.IntN(8) {
		case 0:
			return uintptr(random.IntN(10))
		case 1:
			return uintptr(0xffffffffffffff9c) // the working directory
		case 2:
			return uintptr(random.Uint64())
		case 3:
			return uintptr(random.Uint32()) & 0o20007777
		case 4: // a name that ends where the memory does
			name := names[random.IntN(len(names))]
			at := (1 << 12) - min(len(name), 1<<12)
			copy(page[at:1<<12], name)
			return uintptr(unsafe.Pointer(&page[at]))
		default:
			return uintptr(unsafe.Pointer(&names[random.IntN(len(names))][0]))
		}
	}
	for i := range n {
		fd, _, errno := unix.RawSyscall6(fuzzed[random.IntN(len(fuzzed))], argument(), argument(),
			argument(), argument(), argument(), 0)
		if errno == 0 && fd > 10 {
			unix.Close(int(fd))
		}
		if i%64 == 0 {
			unix.Umask(0o22)
			for fd := 11; fd < 40; fd++ {
				unix.Close(fd)
			}
		}
	}
	fmt.Println("fuzzed")
}

// folderState is all that lies in a folder.
func folderState(t *testing.T, dir string) [sha256.Size]byte {
	t.Helper()
	return sha256.Sum256([]byte(tree(dir)))
}

// enterable lets the user of the test into all folders again: their modes are the run's to change.
func enterable(t *testing.T, dir string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode()&0o700 != 0o700 {
			err = hermetic.Chmod(name, info.Mode()|0o700)
		}
		return err
	}))
}

// Whatever the arguments of a call are, guarded files and those of other programs stay as they are,
// and the broker goes on to answer.
func TestFuzzedCalls(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		p, dir := shared(t, guardedTree(t, p))
		ws := p.Write[0].Name
		p.Read = append(p.Read, Path{Name: self(t)})
		outside := t.TempDir()
		must(t, os.WriteFile(outside+"/theirs", []byte("theirs"), 0o600))
		p.Read = append(p.Read, Path{Name: outside})
		for range hermetic.Rounds(10) {
			seed := rand.Uint64()
			guarded, others := guardState(t, ws), folderState(t, outside)
			from, in, _ := os.Pipe()
			process, _, err := Start(p, Command{Path: self(t),
				Argv:  []string{"fuzzer", ws, "3000", fmt.Sprint(seed), outside},
				Files: []*os.File{nil, in, in}})
			in.Close()
			must(t, err)
			said, _ := io.ReadAll(from)
			if s, err := process.Wait(); err != nil || string(said) != "fuzzed\n" {
				t.Fatalf("seed %d: %+v, %v, %q", seed, s, err, said)
			}
			enterable(t, ws)
			if guardState(t, ws) != guarded || folderState(t, outside) != others {
				t.Fatalf("seed %d: something was changed", seed)
			}
			if text, err := os.ReadFile(dir + "/foreign"); string(text) != "theirs\n" {
				t.Fatalf("seed %d: %q, %v", seed, text, err)
			}
		}
	})
}

// floodMain makes calls from many threads at once, and then one more.
func floodMain(args []string) {
	rounds, _ := strconv.Atoi(args[1])
	var threads sync.WaitGroup
	for i := range 64 {
		threads.Go(func() {
			for range rounds {
				name := args[0] + "/flood" + strconv.Itoa(i)
				if fd, err := unix.Open(name, unix.O_CREAT|unix.O_WRONLY, 0o600); err == nil {
					unix.Close(fd)
				}
				_ = unix.Unlink(name)
			}
		})
	}
	threads.Wait()
	fmt.Println("flooded", os.WriteFile(args[0]+"/after", nil, 0o600))
}

// A flood of calls from one run is answered call by call, and holds up no other run.
func TestFlood(t *testing.T) {
	p := Default(t.TempDir(), "")
	p.Require, p.Most = Base, Base
	p = guardedTree(t, p)
	p.Read = append(p.Read, Path{Name: self(t)})
	from, in, _ := os.Pipe()
	process, _, err := Start(p, Command{Path: self(t),
		Argv:  []string{"flood", p.Write[0].Name, strconv.Itoa(hermetic.Rounds(200))},
		Files: []*os.File{nil, in, in}})
	in.Close()
	must(t, err)
	time.Sleep(10 * time.Millisecond)
	q := Default(t.TempDir(), "")
	q.Require, q.Most = Base, Base
	if _, text := shell(t, guardedTree(t, q), "cd "+q.Write[0].Name+
		"; echo x > a; cat a"); text != "x\n" {
		t.Errorf("beside it: %q", text)
	}
	said, _ := io.ReadAll(from)
	if _, err := process.Wait(); err != nil || string(said) != "flooded <nil>\n" {
		t.Errorf("%v, %q", err, said)
	}
}
