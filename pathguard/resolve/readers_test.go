package resolve

import (
	"maps"
	"slices"
	"testing"
)

// Each program whose files of code are parsed is handed what was parsed.
func TestReaders(t *testing.T) {
	all, again := Readers()
	for _, name := range slices.Concat(Shells, slices.Collect(maps.Keys(interpreters)),
		[]string{"make", "gmake"}) {
		if name = unversioned(name); !slices.Contains(all, name) {
			t.Errorf("%s is not in readers.txt", name)
		}
	}
	if !slices.Contains(again, unversioned("/usr/bin/python3.11")) ||
		slices.Contains(again, "bash") {
		t.Error(again)
	}
}
