package hosts

import (
	"testing"

	"github.com/tada-run/tada-run/shellparse"
)

// An entry of network.allow allows an endpoint by its host, or a net or a domain around it, and by
// the ports of its scheme.
func TestAllowed(t *testing.T) {
	for _, tt := range []struct {
		entry string
		n     shellparse.Endpoint
		want  bool
	}{
		{"a.test:443", shellparse.Endpoint{Scheme: "https", Host: "a.test"}, true},
		{"a.test:443", shellparse.Endpoint{Scheme: "https", Host: "a.test", Port: 8443}, false},
		{"a.test:443", shellparse.Endpoint{Host: "a.test"}, false},
		{"a.test", shellparse.Endpoint{Host: "a.test", Port: 1}, true},
		{"10.0.0.0/8:22", shellparse.Endpoint{Scheme: "ssh", Host: "10.1.1.1"}, true},
		{"10.0.0.0/8:22", shellparse.Endpoint{Scheme: "ssh", Host: "11.1.1.1"}, false},
	} {
		if got := Allowed(tt.n, []string{tt.entry}); got != tt.want {
			t.Errorf("%s, %+v: %v", tt.entry, tt.n, got)
		}
	}
}

// An entry that is covered by a list allows nothing that the list does not allow.
func TestCoveredBy(t *testing.T) {
	for _, tt := range []struct {
		entry, other string
		want         bool
	}{
		{"a.test:443", "a.test", true},
		{"a.test", "a.test:443", false},
		{"b.a.test:22", "*.a.test", true},
		{"a.test", "*.a.test", false},
		{"10.1.1.1:22", "10.0.0.0/8:22", true},
		{"[fd00::1]:22", "fd00::1", true},
	} {
		if got := CoveredBy(tt.entry, []string{tt.other}); got != tt.want {
			t.Errorf("%s by %s: %v", tt.entry, tt.other, got)
		}
	}
}
