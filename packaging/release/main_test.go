package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

func TestMain(m *testing.M) { os.Exit(hermetic.Tests(m).Run()) }

// A handout is a folder that was made from a copy of this repository.
type handout struct {
	dir   string
	lines string // what was said while it was made
}

// handedOut makes everything for this machine but what nfpm makes, from the files of the repository
// in a folder that no other test uses.
func handedOut(t *testing.T, o options) handout {
	t.Helper()
	arch, err := native()
	if err != nil {
		t.Skip(err)
	}
	all := arches
	arches = []string{arch}
	defer func() { arches = all }()
	h := handout{dir: filepath.Join(t.TempDir(), "dist")}
	o.to, o.noSystem = h.dir, true
	var said bytes.Buffer
	if err := release(copied(t), o, &said); err != nil {
		t.Fatal(err)
	}
	h.lines = said.String()
	return h
}

// file returns the content of the only file with such a name.
func (h handout) file(t *testing.T, pattern string) []byte {
	t.Helper()
	return read(t, h.name(t, pattern))
}

func (h handout) name(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(h.dir, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %q, %v\n%s", pattern, found, err, h.lines)
	}
	return found[0]
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// copied is the repository in another folder: with the same commit, and the same changes.
func copied(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "copy")
	git(t, ".", "clone", "-q", "--no-checkout", "../..", dir)
	git(t, dir, "reset", "-q")
	listed := git(t, "../..", "ls-files", "-z", "-c", "-o", "--exclude-standard")
	for _, name := range strings.Split(strings.TrimSuffix(listed, "\x00"), "\x00") {
		from, to := filepath.Join("../..", name), filepath.Join(dir, name)
		info, err := os.Stat(from)
		if err != nil {
			continue // removed, and not committed
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := hermetic.WriteProgram(to, read(t, from), info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
	for _, tag := range strings.Fields(git(t, dir, "tag", "--points-at", "HEAD")) {
		git(t, dir, "tag", "-d", tag) // tests know the version of a commit without one
	}
	return dir
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t",
		"-c", "user.email=t@example.com", "-c", "safe.directory=*"}, args...)...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", cmd.Args, err)
	}
	return string(out)
}

// filledEnv is a release.env with all lines, and the file of its key.
func filledEnv(t *testing.T) (env, key string) {
	t.Helper()
	dir := t.TempDir()
	key = filepath.Join(dir, "key.pem")
	signer := newKey(t, key)
	env = filepath.Join(dir, "release.env")
	text := "MAINTAINER=T <t@example.com>\nHOMEPAGE=\nPUBLIC_KEY=" + sshLine(signer) +
		"\nDOWNLOADS=https://example.com/releases/v{version}/\n"
	if err := os.WriteFile(env, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return env, key
}

func TestNative(t *testing.T) {
	arch, err := native()
	if err == nil && (arch != runtime.GOARCH || runtime.GOOS != "linux") {
		t.Errorf("%q", arch)
	}
}
