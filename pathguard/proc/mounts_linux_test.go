package proc

import (
	"os"
	"testing"
)

// What is asked twice is read once, as long as the kernel says that it is true.
func TestMounts(t *testing.T) {
	want, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	first, version := Mounts()
	if first != string(want) || version == 0 {
		t.Errorf("version %d: %q, want %q", version, first, want)
	}
	if again, other := Mounts(); again != first || other != version {
		t.Errorf("version %d after %d: %q", other, version, again)
	}
	if len(BootID()) != 36 {
		t.Errorf("%q", BootID())
	}
}
