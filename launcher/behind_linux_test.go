package launcher

import (
	"testing"

	"github.com/tada-run/tada-run/launcher/record"
)

// The processes that a command left running are on record.
func TestLeftBehindIsOnRecord(t *testing.T) {
	l, req := world(t)
	if got := status(t, l, req, "sleep 3600 & echo hi"); got != 0 {
		t.Fatal(got)
	}
	ends := entriesOf(t, l, record.KindEnd)
	if len(ends) != 1 {
		t.Fatal(ends)
	}
	if left, ok := ends[0]["left_running"].([]any); !ok || len(left) != 1 || left[0] != "sleep" {
		t.Errorf("the record has %v", ends[0]["left_running"])
	}
}
