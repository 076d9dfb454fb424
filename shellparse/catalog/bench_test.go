package catalog

import "testing"

// What a start pays once.
func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		t := Table{text: environText, more: ofAgents("", "variable"), compiled: environIndex}
		t.Lookup("")
	}
}

// What each variable of an environment costs.
func BenchmarkLookup(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		for _, name := range []string{"PATH", "PROJECT_SETTING", "CARGO_HOME"} {
			Variable(name).Has("removed", "secret", "caller")
		}
	}
}
