package document

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/approval/plan"
)

// A Site is where machines reach the registrar and etcd. In its zero value, and where a part is
// empty, they go on with what they were told when they joined.
type Site struct {
	Registrar string   // URL
	Etcd      []string // endpoints
}

// maxEndpoints is more nodes than any cluster has.
const maxEndpoints = 16

func (s Site) empty() bool { return s.Registrar == "" && len(s.Etcd) == 0 }

func (s Site) equal(o Site) bool {
	return s.Registrar == o.Registrar && slices.Equal(s.Etcd, o.Etcd)
}

func (s Site) fields() map[string]any {
	return map[string]any{"etcd": append([]string{}, s.Etcd...), "registrar": s.Registrar}
}

func readSite(f plan.Fields) Site { return Site{f.Text("registrar"), f.Texts("etcd")} }

func (s Site) line() string {
	return fmt.Sprintf("registrar at %q, etcd at %q", s.Registrar, strings.Join(s.Etcd, " "))
}

// check refuses addresses that cannot be reached by TLS.
func (s Site) check() error {
	if s.Registrar != "" {
		u, err := url.Parse(s.Registrar)
		if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil ||
			strings.TrimSuffix(s.Registrar, "/") != "https://"+u.Host {
			return fmt.Errorf("registrar %q: it must be https://HOST[:PORT]", s.Registrar)
		}
	}
	if len(s.Etcd) > maxEndpoints {
		return fmt.Errorf("more than %d endpoints of etcd", maxEndpoints)
	}
	for _, e := range s.Etcd {
		if !IsEndpoint(e) {
			return fmt.Errorf("etcd server %q: it must be https://HOST:PORT", e)
		}
	}
	return nil
}

// endpoint is a server of etcd that is reached by TLS.
var endpoint = regexp.MustCompile(`^(https://)?[-0-9A-Za-z._:\[\]]+$`)

// IsEndpoint reports whether a text can be a server of etcd, which is reached by TLS.
func IsEndpoint(text string) bool { return endpoint.MatchString(text) }
