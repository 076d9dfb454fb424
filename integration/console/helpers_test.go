package console_test

import (
	"regexp"
	"testing"
)

// hidden is the value of a hidden field on a page.
func hidden(t *testing.T, page, name string) string {
	t.Helper()
	m := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("no %s: %s", name, page)
	}
	return m[1]
}
