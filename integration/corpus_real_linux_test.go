package integration

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/plans"
	"github.com/tada-run/tada-run/audit/zstandard"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/frozen"
)

// TestRealLearned answers every question about half of the lines that agents really ran with yes,
// adds all rules that policy learn then proposes, and tells how much less the other half asks. No
// hostile line of either corpus is allowed by these rules.
func TestRealLearned(t *testing.T) {
	list := corpora(t)
	if len(list) < 2 {
		t.Skip("no real corpus: run make learn REAL=DIR")
	}
	w := list[1].world
	var halves [2][]corpusLine
	hostile := list[0].world.Lines
	for i, line := range w.Lines {
		if strings.HasPrefix(line.Class, "real-") {
			halves[i%2] = append(halves[i%2], line)
		} else {
			hostile = append(hostile, line)
		}
	}
	for i, half := range halves {
		w.Lines, w.Learned = slices.Concat(halves[1-i], hostile), nil
		before := w.judge(t)
		w.Learned = half
		after := w.judge(t)
		asked, asks := 0, 0
		for k, line := range w.Lines {
			was, is := before[k].Verdict == "ask", after[k].Verdict == "ask"
			switch {
			case k < len(halves[1-i]) && was && is:
				asked, asks = asked+1, asks+1
				t.Logf("still asks: %s %q", line.ID, before[k].Rules)
			case k < len(halves[1-i]) && was:
				asked++
			case was && !is:
				t.Errorf("%s: %q is allowed by rules for other lines", line.ID, line.Cmd)
			}
		}
		t.Logf("%d lines asked %d times, and ask %d times with what %d others taught",
			len(halves[1-i]), asked, asks, len(half))
	}
}

// learn puts runs of the lines on record, as if each question about them had been answered with
// yes, and adds what policy learn proposes to the configuration.
func learn(l *launcher.Launcher, lines []corpusLine) error {
	log, err := l.OpenLog()
	if err != nil {
		return err
	}
	for _, line := range lines {
		if err := noteYes(l, log, line); err != nil {
			return errors.Join(err, log.Close())
		}
	}
	if err := log.Close(); err != nil {
		return err
	}
	lessons, err := l.Recorded().Learned(time.Time{})
	if err != nil {
		return err
	}
	var rules []pathguard.Way
	for _, r := range lessons.Rules {
		fmt.Fprintf(os.Stderr, "learned: %s: [%s]\n", r.Key, r.Rule)
		rules = append(rules, pathguard.Way{Key: r.Key, Entry: r.Rule})
	}
	fmt.Fprintf(os.Stderr, "not learned: %v\n", lessons.Left)
	text, err := os.ReadFile(l.Home().Config())
	if err == nil {
		text, err = pathguard.Insert(text, rules...)
	}
	if err == nil {
		err = os.WriteFile(l.Home().Config(), text, 0o600)
	}
	packed, err2 := plans.Pack(context.Background(), l.Home().Plans(),
		audit.Codec{Encoder: zstandard.Encoder, Decoder: zstandard.Decoder})
	fmt.Fprintf(os.Stderr, "%d plans of %d runs take %d bytes\n", packed.Files, len(lines),
		packed.After)
	return errors.Join(err, err2)
}

// noteYes puts a run on record that was allowed, by a person if the policy asks.
func noteYes(l *launcher.Launcher, log *audit.Log, line corpusLine) error {
	j, err := l.Judge(launcher.Request{Shell: shell.Call{Text: line.Cmd, Name: "tada-run"},
		Env: os.Environ(), Dir: line.Cwd})
	if errors.Is(err, launcher.ErrEmpty) {
		return nil
	}
	if err != nil {
		return err
	}
	defer j.Close()
	p, home := l.Policy(), l.Home().Use()
	f := frozen.Frozen{Plan: p.Named(j.Plan)}
	f.Answers = j.Plan.Asked(func() { p.Judge(j.Plan) })
	name, err := plans.Put(home.Plans(), frozen.Freeze(f, nil))
	if err != nil {
		return err
	}
	id, err := state.NewID(home.Now(), home.Random)
	if err != nil {
		return err
	}
	ask := j.Verdict.Decision == pathguard.Ask
	body := map[string]any{"sid": id, "command": line.Cmd, "cwd": line.Cwd, "plan": name,
		"verdict": j.Verdict.Decision.String(), "rules": j.Verdict.Deciding()}
	for _, kind := range []string{record.KindIntent, record.KindStart} {
		text, err := canonical.Append(nil, body)
		if err == nil {
			_, err = log.Append(kind, text, audit.Lazy)
		}
		if err != nil || !ask {
			return err
		}
		body = map[string]any{"sid": id, "authority": "approval", "envelope_id": id}
	}
	return nil
}
