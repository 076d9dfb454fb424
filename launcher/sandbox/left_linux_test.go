package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What a command leaves behind may end by itself within a moment; what is there then is ended, and
// told by name but for its own children. A tree that is to end leaves nothing.
func TestLeftBehind(t *testing.T) {
	if os.Geteuid() == 0 { // this process would adopt what the other tests leave behind
		_, _ = ordinaryUser()()
	}
	AdoptOrphans(true)
	defer AdoptOrphans(false)
	for _, level := range []Level{Strong, Base} {
		for _, test := range []struct {
			line string
			want []string
		}{
			{"true", nil},
			{"sleep 3600 & echo a >out", []string{"sleep"}},
			{"(sleep 3600 & exec setsid sleep 3600) & sleep 3600 & echo a >out",
				[]string{"sleep", "sleep"}},
			{"(sleep 0.05; echo a >out) & :", nil},
			{"sleep 3600 & echo a >out; kill -9 $$", []string{"sleep"}},
			{"sleep 3600 & kill $!; wait; echo a >out", nil},
		} {
			t.Run(level.String()+" "+test.line, func(t *testing.T) {
				for tries := 1; ; tries++ { // on a busy machine the moment is over sooner
					wrong := left(t, level, test.line, test.want)
					if wrong == "" {
						return
					}
					if tries == 5 {
						t.Fatal(wrong)
					}
				}
			})
		}
	}
}

// left runs a line, and returns how what it left and wrote differs from what is wanted.
func left(t *testing.T, level Level, line string, want []string) string {
	t.Helper()
	dir := t.TempDir()
	p := Default(dir, "")
	p.Require, p.Most = level, level
	at, err := os.Open(dir)
	must(t, err)
	defer at.Close()
	process, _, err := Start(p,
		Command{Path: "/bin/bash", Argv: []string{"bash", "-c", line}, Dir: at,
			Env: []string{"PATH=/usr/bin:/bin"}})
	must(t, err)
	s, err := process.Wait()
	if err != nil || !slices.Equal(s.Left, want) {
		return fmt.Sprintf("%q, %v; want %q", s.Left, err, want)
	}
	text, _ := os.ReadFile(filepath.Join(dir, "out"))
	if line != "true" && string(text) != "a\n" {
		return fmt.Sprintf("it wrote %q", text)
	}
	return ""
}
