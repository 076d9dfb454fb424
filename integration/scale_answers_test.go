package integration

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// answers is the row of a table: what the recorders take in turn, round by round.
func (p pair) answers(t *testing.T, s sought, list []*recorder, q, rounds int) (cells string) {
	t.Helper()
	wall, ratio := make([][]float64, len(list)), make([][]float64, len(list))
	peaks := make([]float64, len(list))
	for range rounds {
		for i, r := range list {
			if r.missing != "" || r.ask(s)[q] == nil {
				continue
			}
			took, peak := p.answer(t, s, r, q)
			wall[i] = append(wall[i], took)
			ratio[i] = append(ratio[i], took/wall[0][len(wall[0])-1])
			peaks[i] = max(peaks[i], peak)
		}
	}
	for i, r := range list {
		switch {
		case r.missing != "":
			cells += "not installed | "
		case wall[i] == nil:
			cells += "it cannot | "
		default:
			cells += fmt.Sprintf("%.1f (%.2f), %.0f | ", median(wall[i]), median(ratio[i]),
				peaks[i])
		}
	}
	return strings.TrimSuffix(cells, " ") + "\n"
}

// answer asks one recorder one question, and returns the time in ms and the memory in MB. What it
// finds is the sought run.
func (p pair) answer(t *testing.T, s sought, r *recorder, q int) (took, peak float64) {
	t.Helper()
	argv := r.ask(s)[q]
	cmd := exec.Command(argv[0], argv[1:]...)
	screen, tty, err := pty.Open() // asciinema opens its terminal even to print
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	defer tty.Close()
	cmd.Stdin, cmd.SysProcAttr = tty, &syscall.SysProcAttr{Setsid: true, Setctty: true}
	var out, said strings.Builder
	cmd.Env, cmd.Stdout, cmd.Stderr = append(p.env, "TZ=UTC"), &out, &said
	before := time.Now()
	peak, err = watched(cmd)
	took = float64(time.Since(before).Microseconds()) / 1000
	if err != nil {
		t.Fatalf("%q: %v\n%.2000s", argv, err, said.String())
	}
	if q != 0 && q != len(questions)-1 && !strings.Contains(out.String(), s.word) {
		t.Errorf("%q finds no %s: %.2000s", argv, s.word, out.String())
	}
	return took, peak
}

// onDisk is how much files and folders take, in kB.
func onDisk(t *testing.T, files []string) float64 {
	t.Helper()
	du := exec.Command("du", "--summarize", "--total", "--block-size=1")
	du.Args = append(du.Args, files...)
	out, err := du.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	n, err := strconv.ParseFloat(strings.Fields(lines[len(lines)-1])[0], 64)
	if err != nil {
		t.Fatal(err)
	}
	return n / 1000
}
