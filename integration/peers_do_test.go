package integration

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// peerTries are lines that a command may want to run, and what of them is to be seen outside.
var peerTries = []struct{ what, line, leaves string }{
	{"writes a file of the workspace", `echo x > "$WORK/new"`, "work/new"},
	{"writes a file of the home", `echo x > "$HOME/new"`, "home/new"},
	{"writes `~/.bashrc`", `echo x >> "$HOME/.bashrc"; test -s "$HOME/.bashrc"`, "home/.bashrc"},
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
	var list []peer
	for _, p := range peers(t, run, quiet(t), quiet(t)) {
		if !strings.HasPrefix(p.name, "sandbox alone") {
			list = append(list, p)
		}
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

// tryPeer says whether a line did what it is for: yes, no, or that it asks. What it leaves is
// looked for outside; that it is gone, with "!".
func tryPeer(t *testing.T, p peer, line, leaves string) string {
	top := quiet(t)
	for _, name := range []string{"home/.ssh/id_ed25519", "work/.git/HEAD", "work/file"} {
		write(t, filepath.Join(top, name), "ref: x\n")
	}
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Addr().String())
	// the variables are words of the line, because some give a command an environment of its own
	line = strings.NewReplacer("$WORK", top+"/work", "$HOME", top+"/home", "$PORT", port,
		"$PID", fmt.Sprint(os.Getpid())).Replace(line)
	cmd := exec.Command(p.argv[0], append(p.argv[1:len(p.argv):len(p.argv)], line)...)
	cmd.Dir = filepath.Join(top, "work")
	cmd.Env = append(os.Environ(), "HOME="+filepath.Join(top, "home"))
	err = cmd.Run()
	if strings.HasSuffix(leaves, "late") {
		time.Sleep(3 * time.Second) // it writes the file after 2
	}
	name, gone := strings.CutPrefix(leaves, "!")
	if leaves != "" {
		if _, missing := os.Stat(filepath.Join(top, name)); (missing != nil) != gone {
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
