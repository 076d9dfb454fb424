package launcher

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tada-run/tada-run/launcher/shell"
)

// What a line names to change it can be kept before it starts, and what it only reads is not.
func TestAheadNames(t *testing.T) {
	l, base := world(t)
	for _, name := range []string{"a", "b", "c", "tree/x", "read", "one.o", "two.o"} {
		file := filepath.Join(base.Dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755),
			os.WriteFile(file, []byte("x\n"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	base.Shell = shell.Call{Name: "tada-run", Text: "rm -rf tree *.o; cat read >b; mv a to; " +
		"sed -i s/x/y/ c; touch new; rm $UNKNOWN_PART"}
	j := judged(t, l, base)
	var got []string
	for _, name := range j.ahead() {
		rel, err := filepath.Rel(base.Dir, name.path)
		if err != nil {
			t.Fatal(err)
		}
		if name.goes {
			rel += " goes"
		}
		got = append(got, rel)
	}
	for _, want := range []string{"tree goes", "b", "a goes", "c", "new", "to", "one.o goes",
		"two.o goes"} {
		if !slices.Contains(got, want) && !slices.Contains(got, want+" goes") {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	if slices.Contains(got, "read") || slices.Contains(got, "read goes") {
		t.Errorf("what is read: %q", got)
	}
}
