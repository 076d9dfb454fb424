package audit

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestEntries(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := openTest(t, dir)
	for _, k := range []string{"exec.intent", "rec.open", "exec.start", "rec.close", "exec.end"} {
		mustAppend(t, l, k, `{"cmd":"ls","kind":"`+k+`"}`)
	}
	collect := func(f Filter) string {
		var got []string
		for e, err := range Entries(dir, f) {
			if err != nil {
				got = append(got, "bad")
				continue
			}
			got = append(got, e.Kind)
		}
		return strings.Join(got, " ")
	}
	third := time.Date(2026, 3, 1, 12, 0, 0, 3e6, time.UTC)
	for _, c := range []struct {
		f    Filter
		want string
	}{
		{Filter{}, "exec.intent rec.open exec.start rec.close exec.end"},
		{Filter{Kinds: []string{"rec."}}, "rec.open rec.close"},
		{Filter{Kinds: []string{"exec.end", "rec.open"}}, "rec.open exec.end"},
		{Filter{Since: third}, "exec.start rec.close exec.end"},
		{Filter{Until: third}, "exec.intent rec.open"},
		{Filter{Text: `"kind":"exec.s`}, "exec.start"},
		{Filter{Last: 2}, "rec.close exec.end"},
		{Filter{Match: func(e Entry) bool { return e.Seq == 1 }}, "rec.open"},
	} {
		if got := collect(c.f); got != c.want {
			t.Errorf("%+v: %s, want %s", c.f, got, c.want)
		}
	}
	b := readLog(t, dir)
	writeLog(t, dir, append([]byte("garbage\n"), append(b, "torn"...)...))
	if got := collect(Filter{Kinds: []string{"exec.end"}}); got != "bad exec.end" {
		t.Errorf("with garbage: %s", got)
	}
	// a byte of a body
	writeLog(t, dir, bytes.Replace(b, []byte(`"body":{`), []byte(`"body":[`), 1))
	if got := collect(Filter{}); got != "bad rec.open exec.start rec.close exec.end" {
		t.Errorf("with a spoilt body: %s", got)
	}
	if got := collect(Filter{Kinds: []string{"rec."}}); got != "rec.open rec.close" {
		t.Errorf("with a spoilt body that nobody asked for: %s", got)
	}
	for _, err := range Entries(filepath.Join(dir, "none"), Filter{}) {
		if !errors.Is(err, os.ErrNotExist) {
			t.Errorf("no log: %v", err)
		}
	}
}
