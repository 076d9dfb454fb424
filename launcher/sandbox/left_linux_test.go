package sandbox

import (
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
				dir := t.TempDir()
				p := Default(dir, "")
				p.Require, p.Most = level, level
				at, err := os.Open(dir)
				if err != nil {
					t.Fatal(err)
				}
				defer at.Close()
				process, _, err := Start(p,
					Command{Path: "/bin/bash", Argv: []string{"bash", "-c", test.line}, Dir: at,
						Env: []string{"PATH=/usr/bin:/bin"}})
				if err != nil {
					t.Fatal(err)
				}
				s, err := process.Wait()
				if err != nil || !slices.Equal(s.Left, test.want) {
					t.Errorf("%q, %v; want %q", s.Left, err, test.want)
				}
				if text, _ := os.ReadFile(filepath.Join(dir, "out")); test.line != "true" &&
					string(text) != "a\n" {
					t.Errorf("it wrote %q", text)
				}
			})
		}
	}
}
