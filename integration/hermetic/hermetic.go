// Package hermetic isolates tests from the account and the terminal that start them.
//
// A test that passes for one user and fails for another often depends on something outside it: a
// configuration file in the home directory, a umask of 077, a signal that nohup(1) ignores, a
// variable set by an agent program. [Tests] gives all tests of a package the same environment:
//
//   - HOME is an empty directory, removed afterwards
//   - the environment has only PATH, TMPDIR and the variables of Go and of the tests
//   - PATH has no directory in the home except that of the go command: a program in a home
//     directory is judged differently
//   - the umask is 022
//   - programs that tests start ignore no signal
//   - these programs inherit no descriptors except the first three
//
// The home directory in /etc/passwd cannot be replaced this way. Tests that open a state
// directory pass a launcher.Place with its own account.
package hermetic

import (
	"flag"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// M runs the tests of a package; it has the one method of [testing.M] that TestMain calls.
type M struct {
	m     *testing.M
	apart bool
}

// Tests returns m with a hermetic environment. A TestMain that is also the main function of
// programs that its tests start calls it after them, so that they keep the environment they got.
func Tests(m *testing.M) M { return M{m: m} }

// atOnce is how many tests marked parallel run at once for each processor, unless the go command is
// given a number: most of the time they wait for programs that they started.
const atOnce = 4

// Run runs the tests and returns the exit status.
func (h M) Run() int {
	if !slices.ContainsFunc(os.Args, func(arg string) bool {
		return strings.HasPrefix(strings.TrimLeft(arg, "-"), "test.parallel=")
	}) {
		n := strconv.Itoa(atOnce * runtime.GOMAXPROCS(0))
		if err := flag.Set("test.parallel", n); err != nil {
			return failed(err)
		}
	}
	if os.Getenv(already) != "" {
		switch os.Getenv(stage) {
		case second:
			return leave()
		case third:
			return h.alone()
		}
		return h.m.Run() // started by a test, in its environment
	}
	home, err := os.MkdirTemp("", "hermetic-home-")
	if err == nil {
		err = environ(home)
	}
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(home)
	if err := closeOnExec(); err != nil {
		return failed(err)
	}
	syscall.Umask(0o022)
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGPIPE,
		syscall.SIGTERM, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU, syscall.SIGCHLD} {
		if signal.Ignored(s) {
			// A handler here becomes the default disposition in a program that is started.
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
	if h.apart {
		return first()
	}
	return h.m.Run()
}

// closeOnExec keeps programs that tests start from inheriting the descriptors from 3 on.
func closeOnExec() error {
	open, err := os.ReadDir("/dev/fd")
	for _, f := range open {
		if fd, err := strconv.Atoi(f.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
	return err
}

const already = "TEST_HERMETIC"

// passed lists the variables that tests and the go command read. A name that ends in "_", and GO,
// match every variable with that prefix.
var passed = []string{"PATH", "TMPDIR", "CI", "UPDATE", "GO", "CGO_", "TEST_", "BENCH_",
	"AUDIT_TEST_EACH", "TADA_RUN", "TADA_RUNS", "TADA_CLIENTS"}

// environ replaces the environment. The caches of the go command stay where they are.
func environ(home string) error {
	keep := map[string]string{already: "1", "HOME": home, "LANG": "C.UTF-8", "TERM": "xterm",
		"USER": os.Getenv("USER")}
	if cache, err := os.UserCacheDir(); err == nil {
		keep["GOCACHE"] = filepath.Join(cache, "go-build")
	}
	if config, err := os.UserConfigDir(); err == nil {
		keep["GOENV"] = filepath.Join(config, "go", "env")
	}
	if own, err := os.UserHomeDir(); err == nil {
		keep["GOPATH"] = filepath.Join(own, "go")
	}
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		for _, p := range passed {
			if name == already || name == stage {
				continue
			}
			if name == p || (p == "GO" || strings.HasSuffix(p, "_")) && strings.HasPrefix(name, p) {
				keep[name] = value
			}
		}
	}
	if keep["TEST_CLIENTS"] == "" {
		for _, home := range homes() {
			keep["PATH"] = outside(home, keep["PATH"])
		}
	}
	os.Clearenv()
	for name, value := range keep {
		if value == "" {
			continue
		}
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}

// homes returns the directory in HOME and the account's own, which differ if HOME was changed.
func homes() []string {
	var list []string
	if home, err := os.UserHomeDir(); err == nil {
		list = append(list, home)
	}
	if account, err := user.LookupId(strconv.Itoa(os.Getuid())); err == nil {
		list = append(list, account.HomeDir)
	}
	// the home of an account without one
	return slices.DeleteFunc(list, func(home string) bool { return home == "/" })
}

// outside returns the entries of a PATH that are not below home or that contain the go command.
func outside(home, path string) string {
	return strings.Join(slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool {
		rel, err := filepath.Rel(home, dir)
		_, missing := os.Stat(filepath.Join(dir, "go"))
		return err == nil && rel != ".." && !strings.HasPrefix(rel, "../") && missing != nil
	}), string(filepath.ListSeparator))
}
