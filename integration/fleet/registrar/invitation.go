package registrar

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// MaxInvitation is the longest that an invitation can be valid.
const MaxInvitation = 24 * time.Hour

// An Invitation is what the registrar knows of a machine before it joins.
type Invitation struct {
	Labels document.Labels
	Owner  string
	People bool // answers for other machines are given at it
}

// A Link is an invitation for the machine that is invited.
type Link struct {
	URL    string // of the registrar
	ID     string // of the invitation
	Secret string
	Pin    Pins
}

// Pins are what the machine that is invited knows beforehand of whom it will trust.
type Pins struct {
	Authority string // see [Pin]
	Fleet     string // see [document.Fleet.Pin]
}

// secretSize is the size of an invitation's secret, in bytes.
const secretSize = 24

// Invite stores an invitation for a time and returns its link. kv is a connection that may write
// invitations: the registrar's own, or an administrator's.
func Invite(ctx context.Context, kv *clientv3.Client, i Invitation, site Link,
	life time.Duration) (Link, error) {
	if life <= 0 || life > MaxInvitation {
		return Link{}, fmt.Errorf("an invitation is valid for up to %v, not %v", MaxInvitation,
			life)
	}
	random := make([]byte, 8+secretSize)
	if _, err := rand.Read(random); err != nil {
		return Link{}, err
	}
	site.ID = hex.EncodeToString(random[:8])
	site.Secret = base64.RawURLEncoding.EncodeToString(random[8:])
	value, err := canonical.Append(nil, map[string]any{"labels": i.Labels.String(),
		"owner": i.Owner, "people": i.People, "sum": secretSum(site.Secret),
		"until": plan.FormatTime(time.Now().Add(life))})
	if err != nil {
		return Link{}, err
	}
	lease, err := kv.Grant(ctx, int64(life/time.Second))
	if err != nil {
		return Link{}, err
	}
	_, err = kv.Put(ctx, keyspace.Tokens+site.ID, string(value), clientv3.WithLease(lease.ID))
	return site, err
}

func secretSum(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// readInvitation reads a stored invitation, for whoever has its secret in time. The lease alone
// would not end it: every member of etcd can keep a lease alive.
func readInvitation(value []byte, secret string, now time.Time) (Invitation, error) {
	v, err := canonical.Parse(value)
	if err != nil {
		return Invitation{}, err
	}
	f := plan.AsFields(v)
	if f.Text("sum") != secretSum(secret) { // a sum of random bytes tells nothing by its time
		return Invitation{}, errNotInvited
	}
	if now.After(f.Time("until").Add(clockSkew)) {
		return Invitation{}, errNotInvited
	}
	labels, err := document.ParseLabels(f.Text("labels"))
	return Invitation{Labels: labels, Owner: f.Text("owner"), People: f.Flag("people")}, err
}

// errNotInvited is returned for a secret that is wrong, used or too old.
var errNotInvited = errors.New("this invitation is not valid: it was used, is too old, or was " +
	"never made; ask for another: tadactl fleet invite")

// String returns the link: the registrar's address, and in the fragment, which no server receives
// by itself, what the machine has to know.
func (l Link) String() string {
	return strings.TrimSuffix(l.URL, "/") + "/#" + strings.Join([]string{l.ID, l.Secret,
		l.Pin.Authority, l.Pin.Fleet}, ".")
}

// ParseLink reads a link.
func ParseLink(text string) (Link, error) {
	bad := func(why string) (Link, error) {
		return Link{}, fmt.Errorf("this is not an invitation: %s; it is the whole line that "+
			"tadactl fleet invite prints", why)
	}
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return bad("it is not a URL")
	}
	parts := strings.Split(u.Fragment, ".")
	switch {
	case u.Scheme != "https" || u.Host == "" || u.User != nil:
		return bad("it does not begin with https://HOST")
	case len(parts) != 4 || slices.Contains(parts, ""):
		return bad("what is behind # is cut off")
	case !document.IsPin(parts[3]):
		// the registrar would let the machine in, which then could not know whether it is the fleet
		return bad("its end is damaged")
	}
	u.Fragment = ""
	return Link{URL: strings.TrimSuffix(u.String(), "/"), ID: parts[0], Secret: parts[1],
		Pin: Pins{Authority: parts[2], Fleet: parts[3]}}, nil
}
