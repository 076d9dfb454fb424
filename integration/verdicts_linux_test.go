package integration

import (
	"bufio"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A judgedCorpus is a set of lines, with the world in which they are judged.
type judgedCorpus struct {
	name  string
	world world
}

// corpora are the development corpus and, if TEST_REAL_CORPUS names its folder, the lines that
// agents really ran: real.jsonl, hostile.jsonl and bed.json.gz.
func corpora(t *testing.T) []judgedCorpus {
	t.Helper()
	w := worldOf(t, bed{}, worldConfig)
	w.Lines = append(corpus(t, "benign.jsonl"), corpus(t, "hostile.jsonl")...)
	list := []judgedCorpus{{"development", w}}
	dir := os.Getenv("TEST_REAL_CORPUS")
	if dir == "" {
		t.Log("TEST_REAL_CORPUS does not name a folder: the development corpus only")
		return list
	}
	w = worldOf(t, bedOf(t, dir), "")
	w.Lines = append(corpusFile(t, filepath.Join(dir, "real.jsonl")),
		corpusFile(t, filepath.Join(dir, "hostile.jsonl"))...)
	return append(list, judgedCorpus{"real", w})
}

// TestVerdicts compares the verdict, risk, rules and effects of every line with those in the file
// TEST_VERDICTS, and writes the file if it is missing. It proves that a change affects no verdict:
// make verdicts VERDICTS=before.jsonl, before and after.
func TestVerdicts(t *testing.T) {
	file := os.Getenv("TEST_VERDICTS")
	if file == "" {
		t.Skip("TEST_VERDICTS names no file: run make verdicts")
	}
	now := map[string]judged{}
	for _, c := range corpora(t) {
		for _, v := range c.world.judge(t) {
			v.Readers = nil
			now[c.name+" "+v.ID] = v
		}
	}
	before := readVerdicts(t, file)
	if before == nil {
		writeVerdicts(t, file, now)
		t.Logf("%s: the verdicts of %d lines", file, len(now))
		return
	}
	changed := 0
	for id, was := range before {
		is, ok := now[id]
		switch {
		case !ok:
			t.Errorf("%s: the line is missing", id)
		case is.Verdict != was.Verdict || is.Risk != was.Risk ||
			!slices.Equal(is.Rules, was.Rules) || is.Effects != was.Effects:
			changed++
			t.Errorf("%s: %s %d %v %s, was %s %d %v %s", id, is.Verdict, is.Risk, is.Rules,
				is.Effects, was.Verdict, was.Risk, was.Rules, was.Effects)
		}
	}
	t.Logf("%d of %d lines changed", changed, len(before))
}

func readVerdicts(t *testing.T, file string) map[string]judged {
	t.Helper()
	f, err := os.Open(file)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list := map[string]judged{}
	for in := bufio.NewScanner(f); in.Scan(); {
		var v judged
		if err := json.Unmarshal(in.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		list[v.ID] = v
	}
	return list
}

func writeVerdicts(t *testing.T, file string, list map[string]judged) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	out := json.NewEncoder(f)
	for _, id := range slices.Sorted(maps.Keys(list)) {
		v := list[id]
		v.ID = id
		if err := out.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
