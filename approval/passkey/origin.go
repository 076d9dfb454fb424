package passkey

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/tada-run/tada-run/approval"
)

// Host returns the host that a passkey for the pages of an origin is bound to. The origin must be
// https, or http on localhost, without a path, and spelled as a browser spells it. An address is
// refused, because browsers have passkeys for names only.
func Host(origin string) (string, error) {
	u, err := url.Parse(origin)
	if err != nil || origin != u.Scheme+"://"+u.Host || u.Host == "" {
		return "", fmt.Errorf("%q is not the origin of a page", origin)
	}
	host := u.Hostname()
	local := host == "localhost" || strings.HasSuffix(host, ".localhost")
	_, err = netip.ParseAddr(host)
	switch {
	case err == nil:
		return "", fmt.Errorf(
			"origin %q is an address; passkeys need a name, such as localhost", origin)
	case u.Scheme != "https" && (u.Scheme != "http" || !local):
		return "", fmt.Errorf("origin %q is not https", origin)
	case !isHost(host) || u.Port() == "" && strings.HasSuffix(u.Host, ":"):
		return "", fmt.Errorf("%q is not the origin of a page", origin)
	}
	return host, nil
}

// isHost reports whether s is a name as browsers write it: in lower case, ASCII.
func isHost(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '-' && c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return s != "" && len(s) <= 253 && !strings.Contains("."+s+".", "..")
}

// refused is an error around one of those of package approval.
func refused(err error, format string, args ...any) error {
	return &approval.TokenError{Err: err, Detail: "passkey: " + fmt.Sprintf(format, args...)}
}
