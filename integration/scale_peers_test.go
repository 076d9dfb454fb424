package integration

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// questions are what every recorder is asked. A verification reads all, also what it read before.
var questions = []string{"the newest 50", "all runs", "one run in the middle",
	"a word of its command", "a word that it printed", "is all as it was written?"}

// A sought run is the one that the questions are about. No other run has its word.
type sought struct {
	printed
	word string
}

// A recorder is a program that keeps what was run and printed, or that reads the files which do.
type recorder struct {
	name    string
	files   []string // where it keeps all
	missing string   // the programs that are not installed; it is not compared then
	add     func(printed) error
	close   func() error
	ask     func(sought) [][]string // commands by the questions; nil for what it cannot
}

// recorders are those that tadactl is compared with, each with a folder of its own.
func recorders(dir string) []*recorder {
	return []*recorder{sudoIn(filepath.Join(dir, "sudo")),
		journalIn(filepath.Join(dir, "journal")), castsIn(filepath.Join(dir, "casts"))}
}

// sudoIn are the I/O logs of sudo. Its program lists all of them, not the newest, and does not
// search in what was printed.
func sudoIn(dir string) *recorder {
	list := []string{"sudoreplay", "-d", dir, "-l"}
	return &recorder{name: "sudoreplay", files: []string{dir}, missing: without("sudoreplay"),
		add:   func(p printed) error { return p.sudo(dir) },
		close: func() error { return nil },
		ask: func(s sought) [][]string {
			return [][]string{nil, list,
				{"sudoreplay", "-n", "-m", "0", "-d", dir, s.sudoID()},
				append(list[:len(list):len(list)], "command", s.word), nil, nil}
		}}
}

// journalIn is the journal of systemd.
func journalIn(dir string) *recorder {
	r := &recorder{name: "journalctl", files: []string{dir}, missing: without("journalctl", remote)}
	var j *journal
	r.add = func(p printed) (err error) {
		if j == nil {
			if j, err = newJournal(dir); err != nil {
				return err
			}
		}
		return j.add(p)
	}
	r.close = func() error {
		err := j.close()
		if r.name += ", not sealed"; verifies(dir) != "" {
			r.name = "journalctl, sealed"
		}
		return err
	}
	r.ask = func(s sought) [][]string {
		args := func(more ...string) []string {
			return append([]string{"journalctl", "--quiet",
				"--file=" + filepath.Join(dir, "*.journal")}, more...)
		}
		verify := args("--verify")
		if key := verifies(dir); key != "" {
			verify = append(verify, "--verify-key="+key)
		}
		return [][]string{args("--lines=50"), args("KIND=start"),
			args("RUN="+s.ID, "--output=cat"), args("KIND=start", "--grep="+s.word),
			args("--grep=needle-" + s.word), verify}
	}
	return r
}

// castsIn are asciicast files. Their program neither lists nor searches, so ls and grep do.
func castsIn(dir string) *recorder {
	return &recorder{name: "asciinema, ls, grep", files: []string{dir},
		missing: without("asciinema"),
		add: func(p printed) error {
			return errors.Join(os.MkdirAll(dir, 0o700),
				os.WriteFile(filepath.Join(dir, p.ID+".cast"), p.cast, 0o600))
		},
		close: func() error { return nil },
		ask: func(s sought) [][]string {
			file := filepath.Join(dir, s.ID+".cast")
			show := []string{"asciinema", "cat", file} // it joins files since version 3
			if exec.Command("asciinema", "convert", "--help").Run() == nil {
				show = []string{"asciinema", "convert", "--overwrite", "--output-format=txt", file,
					"/dev/stdout"}
			}
			return [][]string{{"ls", "-t", dir}, {"grep", "-rhm1", "\"command\"", dir}, show,
				{"grep", "-rhm1", s.word, dir}, {"grep", "-rh", "needle-" + s.word, dir}, nil}
		}}
}

// without names the programs that are not there.
func without(programs ...string) string {
	var list []string
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			list = append(list, p)
		}
	}
	return strings.Join(list, ", ")
}
