package integration

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/shellparse/code"
	"github.com/tada-run/tada-run/shellparse/eval"
)

// A world is the root folder in which the lines of a corpus are judged: the system's own, except
// for /home/dev, /w and /tmp, so that verdicts are those of the machine that the corpus assumes.
type world struct {
	Root    string
	UID     int
	Without string // a reader that is switched off
	// Learned are lines whose questions were answered with yes: the lines are judged under the rules
	// that would have spared these
	Learned []corpusLine
	Lines   []corpusLine
}

// A bed is the files of a real corpus below /home/dev: mode, then content, or "link" and its
// target.
type bed struct {
	Files map[string][]string
	Repos []string
}

const worldConfig = "security:\n  restricted_paths: [/etc/shadow, /root, ~/.aws, ~/.gnupg]\n" +
	"  readonly_paths: [~/.ssh]\n"

// worldOf sets up an account with the given files and a workspace under git.
func worldOf(t *testing.T, b bed, config string) world {
	t.Helper()
	w := world{Root: t.TempDir(), UID: os.Getuid()}
	if w.UID == 0 {
		w.UID = 1000 // root may do too much for meaningful verdicts
	}
	home := filepath.Join(w.Root, "home/dev")
	for name, is := range b.Files {
		at := filepath.Join(home, name)
		mode, err := strconv.ParseUint(is[0], 0, 32)
		dir := filepath.Dir(at)
		if strings.HasSuffix(name, "/") {
			dir = at
		}
		switch err = errors.Join(err, os.MkdirAll(dir, 0o755)); {
		case is[0] == "link":
			err = os.Symlink(is[1], at)
		case dir != at && err == nil:
			err = hermetic.WriteProgram(at, []byte(strings.Join(append(is[1:], "x\n")[:1], "")),
				os.FileMode(mode))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	repos := []string{filepath.Join(w.Root, "w")}
	for _, repo := range b.Repos {
		repos = append(repos, filepath.Join(home, repo))
	}
	for _, repo := range repos {
		git := exec.Command("sh", "-c",
			`mkdir -p "$0" && cd "$0" && git init -qb main . && git add -A && git -c user.name=d -c user.email=d@e commit -qm x --allow-empty &&
			git remote add origin https://github.com/acme/x.git`, repo)
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", git, err, out)
		}
	}
	state := filepath.Join(home, ".tada")
	err := errors.Join(os.MkdirAll(state, 0o700), os.MkdirAll(filepath.Join(w.Root, "tmp"), 0o777),
		os.WriteFile(filepath.Join(state, "config.yaml"), []byte(config), 0o600))
	if os.Getuid() == 0 {
		err = errors.Join(err, filepath.WalkDir(w.Root,
			func(name string, _ os.DirEntry, err error) error {
				return errors.Join(err, os.Lchown(name, w.UID, w.UID))
			}))
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// bedOf reads bed.json.gz of a real corpus.
func bedOf(t *testing.T, dir string) (b bed) {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "bed.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err == nil {
		err = json.NewDecoder(z).Decode(&b)
	}
	if err != nil {
		t.Fatalf("%s: %v", f.Name(), err)
	}
	return b
}

// A judged line is what must stay the same when only texts change.
type judged struct {
	ID, Verdict string
	Risk        int
	Rules       []string // of the reasons, with what each says
	Effects     string   // a hash of everything read, written, deleted, executed and contacted
	Readers     []string `json:",omitempty"` // that were asked
}

// judge judges all lines of a world, in a separate process.
func (w world) judge(t *testing.T) []judged {
	t.Helper()
	in, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = []string{"judge-world"}
	cmd.Env = []string{"HOME=/home/dev", "USER=dev", "LOGNAME=dev",
		"PATH=/usr/local/bin:/usr/bin:/bin", "SHELL=/bin/bash", "LANG=C.UTF-8", "TERM=xterm"}
	cmd.Stdin, cmd.Stderr = strings.NewReader(string(in)), os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: w.UID, HostID: w.UID,
			Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(),
			HostID: os.Getgid(), Size: 1}}
		cmd.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SYS_CHROOT}
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("judge %d lines: %v", len(w.Lines), err)
	}
	var list []judged
	if err := json.Unmarshal(out, &list); err != nil || len(list) != len(w.Lines) {
		t.Fatalf("%d answers for %d lines: %v", len(list), len(w.Lines), err)
	}
	return list
}

// worldMain is the process that judges.
func worldMain() {
	var w world
	err := json.NewDecoder(os.Stdin).Decode(&w)
	if err == nil {
		err = w.enter()
	}
	var list []judged
	if err == nil {
		list, err = w.verdicts()
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(list)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// enter makes Root the root folder, with the rest of the system below it.
func (w world) enter() error {
	top, err := os.ReadDir("/")
	if err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	for _, e := range top {
		from, to := "/"+e.Name(), filepath.Join(w.Root, e.Name())
		switch {
		case slices.Contains([]string{"home", "w", "tmp", "root", "work"}, e.Name()):
		case e.Type()&os.ModeSymlink != 0:
			target, err2 := os.Readlink(from)
			if err2 = errors.Join(err2, os.Symlink(target, to)); !errors.Is(err2, os.ErrExist) {
				err = errors.Join(err, err2)
			}
		case e.IsDir():
			err = errors.Join(err, os.MkdirAll(to, 0o755),
				unix.Mount(from, to, "", unix.MS_BIND|unix.MS_REC, ""))
		}
	}
	if err = errors.Join(err, unix.Chroot(w.Root), os.Chdir("/w")); err != nil ||
		os.Getuid() == w.UID {
		return err
	}
	return errors.Join(syscall.Setgroups(nil), syscall.Setgid(w.UID), syscall.Setuid(w.UID))
}

func (w world) verdicts() ([]judged, error) {
	var asked []string
	code.Reads = func(reader string) bool {
		asked = append(asked, reader)
		return reader != w.Without
	}
	eval.Follows = func(part string) bool { return code.Reads("shell: " + part) }
	l, err := launcher.Place{Account: "/home/dev"}.Open()
	if err == nil && len(w.Learned) > 0 {
		if err = learn(l, w.Learned); err == nil {
			l, err = launcher.Place{Account: "/home/dev"}.Open()
		}
	}
	if err != nil {
		return nil, err
	}
	var list []judged
	for _, line := range w.Lines {
		asked = nil
		v, err := judgedBy(l, line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line.ID, err)
		}
		v.Readers = unique(asked)
		list = append(list, v)
	}
	return list, nil
}

var process = pattern("^/proc/[0-9]+")

// judgedBy returns the verdict of one line, as tadactl check has it.
func judgedBy(l *launcher.Launcher, line corpusLine) (judged, error) {
	dir := line.Cwd
	if dir == "" {
		dir = "/w"
	}
	j, err := l.Judge(launcher.Request{Shell: shell.Call{Text: line.Cmd, Name: "tada-run"},
		Env: os.Environ(), Dir: dir})
	switch {
	case errors.Is(err, launcher.ErrEmpty):
		return judged{ID: line.ID, Verdict: "empty"}, nil
	case err != nil:
		return judged{}, err
	}
	defer j.Close()
	r := j.Report(line.ID)
	v := judged{ID: line.ID, Verdict: r.Verdict, Risk: r.Risk}
	for _, reason := range r.Reasons {
		v.Rules = append(v.Rules, reason.Verdict+" "+reason.Rule)
	}
	for name := range r.Effects { // processes come and go
		r.Effects[name] = slices.DeleteFunc(r.Effects[name],
			func(s string) bool { return process().MatchString(s) })
	}
	text, err := json.Marshal([]any{r.Effects, r.Opaque, r.Keys})
	v.Effects = fmt.Sprintf("%x", sha256.Sum256(text))[:16]
	return v, err
}

// unique returns each element of a list once, sorted.
func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(slices.Clone(list))
}
