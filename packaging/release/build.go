package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// arches are what packages are made for, in the words of Go.
var arches = []string{"amd64", "arm64"}

var programs = []string{"tada-run", "tadactl"}

// binary is where a program was built.
func (m *maker) binary(arch, program string) string { return filepath.Join(m.work, arch, program) }

// fleetProgram is a package of its own: machines that are in no fleet do not need it, and it is as
// large as the others together.
const fleetProgram = "tada-fleet"

// build builds both programs. Git stamps the version into them.
func (m *maker) build(arch string) error { return m.goBuild(arch, programs...) }

func (m *maker) goBuild(arch string, programs ...string) error {
	// no line of symbols: the Go runtime has its own for a stack, and packages are half as large
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w",
		"-o", filepath.Join(m.work, arch)+"/")
	for _, program := range programs {
		cmd.Args = append(cmd.Args, "./cmd/"+program)
	}
	cmd.Dir = m.root
	cmd.Env = append(buildEnv(os.Environ()), "GOARCH="+arch)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build for %s: %w\n%s", arch, err, out)
	}
	return nil
}

// kept are the variables that the go command may see: they say where things are, not what is built.
var kept = []string{"PATH", "HOME", "TMPDIR", "GOPATH", "GOCACHE", "GOMODCACHE", "GOPROXY",
	"GOSUMDB", "GONOSUMDB", "GOMAXPROCS", "GOROOT"}

// buildEnv is the environment of a build: static, for Linux, without the settings of this account.
func buildEnv(environ []string) []string {
	var env []string
	for _, entry := range environ {
		if name, _, _ := strings.Cut(entry, "="); slices.Contains(kept, name) {
			env = append(env, entry)
		}
	}
	return append(env, "CGO_ENABLED=0", "GOOS=linux", "GOENV=off", "GOFLAGS=", "GOWORK=off",
		"GOTOOLCHAIN=local")
}

// native is the architecture whose programs this machine can start.
func native() (string, error) {
	if runtime.GOOS != "linux" || !slices.Contains(arches, runtime.GOARCH) {
		return "", fmt.Errorf("the programs print their manual pages, and need Linux on %s",
			strings.Join(arches, " or "))
	}
	return runtime.GOARCH, nil
}

// output runs one of the programs that were built, without an account to look at.
func (m *maker) output(stdin string, program string, args ...string) (string, error) {
	arch, err := native()
	if err != nil {
		return "", err
	}
	cmd := exec.Command(m.binary(arch, program), args...)
	cmd.Dir, cmd.Env = m.work, []string{"HOME=" + m.work, "PATH=/usr/bin:/bin", "LANG=C.UTF-8"}
	cmd.Stdin, cmd.Stderr = strings.NewReader(stdin), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", program, strings.Join(args, " "), err)
	}
	return string(out), nil
}
