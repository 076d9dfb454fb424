package sandbox

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/broker"
)

//go:embed testdata/scripts.txt
var scriptsText string

// code is how each of the files says a word.
var code = map[string]string{"by.sh": "echo %s\n", "by.py": "print('%s')\n",
	"by.pl": "print \"%s\\n\";\n", "by.mk": "all:\n\techo %s\n",
	"by.awk": "BEGIN { print \"%s\" }\n", "by.sed": "s/.*/%s/\n"}

// judged is a workspace with files of code, and what was judged of them.
func judged(t *testing.T, p Profile, plain bool) (Profile, []broker.Script) {
	t.Helper()
	ws := p.Write[0].Name
	must(t, os.Mkdir(ws+"/sub", 0o755))
	p.View = &broker.View{Dirs: []string{t.TempDir()}, Ledger: t.TempDir() + "/ledger"}
	var list []broker.Script
	for name, text := range code {
		must(t, hermetic.WriteProgram(ws+"/"+name, fmt.Appendf(nil, text, "other"), 0o755))
		var st unix.Stat_t
		must(t, unix.Stat(ws+"/"+name, &st))
		list = append(list, broker.Script{
			Names: []string{ws + "/" + name, ws + "/sub/../" + name},
			File:  sealed(t, fmt.Sprintf(text, "judged")), Plain: plain,
			By: []string{"bash", "dash", "python", "perl", "make", "mawk", "gawk",
				"ksh", "mksh", "zsh", "sed"},
			Again: []string{"python", "perl"},
			ID:    broker.Identity{Dev: st.Dev, Ino: st.Ino}})
	}
	return p, list
}

func sealed(t *testing.T, text string) *os.File {
	fd, err := unix.MemfdCreate("judged", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	must(t, err)
	f := os.NewFile(uintptr(fd), "judged")
	t.Cleanup(func() { f.Close() })
	_, err = f.WriteString(text)
	must(t, err)
	_, err = unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_WRITE|unix.F_SEAL_SHRINK|
		unix.F_SEAL_GROW)
	must(t, err)
	return f
}

// said runs a text with what was judged.
func said(t *testing.T, p Profile, text string, list []broker.Script) string {
	t.Helper()
	out, in, err := os.Pipe()
	must(t, err)
	defer out.Close()
	process, _, err := Start(p, Command{Path: "/bin/bash", Argv: []string{"bash", "-c",
		"cd " + p.Write[0].Name + "; exec 2>/dev/null; " + text},
		Env: []string{"PATH=/usr/bin:/bin"}, Files: []*os.File{nil, in, nil}, Scripts: list})
	in.Close()
	must(t, err)
	got, _ := io.ReadAll(out)
	_, err = process.Wait()
	must(t, err)
	return string(got)
}

// B-R1.4.8: what executes a file of code reads the text that was judged, as long as the run itself
// has not changed it.
func TestJudgedTextIsRead(t *testing.T) {
	for _, test := range blocks(scriptsText) {
		levels(t, func(t *testing.T, p Profile) {
			t.Run(test.name, func(t *testing.T) {
				p, list := judged(t, p, false)
				bash, err := os.ReadFile("/bin/bash")
				must(t, err)
				must(t, hermetic.WriteProgram(p.Write[0].Name+"/unknown", bash, 0o755))
				if got := said(t, p, test.script, list); got != test.want {
					t.Errorf("%q, want %q", got, test.want)
				}
			})
		})
	}
}

// B-R1.4.8: where all scripts are for programs that open them without a flag, other opens are the
// kernel's: perl's is one.
func TestPlainOpens(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		p, list := judged(t, p, true)
		for program, file := range map[string]string{"bash": "by.sh", "dash": "by.sh",
			"ksh": "by.sh", "mksh": "by.sh", "make": "-sf by.mk",
			"mawk": "-f by.awk", "gawk": "-f by.awk", "sed": "-f by.sed by.sed", "perl": "by.pl"} {
			if _, err := exec.LookPath(program); err != nil {
				continue
			}
			want := map[bool]string{true: "other\n", false: "judged\n"}[program == "perl"]
			if got := said(t, p, program+" "+file, list); got != want {
				t.Errorf("%s: %q", program, got)
			}
		}
	})
}

// B-R1.4.8: another program exchanges a script all the time, and the run reads what was judged.
// The control runs without the judged text, and reads the other one.
func TestJudgedTextRaces(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		p, list := judged(t, p, true)
		ws := p.Write[0].Name
		must(t, os.WriteFile(ws+"/twin", []byte("echo judged\n"), 0o644))
		var done atomic.Bool
		stopped := make(chan bool)
		go func() {
			defer close(stopped)
			for !done.Load() {
				_ = unix.Renameat2(unix.AT_FDCWD, ws+"/by.sh", unix.AT_FDCWD, ws+"/twin",
					unix.RENAME_EXCHANGE)
			}
		}()
		defer func() { done.Store(true); <-stopped }()
		const text = "for ((i = 0; i < 50; i++)); do bash by.sh; . ./by.sh; done"
		for range hermetic.Rounds(32) {
			if got := said(t, p, text, list); got != strings.Repeat("judged\n", 100) {
				t.Errorf("%q", got)
			}
		}
		if control := said(t, p, text, nil); !strings.Contains(control, "other") {
			t.Error("the control ran what was judged only")
		}
	})
}
