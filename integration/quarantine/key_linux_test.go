package quarantine

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// D-sess-3, D-lim-3: after the end, the key is nowhere in this process's memory, in any of the
// forms in which it was stored.
func TestKeyIsGone(t *testing.T) {
	key := make([]byte, keySize)
	rand.Read(key)
	needles := make([][]byte, 3) // stored in a form that the search does not match
	for i, pad := range []byte{0, 0x36, 0x5c} {
		for _, b := range key {
			needles[i] = append(needles[i], b^pad^0xaa)
		}
	}
	var all Sessions
	s, err := all.Create(Options{Root: testRoot(t),
		Random: io.MultiReader(io.LimitReader(rand.Reader, 16), bytes.NewReader(key))})
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if _, err := s.Verify(mustRefer(t, s, "main.go").URI()); err != nil {
			t.Fatal(err)
		}
	}
	free := s.key.free
	s.key.free = func(page []byte) error { // a page that is freed cannot be examined any more
		if slices.ContainsFunc(page, func(b byte) bool { return b != 0 }) {
			t.Error("the key is given back and not zeroed")
		}
		return free(page)
	}
	page := s.key.page
	if !bytes.Equal(xor(page[:keySize], 0x36^0xaa), needles[0]) {
		t.Fatal("the key is not where this test looks for it")
	}
	if err := all.Destroy(s.ID); err != nil {
		t.Fatal(err)
	}
	clear(key)
	if held := findInMemory(t, needles); held != "" {
		t.Errorf("the key is still in memory: %s", held)
	}
	if s.key.page != nil {
		t.Error("the page is still there")
	}
}

func xor(b []byte, with byte) []byte {
	out := make([]byte, len(b))
	for i := range b {
		out[i] = b[i] ^ with
	}
	return out
}

// findInMemory searches all writable memory of this process.
func findInMemory(t *testing.T, needles [][]byte) string {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skipf("no /proc/self/maps: %v", err)
	}
	mem, err := os.Open("/proc/self/mem")
	if err != nil {
		t.Skipf("this process may not read its own memory: %v", err)
	}
	defer mem.Close()
	looked := 0
	for line := range strings.Lines(string(maps)) {
		var from, to uint64
		var rights string
		if n, _ := fmt.Sscanf(line, "%x-%x %s", &from, &to, &rights); n != 3 ||
			!strings.HasPrefix(rights, "rw") || to-from > 1<<28 {
			continue
		}
		text := make([]byte, to-from)
		if _, err := mem.ReadAt(text, int64(from)); err != nil {
			continue
		}
		looked++
		for i, n := range needles {
			n = xor(n, 0xaa)
			at := bytes.Index(text, n)
			clear(n)
			if at >= 0 {
				return fmt.Sprintf("form %d in %s", i, strings.TrimSpace(line))
			}
		}
		clear(text)
	}
	if looked < 5 {
		t.Fatalf("looked at %d maps only", looked)
	}
	return ""
}

// D-sess-3: a key is in memory that no core dump, swap file or child gets, with secret memory and
// without.
func TestKeyPageStaysHere(t *testing.T) {
	for name, make := range map[string]func() ([]byte, error){
		"as this kernel has it": secretPage,
		"locked":                func() ([]byte, error) { return lockedPage(unix.Getpagesize()) },
	} {
		page, err := make()
		if err != nil {
			t.Fatal(err)
		}
		file, flags := mapped(t, uintptr(unsafe.Pointer(&page[0])))
		if secret := strings.HasPrefix(file,
			"/secretmem"); secret != (name != "locked" && hasSecretMemory()) {
			t.Errorf("%s: the page is of %q", name, file)
		}
		for _, flag := range []string{"dd", "lo", "dc"} {
			// proc(5): left out of dumps, locked, not copied by fork
			if !slices.Contains(flags, flag) {
				t.Errorf("%s: the page has the flags %q, without %s", name, flags, flag)
			}
		}
		_ = unix.Munmap(page)
	}
}

// hasSecretMemory reports whether the kernel has memory that it does not map itself: called with
// invalid flags, it says whether the system call exists.
func hasSecretMemory() bool {
	fd, err := unix.MemfdSecret(0)
	_ = unix.Close(fd)
	return err == nil
}

// mapped returns what the kernel says about the memory at an address: its file, and its flags.
func mapped(t *testing.T, at uintptr) (file string, flags []string) {
	t.Helper()
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut("\n"+string(smaps), fmt.Sprintf("\n%x-", at))
	first, rest, _ := strings.Cut(rest, "\n")
	_, rest, flagged := strings.Cut(rest, "\nVmFlags:")
	if !found || !flagged {
		t.Fatalf("the kernel tells nothing of %x", at)
	}
	if f := strings.Fields(first); len(f) > 5 {
		// proc(5): after the address, rights, offset, device and inode
		file = f[5]
	}
	line, _, _ := strings.Cut(rest, "\n")
	return file, strings.Fields(line)
}

// D-sess-3, D-lim-3: neither a file nor an answer contains the key in any spelling, while the
// session works and after its end.
func TestKeyIsInNoFile(t *testing.T) {
	key := make([]byte, keySize)
	rand.Read(key)
	b, c := startBroker(t, func(o *Options) {
		o.Random = io.MultiReader(io.LimitReader(rand.Reader, 16), bytes.NewReader(key))
	})
	ctx, all := t.Context(), filepath.Dir(t.TempDir()) // all directories of this test lie in it
	a := registered(t, b, "reviewer")
	about, err := c.About(ctx)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = c.Enforce(ctx, Call{Agent: "reviewer", Tool: "Bash"}) // is in the log at once
	if told, err := json.Marshal([]any{a, about}); err != nil || spells(told, key) {
		t.Errorf("who asks is told the key: %s, %v", told, err)
	}
	if seen := filesWith(t, all, key); seen < 4 {
		t.Errorf("only %d files are looked at", seen)
	}
	if err := c.End(ctx); err != nil {
		t.Fatal(err)
	}
	filesWith(t, all, key)
}

// filesWith fails for each file below dir that contains the key, and returns the number of files.
func filesWith(t *testing.T, dir string, key []byte) (seen int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		seen++
		text, err := os.ReadFile(path)
		if spells(text, key) {
			t.Errorf("the key stands in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return seen
}

// spells reports whether text contains the key, as bytes or in a usual encoding.
func spells(text, key []byte) bool {
	const whole = keySize / 3 * 4 // letters of base64 that depend on the key alone
	return bytes.Contains(text, key) ||
		bytes.Contains(bytes.ToLower(text), []byte(hex.EncodeToString(key))) ||
		bytes.Contains(text, []byte(base64.StdEncoding.EncodeToString(key)[:whole])) ||
		bytes.Contains(text, []byte(base64.URLEncoding.EncodeToString(key)[:whole]))
}

// D-lim-2, D-sess-3: another process of the same user can read neither the memory of a process that
// was hardened nor, if the kernel has secret memory, the key of one that was not.
func TestMemoryIsClosed(t *testing.T) {
	if os.Getenv("QUARANTINE_HOLDER") != "" {
		if err := Harden(); err != nil {
			t.Fatal(err)
		}
		var all Sessions
		s, err := all.Create(Options{Root: "/"})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%p\n", &s.key.page[0])
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	holder := exec.Command("/proc/self/exe", "-test.run=^TestMemoryIsClosed$")
	holder.Env = append(os.Environ(), "QUARANTINE_HOLDER=1")
	holder.Dir = "/"
	asNobody(holder)
	in, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); _ = holder.Wait() }()
	var address uint64
	if _, err := fmt.Fscanf(out, "0x%x\n", &address); err != nil {
		t.Fatal(err)
	}
	reader := exec.Command("/bin/sh", "-c", fmt.Sprintf("exec 3< /proc/%d/mem", holder.Process.Pid))
	asNobody(reader)
	if text, err := reader.CombinedOutput(); err == nil ||
		!bytes.Contains(text, []byte("ermission denied")) {
		t.Errorf("another process of the same user opens the memory: %v, %s", err, text)
	}
	if os.Getuid() != 0 {
		return
	}
	if !hasSecretMemory() {
		t.Log("this kernel has no memfd_secret: root can read the key")
		return
	}
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", holder.Process.Pid))
	if err != nil {
		return
	}
	defer mem.Close()
	if n, err := mem.ReadAt(make([]byte, keySize), int64(address)); err == nil {
		t.Errorf("root reads %d bytes of the key", n)
	}
}

// soften undoes Harden, for later tests: in production one process makes one session, here it makes
// many.
func soften() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) }

// asNobody makes root's command one of an ordinary user; another user's is unchanged.
func asNobody(c *exec.Cmd) {
	if os.Getuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534,
			Gid: 65534}}
	}
}
