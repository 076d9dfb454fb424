package walk

import (
	"fmt"
	"math/rand"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/pathguard/pathname"
)

func walkOnce(t testing.TB, dir, name string, follow bool) End {
	t.Helper()
	w, err := New()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	from := w.Walk(w.Root, dir, true)
	defer from.Close()
	start := Dir{from.FD, from.Real}
	if from.Missing != "" {
		start = Dir{-1, pathname.Join(from.Real, from.Missing)}
	}
	w.WorkDir = start
	end := w.Walk(start, name, follow)
	end.Close()
	return end
}

// TestWalk is the kernel's path walk as a table: path_resolution(7), symlink(7), proc(5).
func TestWalk(t *testing.T) {
	root := hermetic.Tree(t, "d/e/f", "d/g", "up -> d/e", "abs -> @/d/g", "loop -> loop", "a -> b",
		"b -> a", "dangling -> nowhere/x",
		"chain1 -> chain2", "chain2 -> chain3", "chain3 -> d", "out -> /etc", "self -> .", "file/",
		"dot -> ./d/../d/./g", "slash -> d/e/")
	long := strings.Repeat("n", 256)
	tests := []struct {
		name    string
		follow  bool
		real    string // below root, unless it starts with /
		missing string
		links   int
		why     string
	}{
		{"d/g", true, "d/g", "", 0, ""},
		{"./d//g", true, "d/g", "", 0, ""},
		{"up", true, "d/e", "", 1, ""},
		{"up", false, "up", "", 0, ""},
		{"up/", false, "d/e", "", 1, ""},    // a trailing slash follows
		{"up/..", true, "d", "", 1, ""},     // ".." is the parent of what the link points to
		{"up/../g", true, "d/g", "", 1, ""}, // and not of the link
		{"d/e/../../d/g", true, "d/g", "", 0, ""},
		{"abs", true, "d/g", "", 1, ""},
		{"dot", true, "d/g", "", 1, ""},
		{"slash/f", true, "d/e/f", "", 1, ""},
		{"chain1/g", true, "d/g", "", 3, ""},
		{"self/self/self/d/g", true, "d/g", "", 3, ""},
		{"out/passwd", true, "/etc/passwd", "", 1, ""},
		{"out/../etc/passwd", true, "/etc/passwd", "", 1, ""},
		{"loop", true, "", "loop", 41, "too many levels of symbolic links"},
		{"loop", false, "loop", "", 0, ""},
		{"a/x", true, "", "a/x", 41, "too many levels of symbolic links"},
		{"dangling", true, "", "nowhere/x", 1, ""},
		{"dangling", false, "dangling", "", 0, ""},
		{"new/sub/file", true, "", "new/sub/file", 0, ""},
		{"new/../d/g", true, "d/g", "", 0, ""}, // by text: the script may make "new" first
		{"new/../../../" + strings.Repeat("../", 40) + "etc/passwd", true, "/etc/passwd", "", 0,
			""},
		{"d/g/x", true, "d/g", "x", 0, "not a directory"},
		{"d/" + long, true, "d", long, 0, "a name is longer than NAME_MAX"},
		{strings.Repeat("d/../", 900) + "d/g", true, "", strings.Repeat("d/../", 900) + "d/g", 0,
			"the name is longer than PATH_MAX"},
		{"/proc/self/cwd/d/g", true, "d/g", "", 2, ""},
		{"/proc/thread-self/cwd/d/g", true, "d/g", "", 2, ""},
		{"/proc/self/task/1/cwd/d/g", true, "d/g", "", 2, ""},
		{"/proc/self/task/1/../../cwd/d/g", true, "d/g", "", 2, ""},
		{"/dev/fd/../cwd/d/g", true, "d/g", "", 3, ""},
		{"/proc/self/../../etc/passwd", true, "/etc/passwd", "", 1, ""},
		{"/proc/self/fd/../../self/cwd/d/../d/g", true, "d/g", "", 3, ""},
		{"/proc/self/fd/..", true, "/proc", "self", 1, ""},
		{"/proc/self/root/etc/passwd", true, "/etc/passwd", "", 2, ""},
		{"/proc/self/environ", true, "/proc", "self/environ", 1, ""},
		{"/dev/fd/3", true, "/proc", "self/fd/3", 2, ""},
		{"/dev/stdin", true, "/proc", "self/fd/0", 2, ""},
		{"d/g/..", true, "d/g", "..", 0, "not a directory"},
		{"\xff\n\x01", true, "", "\xff\n\x01", 0, ""},
	}
	for _, tt := range tests {
		end := walkOnce(t, root, tt.name, tt.follow)
		want := tt.real
		if !strings.HasPrefix(want, "/") {
			want = strings.TrimSuffix(root+"/"+want, "/")
		}
		if end.Real != want || end.Missing != tt.missing {
			t.Errorf("%.60q follow=%v: at %q missing %.60q; want %q missing %.60q", tt.name,
				tt.follow, end.Real, end.Missing, want, tt.missing)
		}
		if n := len(end.Links); tt.links > 0 && tt.links < 41 && n > tt.links+1 ||
			tt.links == 41 && n != 41 {
			t.Errorf("%.60q: %d links %q", tt.name, n, end.Links)
		}
		if tt.why != "" && end.Why != tt.why {
			t.Errorf("%.60q: why %q, want %q", tt.name, end.Why, tt.why)
		}
	}
}

// TestWalkOtherProcess jumps through another process's magic links as the kernel does, and
// says that it did.
func TestWalkOtherProcess(t *testing.T) {
	end := walkOnce(t, "/", fmt.Sprintf("/proc/%d/root/etc/passwd", os.Getpid()), true)
	if end.Real != "/etc/passwd" || end.Kind != Foreign {
		t.Errorf("at %q kind %v", end.Real, end.Kind)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	end = walkOnce(t, "/", fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), r.Fd()), true)
	if end.Kind != Foreign || end.Missing == "" {
		t.Errorf("a pipe: at %q missing %q kind %v", end.Real, end.Missing, end.Kind)
	}
}

// TestWalkUnreadable goes on by text behind a directory that may not be searched.
func TestWalkUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("needs an ordinary user: root may search every directory")
	}
	root := hermetic.Tree(t, "shut/in/f")
	os.Chmod(root+"/shut", 0)
	defer os.Chmod(root+"/shut", 0o755)
	end := walkOnce(t, root, "shut/in/../in/f", true)
	if end.Real != root+"/shut" || end.Missing != "in/f" || end.Why != "permission denied" {
		t.Errorf("at %q missing %q why %q", end.Real, end.Missing, end.Why)
	}
}

// TestWalkVanished resolves by text from a directory that is gone.
func TestWalkVanished(t *testing.T) {
	root := hermetic.Tree(t, "gone/")
	os.Remove(root + "/gone")
	end := walkOnce(t, root+"/gone", "../x/./y", true)
	if got := pathname.Join(end.Real, end.Missing); got != root+"/x/y" {
		t.Errorf("at %q", got)
	}
}

// TestWalkLikeKernel holds the walk against the kernel itself: random trees of links, random
// names; where open(2) finds a file, the walk finds the same inode under the name that the
// kernel gives it.
func TestWalkLikeKernel(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewSource(1))
	names := []string{"a", "b", "c", "d"}
	some := func() string {
		parts := make([]string, 1+r.Intn(4))
		for i := range parts {
			parts[i] = append(names, "..", ".", "..")[r.Intn(len(names)+3)]
		}
		text := strings.Join(parts, "/")
		if r.Intn(6) == 0 {
			text += "/"
		}
		return text
	}
	opened := 0
	rounds := 60
	if testing.Short() {
		rounds = 10
	}
	for round := range rounds {
		root := hermetic.Tree(t, "base/")
		base := root + "/base"
		for range 25 {
			full := base + "/" + strings.ReplaceAll(some(), "..", "a")
			switch r.Intn(5) {
			case 0:
				os.WriteFile(full, nil, 0o644)
			case 1, 2:
				os.MkdirAll(full, 0o755)
			case 3:
				os.Symlink(some(), strings.TrimSuffix(full, "/"))
			case 4:
				os.Symlink(base+"/"+some(), strings.TrimSuffix(full, "/"))
			}
		}
		for range 150 {
			name, follow := some(), r.Intn(2) == 0
			if compareWalk(t, base, name, follow) {
				opened++
			}
		}
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
	if opened < rounds*16 {
		t.Errorf("only %d names could be opened: the test looks at too little", opened)
	}
}

// compareWalk reports whether the kernel opens the name.
func compareWalk(t *testing.T, base, name string, follow bool) bool {
	flags := unix.O_PATH | unix.O_CLOEXEC
	if !follow {
		flags |= unix.O_NOFOLLOW
	}
	fd, err := unix.Open(base+"/"+name, flags, 0)
	end := walkOnce(t, base, name, follow)
	if err != nil {
		if end.Missing == "" && end.FD >= 0 && !strings.Contains(name, "..") && !trails(name) &&
			len(end.Links) == 0 {
			t.Errorf("%q follow=%v: open says %v, the walk found %q", name, follow, err, end.Real)
		}
		return false
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	unix.Fstat(fd, &st)
	kernel, _ := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
	if end.Missing != "" || end.Real != kernel || end.Stat.Ino != st.Ino || end.Stat.Dev != st.Dev {
		t.Errorf("%q follow=%v: kernel %q, the walk %q missing %q why %q", name, follow, kernel,
			end.Real, end.Missing, end.Why)
	}
	return true
}
