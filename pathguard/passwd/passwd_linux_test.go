package passwd

import (
	"strings"
	"testing"
)

// /etc/passwd alone says whose home is where.
func TestAccounts(t *testing.T) {
	if name, home := NameOf(0), HomeOf(0); name != "root" || !strings.HasPrefix(home, "/") {
		t.Errorf("%q, %q", name, home)
	}
	if name, home := NameOf(-7), HomeOf(-7); name != "" || home != "" {
		t.Errorf("%q, %q", name, home)
	}
}
