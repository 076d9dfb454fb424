package permit

import (
	"errors"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
)

// B-R3.1, B-R3.3, B-R3.3a: a question lives for an hour; the caller's environment can only
// shorten that, and nonsense in it is refused.
func TestApprovalTTL(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": time.Hour, "60": time.Minute, "3600": time.Hour, "3601": time.Hour,
		"1000000000": time.Hour,
	} {
		if got, err := approvalTTL(text); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"abc", "0", "-1", "1.5", " 60", "99999999999999999999"} {
		if _, err := approvalTTL(text); !errors.As(err, new(*approval.ConfigError)) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
