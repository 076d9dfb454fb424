package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What is kept in a writable tree stays as it is at Strong, however it is named and whatever is
// mounted around it: with the folders that lead to it, in a tree in another, as a tree itself, as a
// folder, and where everything can be written. All the rest of the tree can be written and renamed.
func TestKept(t *testing.T) {
	top := t.TempDir()
	for _, test := range []struct {
		name  string
		write []string
		kept  []string
	}{
		{"a file and a deep one", []string{"ws"}, []string{"ws/f", "ws/a/b/f"}},
		{"a folder, and a file in it", []string{"ws"}, []string{"ws/a/b", "ws/a/b/f"}},
		{"in a tree in a tree", []string{"ws", "ws/a", "ws/a"}, []string{"ws/f", "ws/a/b/f"}},
		{"a tree itself", []string{"ws", "ws/f"}, []string{"ws/f"}},
		{"a tree with a name that begins alike", []string{"ws", "ws-2"},
			[]string{"ws/f", "ws-2/f"}},
		{"outside of every tree", []string{"ws/a"}, []string{"ws/f", "ws/a/b/f"}},
		{"everything", []string{"/"}, []string{"ws/f", "ws/a/b/f"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			must(t, os.RemoveAll(top))
			for _, dir := range []string{"ws/a/b", "ws-2"} {
				must(t, os.MkdirAll(filepath.Join(top, dir), 0o755))
			}
			for _, file := range []string{"ws/f", "ws/g", "ws/a/b/f", "ws/a/b/g", "ws-2/f"} {
				must(t, os.WriteFile(filepath.Join(top, file), []byte("as it was\n"), 0o644))
			}
			p := Default(top+"/nowhere", "")
			p.Require, p.Most, p.Write, p.Read = Strong, Strong, nil,
				append(p.Read, Path{Name: top})
			for _, name := range test.write {
				if name != "/" {
					name = filepath.Join(top, name)
				}
				p.Write = append(p.Write, Path{Name: name})
			}
			var script strings.Builder
			script.WriteString("exec 2>/dev/null; cd " + top + "\n")
			for _, kept := range test.kept {
				p.ReadOnly = append(p.ReadOnly, filepath.Join(top, kept))
				fmt.Fprintf(&script,
					"f=%s; test -d $f && f=$f/f; echo x >> $f; chmod 777 $f; touch -d @0 $f; rm -f $f; mv $f $f-2; ln $f $f-3; echo x > n; mv n $f; grep -qx 'as it was' $f || echo changed $f\n", kept)
			}
			if test.write[0] == "ws" {
				script.WriteString("echo x > ws/a/g && mv ws/a/g ws/new || echo cannot write\n" +
					"mv ws/a ws/moved && echo moved\n")
			}
			if _, out := shell(t, p, script.String()); strings.ReplaceAll(out, "moved\n",
				"") != "" || strings.Contains(out, "moved") &&
				slices.ContainsFunc(test.kept,
					func(k string) bool { return strings.HasPrefix(k, "ws/a") }) {
				t.Errorf("%q", out)
			}
			for _, kept := range test.kept {
				name := filepath.Join(top, kept)
				if st, err := os.Stat(name); err == nil && st.IsDir() {
					name += "/f"
				}
				text, err := os.ReadFile(name)
				st, err2 := os.Stat(name)
				must(t, errors.Join(err, err2))
				if string(text) != "as it was\n" || st.Mode().Perm() != 0o644 ||
					st.ModTime().Year() < 2000 {
					t.Errorf("%s is %q, %v, %v", kept, text, st.Mode(), st.ModTime())
				}
			}
		})
	}
}

// BenchmarkKept is a start with so many kept files: each costs as much as the one before.
func BenchmarkKept(b *testing.B) {
	ws := b.TempDir()
	for _, n := range []int{0, 1000, 4000} {
		p := Default(ws, "")
		p.Require, p.Most = Strong, Strong
		for i := range n {
			p.ReadOnly = append(p.ReadOnly, fmt.Sprintf("%s/%04d", ws, i))
			if err := os.WriteFile(p.ReadOnly[i], nil, 0o600); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				process, _, err := Start(p, Command{Path: "/bin/true", Argv: []string{"true"}})
				if err == nil {
					_, err = process.Wait()
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
