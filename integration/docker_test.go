package integration

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A container is a way to start one, and the level that both programs reach in it.
type container struct {
	name, level string
	flags       []string
}

// Docker's own filter refuses namespaces, which leaves the base level; without it the strong one is
// available, and doctor prints these very flags.
var containers = []container{
	{"root by default", "base", nil},
	{"user by default", "base", []string{"--user", "dev"}},
	{"user without capabilities", "base",
		[]string{"--user", "dev", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"}},
	{"root without Docker's filter", "strong",
		[]string{"--security-opt", "seccomp=unconfined", "--security-opt", "apparmor=unconfined",
			"--security-opt", "systempaths=unconfined"}},
	{"user without Docker's filter", "strong",
		[]string{"--user", "dev", "--security-opt", "seccomp=unconfined", "--security-opt",
			"apparmor=unconfined", "--security-opt", "systempaths=unconfined"}},
}

// inContainer is what a person would try first: a command with output, input and a status, a
// secret, the proof of the record, and every attack.
const inContainer = `
set -e
cd; mkdir w; cd w
test "$(tada-run 'echo hi > a; cat a; rm a')" = hi
test "$(echo in | tada-run 'cat | wc -c')" = 3
status=0; tada-run 'exit 7' || status=$?; test $status = 7
status=0; tada-run 'cat /etc/shadow' </dev/null 2>/dev/null || status=$?; test $status = 75
tadactl audit verify --complete
tadactl doctor
tadactl doctor --verbose
tadactl doctor --attack | tail -1
`

// TestDocker starts both programs in containers of the Docker that is installed. make test-docker.
func TestDocker(t *testing.T) {
	image := os.Getenv("TEST_DOCKER")
	if image == "" {
		t.Skip("starts containers on this machine; to run it: make test-docker IMAGE=debian:stable-slim")
	}
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-trimpath", "-o", bin,
		"../cmd/...").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	passwd := filepath.Join(t.TempDir(), "passwd")
	write(t, passwd, "root:x:0:0:root:/root:/bin/bash\ndev:x:1000:1000::/home/dev:/bin/bash\n")
	if err := os.Chmod(passwd, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range containers {
		t.Run(c.name, func(t *testing.T) {
			argv := append([]string{"run", "--rm", "--network", "none",
				"--volume", bin + ":/usr/local/bin:ro", "--volume", passwd + ":/etc/passwd:ro",
				"--tmpfs", "/root:mode=0700", "--tmpfs", "/home/dev:mode=0700,uid=1000"},
				c.flags...)
			docker := exec.Command("docker", append(argv, image, "bash", "-c", inContainer)...)
			var out bytes.Buffer
			docker.Stdout, docker.Stderr = &out, &out
			if err := docker.Run(); err != nil {
				t.Fatalf("%v: %v\n%s", docker.Args, err, &out)
			}
			for _, want := range []string{"\nlevel    " + c.level + "\n", " blocked, 0 broken,"} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no %q in\n%s", want, &out)
				}
			}
		})
	}
}
