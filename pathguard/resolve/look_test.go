package resolve

import "testing"

// A workspace is looked through once for the questions of a moment, and again in the next.
func TestLookOnce(t *testing.T) {
	var l Look
	looked := 0
	find := func(string) []string { looked++; return nil }
	for _, workspace := range []string{"/a", "/b", "/a", "/b"} {
		l.outside(workspace, find)
	}
	l.Forget()
	l.outside("/a", find)
	if looked != 3 {
		t.Errorf("looked %d times, want 3", looked)
	}
}
