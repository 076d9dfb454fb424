package resolve

import "testing"

// A workspace is looked through once for the questions of a moment, and again in the next.
func TestLookOnce(t *testing.T) {
	var l Look
	looked := 0
	find := func() int { looked++; return looked }
	for _, of := range []seen{{"linked", "/a"}, {"linked", "/b"}, {"secrets", "/a"},
		{"linked", "/a"}, {"linked", "/b"}, {"secrets", "/a"}} {
		once(&l, of.what, of.workspace, find)
	}
	l.Forget()
	once(&l, "linked", "/a", find)
	if looked != 4 {
		t.Errorf("looked %d times, want 4", looked)
	}
	first := once(nil, "linked", "/a", find)
	if first == once(nil, "linked", "/a", find) {
		t.Error("without a look something was remembered")
	}
}
