package integration

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// certify writes a certificate of 127.0.0.1 and its key, and returns the files.
func certify(t *testing.T, dir string, from, until time.Time) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(from.Unix()), NotBefore: from,
		NotAfter: until, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true,
		BasicConstraintsValid: true}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(),
		private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: signed},
		key: {Type: "PRIVATE KEY", Bytes: encoded}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// consoleAt starts the console, and returns its address.
func consoleAt(t *testing.T, p *place, flags string) (base, path string) {
	t.Helper()
	g := consoleOn(t, p, flags)
	return g.base, g.path
}

// consoleOn starts the console on a terminal of its own. Nobody has opened its link yet.
func consoleOn(t *testing.T, p *place, flags string) *page {
	t.Helper()
	s, tty := p.on("tadactl console " + flags)
	if err := s.shows("shown here:"); err != nil {
		t.Fatal(err, s.text())
	}
	// the terminal breaks the address
	m := regexp.MustCompile(`(https?://[^/ ]+)(/[0-9a-f]{64}/)`).FindStringSubmatch(
		strings.ReplaceAll(s.text(), "\n", ""))
	if m == nil {
		t.Fatalf("no address: %q", s.text())
	}
	return &page{t: t, p: p, terminal: s, tty: tty, base: m[1], path: m[2]}
}

// The console listens with a certificate, which may be renewed; browsers on other machines reach it
// in no other way than with one. Behind something that has one it answers to that name.
func TestConsoleListens(t *testing.T) {
	t.Parallel()
	p := newPlace(t).asking()
	now := time.Now()
	cert, key := certify(t, t.TempDir(), now.Add(-time.Hour), now.Add(time.Hour))
	base, path := consoleAt(t, p, fmt.Sprintf("--listen 127.0.0.1:0 --cert %s --key %s", cert, key))
	serial := func() *big.Int {
		t.Helper()
		c, err := tls.Dial("tcp", strings.TrimPrefix(base, "https://"),
			&tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if c.ConnectionState().Version != tls.VersionTLS13 {
			t.Error("an old version of TLS")
		}
		return c.ConnectionState().PeerCertificates[0].SerialNumber
	}
	first := serial()
	g := &page{t: t, p: p, base: base, path: path}
	get := func(host string) (int, string) {
		t.Helper()
		status, _, body := g.send("GET", g.path, nil, func(r *http.Request) { r.Host = host })
		return status, body
	}
	if status, _ := get("evil.example"); status != 403 {
		t.Errorf("another host: %d", status)
	}
	g.enter(nil)
	if status, body := get(""); status != 200 || !strings.Contains(body,
		"no open questions") {
		t.Errorf("%d %s", status, body)
	}
	if status, _ := get("evil.example"); status != 403 {
		t.Errorf("another host: %d", status)
	}
	if !g.cookie.Secure || g.cookie.Name != "__Secure-session" {
		t.Errorf("a cookie that goes over http too: %v", g.cookie)
	}
	if err := os.Chtimes(cert, now.Add(-time.Minute), now.Add(-time.Minute)); err != nil {
		t.Fatal(err)
	}
	certify(t, filepath.Dir(cert), now.Add(-2*time.Hour), now.Add(2*time.Hour))
	if serial().Cmp(first) == 0 {
		t.Error("the old certificate after it was renewed")
	}

	withTLS := base
	base, path = consoleAt(t, p, "--url https://Box.Example:443")
	if base != "https://box.example" {
		t.Error(base)
	}
	bars, err := os.ReadDir(filepath.Join(p.state, "run", "barred"))
	if err != nil || len(bars) != 2 {
		t.Fatalf("%v, %v", bars, err)
	}
	answered := 0
	for _, bar := range bars {
		g = &page{t: t, p: p, base: "http://127.0.0.1:" + bar.Name(), path: path}
		if "https://127.0.0.1:"+bar.Name() == withTLS {
			continue
		}
		if status, _ := get(""); status != 403 {
			t.Error("it answers to its own address too")
		}
		g.enter(func(r *http.Request) { r.Host = "box.example" })
		if status, _ := get("box.example"); status == 200 {
			answered++
		}
		if status, _ := get(""); status != 403 {
			t.Error("it answers to its own address too")
		}
	}
	if answered != 1 {
		t.Errorf("%d of %d answer", answered, len(bars))
	}

	old, oldKey := certify(t, t.TempDir(), now.Add(-2*time.Hour), now.Add(-time.Hour))
	for flags, want := range map[string]string{
		"--listen 0.0.0.0:0":                           "other machines",
		"--listen [::]:0":                              "other machines",
		"--listen :0":                                  "other machines",
		"--cert " + cert:                               "belong together",
		"--cert " + cert + " --key none":               "none",
		"--cert " + old + " --key " + oldKey:           "not now",
		"--listen :0 --cert " + cert + " --key " + key: "--url",
		"--url http://box.example":                     "https://HOST",
		"--url https://box.example/path":               "https://HOST",
		"--url https://user@box.example":               "https://HOST",
		"--listen 127.0.0.1:0 --url https://":          "https://HOST",
		"--listen 192.0.2.1:1 --url https://box.":      "other machines",
	} {
		s, _ := p.on("tadactl console " + flags + "; echo left $?")
		if err := s.shows("left 125"); err != nil || !strings.Contains(
			strings.ReplaceAll(s.text(), "\n", ""), want) {
			t.Errorf("%s: %v %s", flags, err, s.text())
		}
	}
}
