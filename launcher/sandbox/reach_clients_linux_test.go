package sandbox

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What whole clients cost in the sandbox: the two that programmers wait for most.

// registryPackages is how many packages one installation has: about what a small web project's tree
// has.
const registryPackages = 150

// tarball makes a package as npm publishes it, of 25 files.
func tarball(name string, random *rand.Rand) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	add := func(file string, text []byte) {
		_ = w.WriteHeader(&tar.Header{Name: "package/" + file, Mode: 0o644, Size: int64(len(text))})
		_, _ = w.Write(text)
	}
	add("package.json", fmt.Appendf(nil, `{"name": %q, "version": "1.0.0", "main": "index.js"}`,
		name))
	for i := range 24 {
		text := make([]byte, 500+random.IntN(6000))
		for j := range text {
			text[j] = " abcdefghijklmnopqrstuvwxyz(){};=\n"[random.IntN(34)]
		}
		add(fmt.Sprintf("lib/%d.js", i), text)
	}
	_ = w.Close()
	_ = z.Close()
	return out.Bytes()
}

// serversMain serves packages and a git repository, and writes the project that has the packages
// into a folder.
func serversMain(args []string) {
	project, repositories := args[0], args[1]
	l, err := net.Listen("tcp4", "127.0.1.24:0")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	at := "http://" + l.Addr().String()
	random := rand.New(rand.NewPCG(1, 2))
	mux := http.NewServeMux()
	wanted, packages := map[string]string{}, map[string]any{}
	for i := range registryPackages {
		name := fmt.Sprintf("p%d", i)
		body := tarball(name, random)
		sum := sha512.Sum512(body)
		wanted[name] = "1.0.0"
		packages["node_modules/"+name] = map[string]string{"version": "1.0.0",
			"resolved":  at + "/" + name + ".tgz",
			"integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
		mux.HandleFunc("/"+name+".tgz",
			func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) })
	}
	packages[""] = map[string]any{"name": "x", "version": "1.0.0", "dependencies": wanted}
	for file, value := range map[string]any{
		"package.json": map[string]any{"name": "x", "version": "1.0.0",
			"dependencies": wanted},
		"package-lock.json": map[string]any{"name": "x", "version": "1.0.0", "lockfileVersion": 3,
			"requires": true, "packages": packages},
	} {
		text, _ := json.Marshal(value)
		_ = os.WriteFile(filepath.Join(project, file), text, 0o600)
	}
	where, _ := exec.Command("git", "--exec-path").Output()
	mux.Handle("/git/", &cgi.Handler{Path: strings.TrimSpace(string(where)) + "/git-http-backend",
		Root: "/git", Env: []string{"GIT_PROJECT_ROOT=" + repositories, "GIT_HTTP_EXPORT_ALL=1"}})
	fmt.Println(at)
	_ = http.Serve(l, mux)
}

// history makes a repository with 2000 files and 40 commits.
func history(top string) error {
	random := rand.New(rand.NewPCG(3, 4))
	dir := filepath.Join(top, "w")
	git := func(args ...string) error {
		cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@y",
			"-c", "gc.auto=0"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %q: %w %s", args, err, out)
		}
		return nil
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if err := git("init", "-q"); err != nil {
		return err
	}
	for commit := range 40 {
		for i := range 50 {
			file := filepath.Join(dir, fmt.Sprint(random.IntN(40)), fmt.Sprint(commit*50+i))
			text := make([]byte, 1000+random.IntN(9000))
			for j := range text {
				text[j] = byte('a' + random.IntN(26))
			}
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				return err
			}
			if err := os.WriteFile(file, text, 0o600); err != nil {
				return err
			}
		}
		if err := git("add", "-A"); err != nil {
			return err
		}
		if err := git("commit", "-q", "-m", "more"); err != nil {
			return err
		}
	}
	return git("clone", "-q", "--bare", dir, filepath.Join(top, "r.git"))
}

// BenchmarkClients is how long npm ci and git clone take in the sandbox, in ratio to no sandbox in
// the same run: the median of the pairs is what is to stay below 1.03.
func BenchmarkClients(b *testing.B) {
	for _, name := range []string{"npm", "git"} {
		if _, err := exec.LookPath(name); err != nil {
			b.Skipf("%s is not installed", name)
		}
	}
	program, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	project, top := b.TempDir(), b.TempDir()
	if err := history(top); err != nil {
		b.Fatal(err)
	}
	servers := exec.Command(program)
	servers.Args, servers.Env = []string{"servers", project, top}, os.Environ()
	address, err := servers.StdoutPipe()
	if err == nil {
		err = servers.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	defer func() { servers.Process.Kill(); servers.Wait() }()
	var at string
	if _, err := fmt.Fscanln(address, &at); err != nil {
		b.Fatal(err)
	}
	for name, line := range map[string]string{
		"npm ci":    "cp ../project/* . && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error --cache=$PWD/cache",
		"git clone": "git clone -q " + at + "/git/r.git",
	} {
		for _, level := range []Level{Base, Strong} {
			b.Run(name+"/"+level.String(), func(b *testing.B) {
				place := b.TempDir()
				if err := os.Symlink(project, filepath.Join(place, "project")); err != nil {
					b.Fatal(err)
				}
				p := reaching(Readable(), nil, "127.0.1.24")
				p.Require, p.Most = level, level
				p.Write = []Path{{Name: place}}
				p.Read = append(p.Read, Path{Name: project})
				var ratios, processor []float64
				for i := 0; b.Loop(); i++ {
					bare, fenced := filepath.Join(place, fmt.Sprint(i, "b")),
						filepath.Join(place, fmt.Sprint(i, "f"))
					times, used := map[string]time.Duration{}, map[string]time.Duration{}
					order := []string{bare, fenced}
					if i%2 == 1 {
						slices.Reverse(order)
					}
					for _, dir := range order {
						if err := os.Mkdir(dir, 0o700); err != nil {
							b.Fatal(err)
						}
						command := Command{Path: "/bin/bash",
							Argv: []string{"bash", "-c", "cd " + dir + " && " + line},
							Env:  []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C"}}
						begin, before := time.Now(), processorTime()
						if dir == bare {
							err = runBare(command)
						} else {
							err = runFenced(p, command)
						}
						times[dir], used[dir] = time.Since(begin), processorTime()-before
						if err != nil {
							b.Fatal(err)
						}
					}
					ratios = append(ratios, float64(times[fenced])/float64(times[bare]))
					processor = append(processor, float64(used[fenced])/float64(used[bare]))
				}
				slices.Sort(ratios)
				slices.Sort(processor)
				b.ReportMetric(ratios[len(ratios)/2], "x-unfenced")
				// what stands when other work is on the machine
				b.ReportMetric(processor[len(processor)/2], "x-cpu")
			})
		}
	}
}

// processorTime is what this process and those that it has waited for have used.
func processorTime() (sum time.Duration) {
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var r unix.Rusage
		if unix.Getrusage(who, &r) == nil {
			sum += time.Duration(r.Utime.Nano() + r.Stime.Nano())
		}
	}
	return sum
}

func runBare(c Command) error {
	cmd := exec.Command(c.Path, c.Argv[1:]...)
	cmd.Env = c.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

func runFenced(p Profile, c Command) error {
	out, in, err := os.Pipe()
	if err != nil {
		return err
	}
	defer out.Close()
	c.Files = []*os.File{nil, in, in}
	process, _, err := Start(p, c)
	in.Close()
	if err != nil {
		return err
	}
	text, _ := io.ReadAll(out)
	s, err := process.Wait()
	if err == nil && s.Shell() != 0 {
		err = fmt.Errorf("status %d: %s", s.Shell(), text)
	}
	return err
}
