package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// grown takes what a growing log has.
func grown(t testing.TB, g *Growing) (list []Entry) {
	t.Helper()
	for e, err := range g.Entries() {
		must(t, err)
		list = append(list, e)
	}
	return list
}

// Each entry is read once, while others append, go on in new files, and pack those that are full.
func TestGrowing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "audit")
	g := Grow(dir, VerifyOptions{Codec: packing}, Point{})
	if list := grown(t, g); list != nil {
		t.Errorf("%d entries of no log", len(list))
	}
	l := openPacking(t, dir)
	l.rotateAt = 2000
	const n = 200
	ended := make(chan bool)
	go func() {
		defer close(ended)
		for i := range n {
			if _, err := l.Append("test.entry", fmt.Appendf(nil, `{"i":%d}`, i), Lazy); err != nil {
				t.Error(err)
			}
			if i%40 == 39 {
				if _, err := l.Pack(context.Background()); err != nil {
					t.Error(err)
				}
			}
		}
	}()
	var got []Entry
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	for len(got) < n && ctx.Err() == nil {
		got = append(got, grown(t, g)...)
		if len(got) < n {
			g.Wait(ctx)
		}
	}
	<-ended
	if all := allEntries(t, dir); !sameEntries(got, all) || len(all) != n {
		t.Fatalf("%d entries of %d", len(got), len(all))
	}
	if list := grown(t, g); list != nil {
		t.Errorf("%d entries again", len(list))
	}
	after := Grow(dir, VerifyOptions{Codec: packing}, Point{got[149].Seq + 1, got[149].Hash})
	if list := grown(t, after); !sameEntries(list, got[150:]) {
		t.Errorf("%d entries after 150", len(list))
	}
	removed, _, err := l.Prune(Retention{MaxBytes: 6000}, "size", nil)
	must(t, err)
	early := Grow(dir, VerifyOptions{Codec: packing}, Point{3, got[2].Hash})
	if list := grown(t, early); removed < 10 || list[0].Seq != removed {
		t.Errorf("%d removed, and then %d", removed, list[0].Seq)
	}
	if list := grown(t, g); len(list) != 1 || list[0].Kind != kindPrune {
		t.Errorf("%+v", list)
	}
	mustAppend(t, l, "test.entry", `{}`)
	if list := grown(t, g); len(list) != 1 || list[0].Seq != n+1 {
		t.Errorf("%+v", list)
	}
}

// What is no entry is passed over where the log sets it apart, and what a person accepted is not
// proven.
func TestGrowingGaps(t *testing.T) {
	t.Parallel()
	dir := fill(t, 3)
	g := Grow(dir, VerifyOptions{}, Point{})
	grown(t, g)
	writeLog(t, dir, append(readLog(t, dir), `{"body":{"torn":`...))
	l := openTest(t, dir)
	mustAppend(t, l, "test.entry", `{}`)
	if list := grown(t, g); len(list) != 2 || list[0].Kind != KindRecover {
		t.Errorf("%+v", list)
	}
	forgeLast(t, dir)
	l = openTest(t, dir)
	_, err := l.Accept("ann", "seen")
	must(t, err)
	fresh := Grow(dir, VerifyOptions{}, Point{})
	for _, e := range grown(t, fresh) {
		if (fresh.Unproven(e) != "") != (e.Seq >= 3 && e.Kind != KindAccept) {
			t.Errorf("entry %d: %q", e.Seq, fresh.Unproven(e))
		}
	}
	for e, err := range g.Entries() {
		if err == nil {
			t.Errorf("%+v, after one that is gone", e)
		}
	}
}

// A log that was changed, cut or replaced ends the reading with an error.
func TestGrowingBroken(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(dir string) error{
		"changed": func(dir string) error {
			text, err := os.ReadFile(filepath.Join(dir, logName))
			return errors.Join(err, os.WriteFile(filepath.Join(dir, logName),
				bytes.Replace(text, []byte(`{"i":7}`), []byte(`{"i":8}`), 1), 0o600))
		},
		"cut": func(dir string) error {
			return os.Truncate(filepath.Join(dir, logName), 500)
		},
		"replaced": func(dir string) error {
			return errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(fill(t, 20))))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "audit")
			l := openTest(t, dir)
			mustAppend(t, l, "test.other", `{}`)
			for i := range 5 {
				mustAppend(t, l, "test.entry", fmt.Sprintf(`{"i":%d}`, i))
			}
			g := Grow(dir, VerifyOptions{}, Point{})
			grown(t, g)
			for i := range 5 {
				mustAppend(t, l, "test.entry", fmt.Sprintf(`{"i":%d}`, i+5))
			}
			must(t, harm(dir))
			var last error
			for _, err := range g.Entries() {
				last = err
			}
			var bad *BadEntry
			if !errors.As(last, &bad) {
				t.Errorf("%v", last)
			}
		})
	}
}
