package launcher

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/state"
)

// keepBase has a version of a bundle in force, and the next one tried.
func keepBase(t *testing.T, home state.Home, version int64) {
	t.Helper()
	text := []byte("background: end\n")
	if err := errors.Join(
		home.KeepBundle(state.Bundle{Name: "base", Version: version, Text: text}),
		home.KeepBundle(state.Bundle{Name: "base", Version: version + 1, Trial: true, Text: text}),
	); err != nil {
		t.Fatal(err)
	}
}

// Every entry names the bundles that were in force, those of a run the ones that it began with. On
// a machine of no fleet none does.
func TestEntriesNameBundles(t *testing.T) {
	t.Parallel()
	l, req := world(t)
	home := l.state.Home
	said := func(n int64) (n2 int64, names []string) {
		t.Helper()
		for e, err := range audit.Entries(home.Audit(), audit.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			n2++
			if n2 <= n || strings.HasPrefix(e.Kind, "seal") {
				continue
			}
			var b struct{ Policies []string }
			if err := json.Unmarshal(e.Body, &b); err != nil {
				t.Fatal(err)
			}
			names = append(names, e.Kind+" "+strings.Join(b.Policies, ","))
		}
		return n2, names
	}
	run := func(command string) {
		t.Helper()
		l, err := own(home.Dir).Open()
		if err != nil {
			t.Fatal(err)
		}
		req.Shell.Text, req.Stdio = command, nowhere(t)
		if out, err := l.Run(t.Context(), req); err != nil || out.Status != 0 {
			t.Fatalf("%+v, %v", out, err)
		}
	}
	keepBase(t, home, 7) // left by a fleet that this machine is no longer in
	run("echo 1")
	seen, names := said(0)
	for _, name := range names {
		if !strings.HasSuffix(name, " ") {
			t.Errorf("%q in no fleet", name)
		}
	}
	if err := os.WriteFile(home.Membership(), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	// while it runs, the next version comes into force
	began, ends := filepath.Join(req.Dir, "began"), filepath.Join(req.Dir, "ends")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, err := os.Stat(began); err != nil; _, err = os.Stat(began) {
			if t.Context().Err() != nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		keepBase(t, home, 8)
		_ = os.WriteFile(ends, nil, 0o600)
	}()
	run("touch began; until [ -e ends ]; do sleep 0.05; done")
	<-done
	seen, names = said(seen)
	ends7 := 0
	for _, name := range names {
		if !strings.HasSuffix(name, " base@7") {
			t.Errorf("%q of a run that began with version 7", name)
		}
		if strings.HasPrefix(name, record.KindIntent) || strings.HasPrefix(name, record.KindEnd) {
			ends7++
		}
	}
	if ends7 != 2 {
		t.Errorf("%q", names)
	}
	// what is no run names what holds at that time
	if err := l.RecordUngated(Ungated{Bundle: "x", Version: 1, By: "ann",
		Why: "down"}); err != nil {
		t.Fatal(err)
	}
	if _, names = said(seen); len(names) != 1 || names[0] != record.KindUngated+" base@8" {
		t.Errorf("%q", names)
	}
}
