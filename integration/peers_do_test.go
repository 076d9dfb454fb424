package integration

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// peerTries are lines that a command may want to run, and what of them is to be seen outside.
var peerTries = []struct{ what, line, leaves string }{
	{"writes a file of the workspace", `echo x > "$WORK/new"`, "work/new"},
	{"writes a file of the home", `echo x > "$HOME/new"`, "home/new"},
	{"writes `~/.bashrc`", `echo x >> "$HOME/.bashrc"`, "home/.bashrc"},
	{"reads `~/.ssh/id_ed25519`", `cat "$HOME/.ssh/id_ed25519"`, ""},
	{"removes `.git` of the workspace", `rm -rf "$WORK/.git"`, "!work/.git"},
	{"connects to a server on 127.0.0.1", `bash -c ': > /dev/tcp/127.0.0.1/$PORT'`, ""},
	{"signals a process outside", `kill -0 $PID`, ""},
	{"sees a process outside", `grep -q . "/proc/$PID/cmdline"`, ""},
	{"leaves a process behind", `sleep 2 && echo x > "$WORK/late" &`, "work/late"},
}

// TestPeersDo prints what commands can do behind each of the installed peers, each started as in
// TestPeers, without a person: a report, not a check. See docs/comparison.md.
func TestPeersDo(t *testing.T) {
	if os.Getenv("BENCH_PEERS") == "" {
		t.Skip("a report for people: BENCH_PEERS=1 go test -run TestPeersDo -v ./integration")
	}
	run := installed(t, "../cmd/...", "./testdata/fence")
	list := slices.DeleteFunc(peers(t, run, quiet(t), quiet(t)), func(p peer) bool {
		return strings.HasPrefix(p.name, "sandbox alone") || strings.HasPrefix(p.name, "firejail")
	})
	if p, err := exec.LookPath("firejail"); err == nil && os.Getuid() == 0 {
		list = append(list, peer{"firejail", []string{p, "--quiet", "bash", "-c"}},
			peer{"firejail --net=none --private-tmp",
				[]string{p, "--quiet", "--net=none", "--private-tmp", "bash", "-c"}})
	}
	head := "\n| without a person, a command |"
	for _, p := range list {
		head += " " + p.name + " |"
	}
	fmt.Println(head + "\n|" + strings.Repeat("---|", len(list)+1))
	for _, try := range peerTries {
		row := "| " + try.what + " |"
		for _, p := range list {
			row += " " + tryPeer(t, p, try.line, try.leaves) + " |"
		}
		fmt.Println(row)
	}
}

// tryPeer says whether a line did what it is for: yes, no, or that it asks. What it leaves, or
// changes, is looked for outside; that it is gone, with "!".
func tryPeer(t *testing.T, p peer, line, leaves string) string {
	const was = "ref: x\n"
	top := quiet(t)
	for _, name := range []string{"home/.ssh/id_ed25519", "home/.bashrc", "work/.git/HEAD"} {
		write(t, filepath.Join(top, name), was)
	}
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Addr().String())
	work, home := top+"/work", top+"/home"
	own := strings.HasPrefix(p.name, "firejail")
	if own {
		work, home = "/home/peer/work", "/home/peer"
	}
	// the variables are words of the line, because some give a command an environment of its own
	line = strings.NewReplacer("$WORK", work, "$HOME", home, "$PORT", port, "$PID",
		fmt.Sprint(os.Getpid())).Replace(line)
	cmd := exec.Command(p.argv[0], append(p.argv[1:len(p.argv):len(p.argv)], line)...)
	if own {
		cmd = asPeer(t, top, cmd.Args)
	}
	cmd.Dir = filepath.Join(top, "work")
	cmd.Env = append(os.Environ(), "HOME="+home)
	err = cmd.Run()
	if strings.HasSuffix(leaves, "late") {
		if _, missing := os.Stat(filepath.Join(top, leaves)); missing == nil {
			return "no: it waits"
		}
		time.Sleep(3 * time.Second) // it writes the file after 2
	}
	name, gone := strings.CutPrefix(leaves, "!")
	if leaves != "" {
		_, missing := os.Stat(filepath.Join(top, name))
		text, _ := os.ReadFile(filepath.Join(top, name))
		if (missing != nil) != gone || string(text) == was {
			err = os.ErrNotExist
		}
	}
	switch {
	case err == nil:
		return "yes"
	case cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 75 &&
		strings.HasPrefix(p.name, "tada-run"):
		return "asks"
	}
	return "no"
}

// asPeer starts a program as an ordinary account whose home passwd names: firejail looks for it
// there, and has other rules for root. To it the workspace is in the home.
func asPeer(t *testing.T, top string, words []string) *exec.Cmd {
	t.Helper()
	const id = 65533
	passwd := filepath.Join(top, "passwd")
	write(t, passwd, fmt.Sprintf("root:x:0:0:root:/root:/bin/bash\n"+
		"peer:x:%d:%d::/home/peer:/bin/bash\n", id, id))
	if err := os.Mkdir(filepath.Join(top, "home/work"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := filepath.WalkDir(top, func(name string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(name, id, id))
	}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", append([]string{"-c", `chmod 644 "$0/passwd" &&
		mount --bind "$0/passwd" /etc/passwd && mount -t tmpfs tmpfs /home && mkdir /home/peer &&
		mount --bind "$0/home" /home/peer && mount --bind "$0/work" /home/peer/work &&
		cd /home/peer/work &&
		exec setpriv --reuid=65533 --regid=65533 --clear-groups "$@"`, top}, words...)...)
	ownMounts(cmd)
	return cmd
}
