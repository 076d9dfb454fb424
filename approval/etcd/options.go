package etcd

import (
	"cmp"
	"crypto/sha256"
	"crypto/tls"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval"
)

// Options are where a database is and what it needs. All but TLS, Cluster and Wait must be set.
type Options struct {
	Endpoints []string    // HOST:PORT or URL of each server
	TLS       *tls.Config // how to reach them; nil for plain connections
	Prefix    string      // of the keys; one machine has it for itself
	Secret    []byte      // of the seals, 32 bytes: a file of the machine, never in etcd
	Rand      io.Reader   // a cryptographic source, for tickets

	// Cluster is what [DB.Cluster] returned after the first use, and 0 before it. Another cluster
	// is refused, and so is a prefix that lost everything.
	Cluster uint64

	// Wait is how long a call waits for the servers: 30 s.
	Wait time.Duration
}

// checked returns the options with their defaults.
func (o Options) checked() (Options, error) {
	bad := func(name, value, need string) (Options, error) {
		return o, &approval.ConfigError{Name: name, Value: value, Need: need}
	}
	o.Wait = cmp.Or(o.Wait, 30*time.Second)
	switch {
	case len(o.Endpoints) == 0:
		return bad("etcd endpoints", "empty", "name at least one server")
	case o.Prefix == "" || strings.Trim(o.Prefix, "/") != o.Prefix:
		return bad("etcd prefix", strconv.Quote(o.Prefix),
			"it must not be empty, and neither begin nor end with a slash")
	case len(o.Secret) != sha256.Size:
		return bad("secret", strconv.Itoa(len(o.Secret))+" B",
			"it must have "+strconv.Itoa(sha256.Size)+" B")
	case o.Rand == nil:
		return bad("source of randomness", "nil", "it must be given")
	case o.Wait < 0:
		return bad("etcd wait", o.Wait.String(), "it must not be negative")
	}
	return o, nil
}

// The keys below the prefix.
func (o Options) headKey() string    { return o.Prefix + "/head" }
func (o Options) recordsKey() string { return o.Prefix + "/log/" }
func (o Options) partsKey() string   { return o.Prefix + "/part/" }

// path names the database in errors.
func (o Options) path() place {
	var hosts []string
	for _, e := range o.Endpoints {
		if _, host, ok := strings.Cut(e, "://"); ok {
			e = host
		}
		hosts = append(hosts, e)
	}
	return place("etcd://" + strings.Join(hosts, ",") + "/" + o.Prefix)
}
