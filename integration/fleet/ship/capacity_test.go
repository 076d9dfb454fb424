package ship

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tada-run/tada-run/integration/scale"
	"github.com/tada-run/tada-run/launcher"
)

// TestCapacity reports what a machine ships in a day of 200 runs, each in a minute of its own, and
// of 5,000, with four in a minute: make capacity. The runs are varied from those of the state
// directory TEST_REAL_RUNS.
func TestCapacity(t *testing.T) {
	real := os.Getenv("TEST_REAL_RUNS")
	if real == "" {
		t.Skip("a report for people: make capacity")
	}
	for _, day := range []struct{ runs, together int }{{200, 1}, {5000, 4}} {
		b := newBed(t)
		state := filepath.Join(t.TempDir(), "state")
		l, err := launcher.Place{State: state}.Open()
		if err != nil {
			t.Fatal(err)
		}
		m := b.memberOf(l)
		s := m.shipper()
		var sum Sent
		var took time.Duration
		once := func() error {
			began := time.Now()
			sent, _, err := s.Once(t.Context())
			took += time.Since(began)
			sum.Manifests, sum.Bytes = sum.Manifests+sent.Manifests, sum.Bytes+sent.Bytes
			return err
		}
		err = scale.Make(scale.Options{From: real, Home: state, Runs: day.runs, Until: time.Now(),
			Agents: []string{"claude", "codex"}, Each: func(n int) error {
				if n%day.together != day.together-1 {
					return nil
				}
				return once()
			}})
		if err == nil {
			err = once()
		}
		if err != nil {
			t.Fatal(err)
		}
		log := sizes(t, l.Home().Audit(), "log.")
		sessions := sizes(t, filepath.Join(state, "sessions"), "")
		t.Logf("%d runs: the log has %d KiB, transcripts %d KiB", day.runs, log>>10, sessions>>10)
		t.Logf("%d runs: shipped %d KiB in %d shipments, %v each", day.runs, sum.Bytes>>10,
			sum.Manifests, (took / time.Duration(sum.Manifests)).Round(time.Millisecond))
		m.skew += 2 * time.Hour
		life, _, err := s.Once(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("a sign of life: %d bytes", life.Bytes)
		began := time.Now()
		if err := m.shipper().catchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Logf("an agent that starts with its note reads the last manifest in %v",
			time.Since(began).Round(time.Millisecond))
		if err := os.Remove(m.Note); err != nil {
			t.Fatal(err)
		}
		began = time.Now()
		if err := m.shipper().catchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Logf("an agent that starts without its note reads %d manifests in %v", sum.Manifests+1,
			time.Since(began).Round(time.Millisecond))
		began = time.Now()
		entries, _, err := m.entriesOf(b.bucketOf())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d entries proven from the bucket in %v", len(entries),
			time.Since(began).Round(time.Millisecond))
	}
}

// sizes is how many bytes the files of a folder have whose names begin with a prefix.
func sizes(t *testing.T, dir, prefix string) (sum int64) {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, prefix+"*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range list {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().IsRegular() {
			sum += info.Size()
		}
	}
	return sum
}
