package launcher

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/launcher/sandbox"
)

// B-R1.4.8: a script that a process outside exchanges all the time is run as it was judged, or not
// at all. A shell without us runs the other text too.
func TestSwappedAllTheTime(t *testing.T) {
	for _, level := range []sandbox.Level{sandbox.Base, sandbox.Strong} {
		for _, line := range []string{"bash by.sh", "sh ./by.sh", "./by.sh && true", ". ./by.sh",
			"cat by.sh > /dev/null; bash ./by.sh", "python3 by.py", "make -s",
			"npm run -s --no-update-notifier by"} {
			t.Run(level.String()+"/"+line, func(t *testing.T) { swapAllTheTime(t, level, line) })
		}
	}
}

func swapAllTheTime(t *testing.T, level sandbox.Level, line string) {
	some, req := world(t)
	l := atBase(t, some)
	if level == sandbox.Strong {
		if l.level = some.level; l.level() != sandbox.Strong {
			t.Skip("this machine has level base only")
		}
	}
	name := "by.sh"
	text := "#!/bin/sh\necho %s\n"
	if strings.Contains(line, "by.py") {
		name, text = "by.py", "print('%s')\n"
	}
	switch line {
	case "make -s":
		name, text = "Makefile", "all:\n\t@echo %s\n"
	case "npm run -s --no-update-notifier by":
		name, text = "package.json", `{"scripts": {"by": "echo %s"}}`
	}
	dir, err := unix.Open(req.Dir, unix.O_PATH, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(dir)
	lay := func(side, name string) {
		t.Helper()
		err := hermetic.WriteProgram(filepath.Join(req.Dir, name), fmt.Appendf(nil, text, side),
			0o755)
		if err != nil {
			t.Fatal(err)
		}
	}
	lay("safe", name)
	lay("evil", "evil")
	var done atomic.Bool
	stopped := make(chan bool)
	go func() {
		defer close(stopped)
		for !done.Load() {
			_ = unix.Renameat2(dir, name, dir, "evil", unix.RENAME_EXCHANGE)
		}
	}()
	defer func() { done.Store(true); <-stopped }()
	count := map[string]int{}
	want := hermetic.Rounds(60)
	if name == "package.json" { // npm takes as long as twenty shells
		want = hermetic.Rounds(20)
	}
	for n := 0; count["as judged"] < want && n < 30*want; n++ {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r := req
		r.Shell.Text, r.Stdio.In, r.Stdio.Out, r.Stdio.Err = line, devNull(t), write, devNull(t)
		j, err := l.Judge(r)
		if err != nil {
			t.Fatal(err)
		}
		judged := "?"
		for plan := range j.Plan.All() {
			for i := range plan.Contents {
				if c := &plan.Contents[i]; filepath.Base(c.Path) == name {
					judged = c.Sum
				}
			}
		}
		out, err := l.carry(context.Background(), j, nil,
			func(context.Context, *attempt) (*permit.Authority, *refusal.Refusal, error) {
				return &permit.Authority{}, nil, nil
			})
		write.Close()
		said, _ := io.ReadAll(read)
		read.Close()
		switch side := strings.TrimSpace(string(said)); {
		case err != nil:
			t.Fatal(err)
		case out.Refusal != nil && side == "":
			count["refused"]++
		case side == "":
			count["nothing"]++
		case judged != fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, text, side))):
			t.Errorf("it ran %q, which was not judged", side)
			count["swapped"]++
		default:
			count["as judged"]++
		}
	}
	for i := 0; i < 1000 && count["bare"] == 0; i++ {
		before, _ := os.ReadFile(filepath.Join(req.Dir, name))
		victim := exec.Command("bash", "-c", line)
		victim.Dir = req.Dir
		if said, _ := victim.Output(); !strings.Contains(string(before),
			strings.TrimSpace(string(said))) {
			count["bare"]++
		}
	}
	if t.Log(count); count["as judged"] < want || count["bare"] == 0 {
		t.Error("nothing was proven")
	}
}
