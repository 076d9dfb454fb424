package audit

import (
	"strings"
	"testing"
)

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 entries", 1: "1 entry", 2: "2 entries"} {
		if got := Plural(n, "entry"); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
	if got := Plural(int64(4), "try") + Plural(uint64(1), "torn byte") + Plural(int64(3),
		"torn byte"); got != "4 tries1 torn byte3 torn bytes" {
		t.Error(got)
	}
}

// What is not proven may be a single byte.
func TestOneIsCounted(t *testing.T) {
	text := Gap{Kind: KindAccept, Seq: 2, From: Doubtful{Count: 1}, Bytes: 1}.Unproven()
	if !strings.Contains(text, "apart from 1 byte of no entry, entry 1 is") {
		t.Error(text)
	}
}
