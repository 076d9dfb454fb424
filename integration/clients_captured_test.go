package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A capture is what one or more versions of a client pass to their shell and their hook. It is a
// file in testdata/clients, named after the first of these versions.
type capture struct {
	Versions []string          `json:"versions"`
	Env      []string          `json:"env"` // names that the shell is given
	Shell    []shellCall       `json:"shell"`
	Hook     []json.RawMessage `json:"hook"`
}

// A shellCall is one start of the shell: the words before the text, and the lines of the text; the
// first lines may be those of an earlier call.
type shellCall struct {
	Argv  []string `json:"argv"`
	As    int      `json:"as,omitempty"`
	Lines int      `json:"lines,omitempty"`
	Text  []string `json:"text"`
}

// fold removes from a text the first lines that it has in common with an earlier one.
func (s *shellCall) fold(before []string, text string) {
	lines := strings.Split(text, "\n")
	for i, other := range before {
		n, had := 0, strings.Split(other, "\n")
		for n < min(len(lines), len(had)) && lines[n] == had[n] {
			n++
		}
		if n > max(5, s.Lines) {
			s.As, s.Lines = i, n
		}
	}
	s.Text = lines[s.Lines:]
}

// keep writes the capture beside the older ones, or adds its version to an identical one.
func (got *capture) keep(t *testing.T, dir string) {
	t.Helper()
	version := got.Versions[0]
	all := map[string]*capture{}
	if files, _ := os.ReadDir(dir); len(files) > 0 {
		for _, old := range captures(t, filepath.Base(dir)) {
			if err := os.Remove(filepath.Join(dir, old.Versions[0]+".json")); err != nil {
				t.Fatal(err)
			}
			if old.Versions = slices.DeleteFunc(old.Versions,
				func(v string) bool { return v == version }); len(old.Versions) > 0 {
				all[old.body(t)] = &old
			}
		}
	}
	if same := all[got.body(t)]; same != nil {
		got.Versions = append(got.Versions, same.Versions...)
	}
	all[got.body(t)] = got
	for _, one := range all {
		slices.SortFunc(one.Versions, byNumbers)
		write(t, filepath.Join(dir, one.Versions[0]+".json"), one.text(t))
	}
	t.Logf("%s %v: %d starts of the shell, %d calls of the hook, %d different captures", dir,
		got.Versions, len(got.Shell), len(got.Hook), len(all))
}

// captures returns those of a client, the newest last.
func captures(t *testing.T, client string) (list []capture) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata/clients", client, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no captures of %s: %v", client, err)
	}
	for _, name := range files {
		var c capture
		if text, err := os.ReadFile(name); err != nil || json.Unmarshal(text, &c) != nil {
			t.Fatalf("%s: %v", name, err)
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b capture) int { return byNumbers(a.Versions[0], b.Versions[0]) })
	return list
}

// texts returns the complete texts that the shell was given.
func (got capture) texts() (texts []string) {
	for _, call := range got.Shell {
		var before []string
		if call.Lines > 0 {
			before = strings.Split(texts[call.As], "\n")[:call.Lines]
		}
		texts = append(texts, strings.Join(append(before, call.Text...), "\n"))
	}
	return texts
}

func (got *capture) body(t *testing.T) string {
	other := *got
	other.Versions = nil
	return other.text(t)
}

func (got *capture) text(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(got); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// byNumbers orders versions.
func byNumbers(a, b string) int {
	var x, y [3]int
	_, _ = fmt.Sscanf(a, "%d.%d.%d", &x[0], &x[1], &x[2])
	_, _ = fmt.Sscanf(b, "%d.%d.%d", &y[0], &y[1], &y[2])
	return slices.Compare(x[:], y[:])
}
