package console

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"
)

// An Address is where the console listens, and what browsers call it. Its zero value is a port of
// the loopback that the kernel chooses.
type Address struct {
	Listen    string // HOST:PORT; of names only localhost
	Cert, Key string // files, PEM; both or none
	// URL is what browsers call it, if something that has the certificate is in front of it: a
	// reverse proxy, or a tailnet.
	URL string
}

// bind listens, and returns what browsers call the server: scheme://host.
func (a Address) bind(now func() time.Time) (net.Listener, string, error) {
	listen, scheme, name := a.Listen, "http", ""
	if listen == "" {
		listen = "127.0.0.1:0"
	}
	if port, ok := strings.CutPrefix(listen, "localhost:"); ok {
		// browsers have passkeys for this name, and none for the address
		listen, name = "127.0.0.1:"+port, "localhost"
	}
	var pair *certificate
	switch {
	case (a.Cert == "") != (a.Key == ""):
		return nil, "", errors.New("--cert and --key belong together")
	case a.Cert != "":
		pair = &certificate{cert: a.Cert, key: a.Key, now: now}
		if err := pair.load(); err != nil {
			return nil, "", err
		}
		scheme = "https"
	case !isLoopback(listen):
		return nil, "", fmt.Errorf("%q can be reached by other machines: add --cert and --key, or "+
			"listen on 127.0.0.1 behind a proxy that has a certificate, with --url", listen)
	}
	base := ""
	if a.URL == "" && isEverywhere(listen) {
		return nil, "", fmt.Errorf("%q is every address of this machine: say with --url what "+
			"browsers call it, the name in the certificate", listen)
	}
	if a.URL != "" {
		u, err := url.Parse(a.URL)
		if err != nil || u.Scheme != "https" || u.Host == "" || u.Path != "" && u.Path != "/" ||
			u.RawQuery != "" || u.Fragment != "" || u.User != nil {
			return nil, "", fmt.Errorf("%q is not https://HOST or https://HOST:PORT", a.URL)
		}
		base = spelled(u.Scheme, u.Host)
	}
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, "", fmt.Errorf("listen on %s: %w", listen, err)
	}
	listener = newLimited(listener)
	if base == "" {
		base = spelled(scheme, called(listener.Addr().String(), name))
	}
	if pair != nil {
		listener = tls.NewListener(listener, &tls.Config{MinVersion: tls.VersionTLS13,
			GetCertificate: pair.get, NextProtos: []string{"http/1.1"}})
	}
	return listener, base, nil
}

// called is an address with a name in the place of its host, if there is one.
func called(address, name string) string {
	_, port, err := net.SplitHostPort(address)
	if name == "" || err != nil {
		return address
	}
	return net.JoinHostPort(name, port)
}

// spelled is an origin as browsers write it: in lower case, and without the port that is usual.
func spelled(scheme, host string) string {
	usual := map[string]string{"http": ":80", "https": ":443"}[scheme]
	return scheme + "://" + strings.TrimSuffix(strings.ToLower(host), usual)
}

// isEverywhere reports whether an address is that of every interface.
func isEverywhere(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	ip := net.ParseIP(host)
	return err == nil && (host == "" || ip != nil && ip.IsUnspecified())
}

// isLoopback reports whether only this machine can reach an address.
func isLoopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	ip := net.ParseIP(host)
	return err == nil && ip != nil && ip.IsLoopback()
}

// A certificate is read again when its file has changed: who renews it need not start the console
// again.
type certificate struct {
	cert, key string
	now       func() time.Time

	mu      sync.Mutex
	changed time.Time
	pair    *tls.Certificate
}

func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	err := c.load()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pair == nil {
		return nil, err
	}
	return c.pair, nil // one that is being written does not take the place of the last one
}

// load reads the certificate if its file has changed. One that is not valid now is an error.
func (c *certificate) load() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	info, err := os.Stat(c.cert)
	if err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	if c.pair != nil && info.ModTime().Equal(c.changed) {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return fmt.Errorf("certificate %q, key %q: %w", c.cert, c.key, err)
	}
	if now := c.now(); now.After(pair.Leaf.NotAfter) || now.Before(pair.Leaf.NotBefore) {
		return fmt.Errorf("certificate %q is valid from %s to %s, not now", c.cert,
			pair.Leaf.NotBefore.Local().Format(time.DateTime),
			pair.Leaf.NotAfter.Local().Format(time.DateTime))
	}
	c.pair, c.changed = &pair, info.ModTime()
	return nil
}
