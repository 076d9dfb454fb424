package past

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/state"
)

// readForward is Runs by reading the log once from its beginning: what every other way to read runs
// is held against. Nothing here is alive or waits.
func readForward(t *testing.T, l *Reader) []Run {
	t.Helper()
	var runs []Run
	about, order := map[string][]audit.Entry{}, []string{}
	answers, granted := map[string]string{}, map[string]bool{}
	told, unproven := map[string]int64{}, map[string]string{}
	for e, err := range audit.Entries(l.dir.Audit(), audit.Filter{}) {
		if err != nil {
			continue
		}
		if g, ok := e.Gap(); ok {
			for sid, at := range told {
				if g.Covers(at) && unproven[sid] == "" {
					unproven[sid] = g.Unproven()
				}
			}
			continue
		}
		var body struct {
			SID, Outcome string
			Envelope     string `json:"envelope_id"`
		}
		if err := json.Unmarshal(e.Body, &body); err != nil {
			t.Fatal(err)
		}
		switch {
		case strings.HasPrefix(e.Kind, "approval."):
			granted[body.Envelope] = granted[body.Envelope] || e.Kind == approval.KindGranted
			answers[body.Envelope] = questionStates[[2]string{e.Kind, body.Outcome}]
		case strings.HasPrefix(e.Kind, "exec."):
			if about[body.SID] == nil {
				order = append(order, body.SID)
			}
			about[body.SID] = append(about[body.SID], e)
			told[body.SID] = e.Offset
		}
	}
	for _, sid := range order {
		r, err := pastOf(about[sid])
		if err != nil {
			t.Fatal(err)
		}
		if r.asked && answers[r.Envelope] != "" {
			r.State = answers[r.Envelope]
		}
		if r.asked && granted[r.Envelope] {
			r.State = "approved"
		}
		if r.State == "running" {
			r.State = "lost"
		}
		if r.asked && r.State == "refused" {
			r.State = "expired"
		}
		r.Unproven = unproven[sid]
		runs = append(runs, r)
	}
	return runs
}

// A made log has runs of every kind and length that overlap, by a clock that is set back now and
// then, with answers before and after, and parts that a person accepted.
type madeLog struct {
	*testing.T
	l      *Reader
	now    time.Time
	random *rand.Rand
	open   []func() bool // what is left of runs: each adds an entry, and is false at the end
	log    *audit.Log
}

func (m *madeLog) add(kind string, body object) {
	b, err := json.Marshal(body)
	if err != nil {
		m.Fatal(err)
	}
	if _, err := m.log.Append(kind, b, audit.Lazy); err != nil {
		m.Fatal(err)
	}
}

type object = map[string]any

// begin announces a run; what becomes of it follows between other entries.
func (m *madeLog) begin() {
	id, err := state.NewID(m.now, chance{m.random})
	if err != nil {
		m.Fatal(err)
	}
	envelope := "question of " + id
	m.add(record.KindIntent, object{"sid": id, "command": "echo " + id, "cwd": "/w",
		"verdict": "allow", "within": strings.Repeat("x", m.random.IntN(2000))})
	start := func() { m.add(record.KindStart, object{"sid": id, "level": "base"}) }
	end := func() { m.add(record.KindEnd, object{"sid": id, "status": m.random.IntN(3)}) }
	answer := func() {
		k := []string{approval.KindDecided, approval.KindRejected, approval.KindExpired,
			approval.KindGranted}[m.random.IntN(4)]
		m.add(k, object{"envelope_id": envelope,
			"outcome": []string{approval.OutcomeApproved, approval.OutcomeDenied,
				approval.OutcomeCancelled, approval.OutcomeExpired}[m.random.IntN(4)]})
	}
	steps := [][]func(){
		{start, end},
		{func() { m.add(record.KindDenied, object{"sid": id, "code": "policy_denied"}) }},
		{func() {
			m.add(record.KindDenied, object{"sid": id, "code": "pending", "envelope_id": envelope})
		}, answer},
		{answer, func() {
			m.add(record.KindDenied, object{"sid": id, "code": "pending", "envelope_id": envelope})
		}},
		{answer, start, end},
		{start, func() { m.add(audit.KindLeft, object{"sid": id, "status": 0}) }, end},
		{start, func() { m.add(audit.KindOrphan, object{"sid": id, "started": true}) }},
		{start, func() { m.add(audit.KindOrphan, object{"sid": id, "started": true}) }, end},
		{func() { m.add(record.KindFailed, object{"sid": id}) }},
		{start},
		{},
	}[m.random.IntN(11)]
	m.open = append(m.open, func() bool {
		if len(steps) == 0 {
			return false
		}
		steps[0]()
		steps = steps[1:]
		return true
	})
}

// chance makes ids of a seed.
type chance struct{ *rand.Rand }

func (c chance) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(c.Uint32())
	}
	return len(b), nil
}

// disturb has other bytes in the log, which a person accepts.
func (m *madeLog) disturb() {
	name := filepath.Join(m.l.dir.Audit(), "log.jsonl")
	b, err := os.ReadFile(name)
	if err != nil {
		m.Fatal(err)
	}
	if m.random.IntN(2) == 0 { // change the middle of an entry
		i := len(b) - 1 - m.random.IntN(min(len(b)-1, 3000))
		b[i] ^= 1
	} else {
		b = append(b, "other\n"...)
	}
	if err := os.WriteFile(name, b, 0o600); err != nil {
		m.Fatal(err)
	}
	if _, err := m.log.Accept("dev", "for a test"); err != nil {
		m.Fatal(err)
	}
}

// However runs are read, from the end, by their ids, from a time on, with the entries about them,
// what is said of them is what reading the whole log says.
func TestRunsAreReadAlike(t *testing.T) {
	seeds := uint64(6)
	if testing.Short() { // a log in order, and one that is disturbed
		seeds = 2
	}
	for seed := range seeds {
		home, err := state.OpenHome(filepath.Join(t.TempDir(), "state"))
		if err != nil {
			t.Fatal(err)
		}
		l := readerOf(t, home.Use())
		m := &madeLog{T: t, l: l, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
			random: rand.New(rand.NewPCG(seed, 1))}
		l.dir.Now = func() time.Time { return m.now }
		if m.log, err = l.OpenLog(); err != nil {
			t.Fatal(err)
		}
		for range 150 {
			m.now = m.now.Add(time.Duration(m.random.IntN(4000)) * 10 * time.Millisecond)
			switch m.random.IntN(50) {
			case 0:
				m.now = m.now.Add(-time.Duration(m.random.IntN(600)) * time.Minute)
			case 1:
				if seed%2 == 1 {
					m.disturb()
				}
			default:
				m.begin()
			}
			for range m.random.IntN(4) {
				if len(m.open) == 0 {
					break
				}
				if i := m.random.IntN(len(m.open)); !m.open[i]() {
					m.open = slices.Delete(m.open, i, i+1)
				}
			}
		}
		m.log.Close()
		m.check(readForward(t, l))
	}
}

func readerOf(t *testing.T, dir *state.Directory) *Reader {
	t.Helper()
	r := record.Of(dir)
	approvals, err := permit.Open(dir, r)
	if err != nil {
		t.Fatal(err)
	}
	return Of(r, dir, approvals)
}

func (m *madeLog) check(want []Run) {
	m.Helper()
	got, err := m.l.Runs()
	if err != nil {
		m.Fatal(err)
	}
	byID := func(a, b Run) int { return strings.Compare(a.ID, b.ID) }
	if a, b := slices.SortedFunc(slices.Values(got), byID),
		slices.SortedFunc(slices.Values(want), byID); !reflect.DeepEqual(a, b) {
		for i := range min(len(a), len(b)) {
			if !reflect.DeepEqual(a[i], b[i]) {
				m.Errorf("%s, want %s", told(a[i]), told(b[i]))
			}
		}
		m.Fatalf("%d runs, want %d", len(got), len(want))
	}
	all := map[string][]int64{}
	for e, err := range m.l.Entries(audit.Filter{}) {
		var body struct{ SID string }
		if err == nil && json.Unmarshal(e.Body, &body) == nil {
			all[body.SID] = append(all[body.SID], e.Seq)
		}
	}
	for _, r := range want {
		one, err := m.l.Past(r.ID)
		if r.State == "announced" && r.Command == "" {
			continue
		}
		if err != nil || !reflect.DeepEqual(one, r) {
			m.Errorf("by its id: %s (%v), want %s", told(one), err, told(r))
		}
		var about []int64
		for e, err := range m.l.About(r) {
			var body struct{ SID string }
			if err == nil && json.Unmarshal(e.Body, &body) == nil && body.SID == r.ID {
				about = append(about, e.Seq)
			}
		}
		if !slices.Equal(about, all[r.ID]) {
			m.Errorf("entries about %s: %v, want %v", r.ID, about, all[r.ID])
		}
	}
	for range 20 {
		since := m.now.Add(-time.Duration(m.random.IntN(300)) * time.Minute)
		var later []Run
		for _, r := range got {
			if !r.Began.Before(since) {
				later = append(later, r)
			}
		}
		var newest []Run
		for r, err := range m.l.Newest(since) {
			if err == nil && !r.Began.Before(since) {
				newest = append(newest, r)
			}
		}
		if slices.Reverse(newest); !reflect.DeepEqual(newest, later) {
			m.Errorf("since %s: %d runs, want %d", since, len(newest), len(later))
		}
	}
	m.checkOlder(got)
}

// checkOlder compares what is older than some runs with all runs, oldest first. What has no
// beginning in the log is older than nothing.
func (m *madeLog) checkOlder(all []Run) {
	m.Helper()
	all = slices.DeleteFunc(slices.Clone(all), func(r Run) bool { return r.Command == "" })
	slices.Reverse(all)
	for range 20 {
		i := m.random.IntN(len(all) + 1)
		if i == len(all) {
			continue
		}
		var older []Run
		for r, err := range m.l.Older(all[i].ID) {
			if err == nil && r.Command != "" {
				older = append(older, r)
			}
		}
		if want := all[i+1:]; len(older) != len(want) ||
			len(want) > 0 && !reflect.DeepEqual(older, want) {
			for n := range min(len(older), len(want)) {
				if !reflect.DeepEqual(older[n], want[n]) {
					m.Errorf("%s, want %s", told(older[n]), told(want[n]))
				}
			}
			m.Fatalf("older than %s: %d runs, want %d", told(all[i]), len(older), len(want))
		}
	}
}

func told(r Run) string {
	return fmt.Sprintf("%s %s %s asked %t reported %t revived %t ended %s began %s %q",
		r.ID, r.State, r.Envelope, r.asked, r.reported, r.Revived, r.Ended, r.Began, r.Unproven)
}
