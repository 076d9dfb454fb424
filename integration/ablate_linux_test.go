package integration

import (
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse/code"
)

// An ablation is what changes in a corpus when one reader is off.
type ablation struct {
	asked   int      // lines for which the reader is asked
	saved   []string // lines that are allowed with it, and not without
	stopped []string // lines that are asked or denied with it, and allowed without
	denied  []string // lines that are denied with it, and asked without
	loosed  []string // lines that are asked with it, and denied without
	told    []string // lines of which only risk, rules or effects differ
}

func (a *ablation) add(on, off judged) {
	id := on.ID + " " + strings.Join(on.Rules, ",") + " -> " + strings.Join(off.Rules, ",")
	switch with, without := strictness[on.Verdict], strictness[off.Verdict]; {
	case with == 0 && without > 0:
		a.saved = append(a.saved, id)
	case with > without && without == 0:
		a.stopped = append(a.stopped, id)
	case with > without:
		a.denied = append(a.denied, id)
	case with < without:
		a.loosed = append(a.loosed, id)
	case on.Risk != off.Risk || !slices.Equal(on.Rules, off.Rules) || on.Effects != off.Effects:
		a.told = append(a.told, id)
	}
}

var strictness = map[string]int{"empty": 0, "allow": 0, "ask": 1, "deny": 2, "error": 3}

// TestAblate turns the readers off, one at a time, and prints what changes. A reader that neither
// saves questions nor stops hostile lines has not earned its lines.
func TestAblate(t *testing.T) {
	only := os.Getenv("TEST_ABLATE")
	if only == "" {
		t.Skip("TEST_ABLATE is empty: run make ablate")
	}
	var report strings.Builder
	for _, c := range corpora(t) {
		fmt.Fprintf(&report, "%s: %d lines\n%-24s %6s %6s %6s %6s %8s %6s\n", c.name,
			len(c.world.Lines),
			"reader", "asked", "saves", "stops", "denies", "loosens", "tells")
		text := map[string]corpusLine{}
		for _, line := range c.world.Lines {
			text[line.ID] = line
		}
		asks, on := map[string][]corpusLine{}, map[string]judged{}
		for _, v := range c.world.judge(t) {
			on[v.ID] = v
			for _, reader := range v.Readers {
				asks[reader] = append(asks[reader], text[v.ID])
			}
		}
		for _, reader := range slices.Sorted(maps.Keys(asks)) {
			if only != "all" && only != reader ||
				!slices.Contains(code.Languages(), reader) &&
					!strings.HasPrefix(reader, "shell: ") {
				continue
			}
			a := ablation{asked: len(asks[reader])}
			off := c.world
			off.Without, off.Lines = reader, asks[reader]
			for _, v := range off.judge(t) {
				a.add(on[v.ID], v)
			}
			fmt.Fprintf(&report, "%-24s %6d %6d %6d %6d %8d %6d\n",
				reader, a.asked, len(a.saved), len(a.stopped), len(a.denied), len(a.loosed),
				len(a.told))
			if only == "all" {
				continue
			}
			for kind, list := range map[string][]string{"saves": a.saved, "stops": a.stopped,
				"denies": a.denied, "loosens": a.loosed, "tells": a.told} {
				for _, id := range list {
					t.Logf("%s %s: %s: %q", reader, kind, id, text[strings.Fields(id)[0]].Cmd)
				}
			}
		}
	}
	t.Log("\n" + report.String())
}

// A reader that is off leaves its programs opaque, and only tests can turn one off.
func TestReaderIsSwitchedOff(t *testing.T) {
	policy, caller := corpusPolicy(t)
	line := corpusLine{ID: "one", Cmd: `python3 -c 'import os; print(os.getcwd())'`}
	if v := judgeLine(t, policy, caller, line); v.Decision != pathguard.Allow {
		t.Errorf("%q with its reader: %v", line.Cmd, v.Decision)
	}
	reads := code.Reads
	defer func() { code.Reads = reads }()
	code.Reads = func(reader string) bool { return reader != "python" }
	if v := judgeLine(t, policy, caller, line); v.Decision != pathguard.Ask ||
		v.Reasons[0].Rule != "code.opaque" {
		t.Errorf("%q without its reader: %v %v", line.Cmd, v.Decision, v.Reasons)
	}
	for _, s := range sources(t) {
		file := path.Join("..", s.folder, s.file)
		if text := read(t, file); !s.test &&
			(strings.Contains(text, "code.Reads") || strings.Contains(text, "eval.Follows")) {
			t.Errorf("%s switches a reader off, which is for tests", file)
		}
	}
}
