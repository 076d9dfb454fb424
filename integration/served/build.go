package served

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// etcdProgram is where the program is that was built.
var etcdProgram = sync.OnceValues(func() (string, error) { return build("etcd") })

// program returns a program, or skips the test.
func program(t testing.TB, built func() (string, error)) string {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Skip(err)
	}
	return path
}

// build builds a program of the servers' module, in the home directory, which is removed after
// tests (package hermetic).
func build(name string) (string, error) {
	servers, err := module()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(os.Getenv("HOME"), "served-")
	if err != nil {
		return "", err
	}
	// What go run has linked stays in the cache of builds, so that the tests of one package link it
	// for all; without symbols it is linked in half the time.
	cmd := exec.Command("go", "run", "-trimpath", "-ldflags=-s -w", "-exec", "cp -t "+dir,
		"./"+name)
	cmd.Dir = servers
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the server %s cannot be built: %w\n%s", name, err, out)
	}
	return filepath.Join(dir, name), nil
}

// module returns the folder of the servers' module, for a test of any package.
func module() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		servers := filepath.Join(dir, "integration", "servers")
		if _, err := os.Stat(filepath.Join(servers, "go.mod")); err == nil {
			return servers, nil
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", fmt.Errorf("no folder above the tests has integration/servers")
		}
		dir = above
	}
}
