package registrar

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"time"
)

// The lifetimes of certificates. A machine renews its own when a third is left.
const (
	authorityLife = 20 * 365 * 24 * time.Hour
	serverLife    = 5 * 365 * 24 * time.Hour
	MachineLife   = 30 * 24 * time.Hour
)

// clockSkew is how far the clocks of machines may be behind the registrar's.
const clockSkew = 10 * time.Minute

// rootUser is the user of etcd that may do everything.
const rootUser = "root"

// An authority signs the certificates of a fleet.
type authority struct {
	cert *x509.Certificate
	key  ed25519.PrivateKey
}

// newAuthority makes an authority for a fleet.
func newAuthority(fleet string, now time.Time) (*authority, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{Subject: pkix.Name{CommonName: "tada-run fleet " + fleet},
		NotBefore: now.Add(-clockSkew), NotAfter: now.Add(authorityLife), IsCA: true,
		BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign}
	a := &authority{cert: template, key: private}
	a.cert, err = a.issue(template, public)
	return a, err
}

// issue signs a certificate.
func (a *authority) issue(template *x509.Certificate,
	public ed25519.PublicKey) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	template.SerialNumber = serial
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, public, a.key)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}

// client issues the certificate of a user of etcd.
func (a *authority) client(user string, public ed25519.PublicKey, now time.Time,
	life time.Duration) (*x509.Certificate, error) {
	return a.issue(&x509.Certificate{Subject: pkix.Name{CommonName: user},
		NotBefore: now.Add(-clockSkew), NotAfter: now.Add(life),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}, public)
}

// server issues the certificate of etcd and of the registrar, for hosts.
func (a *authority) server(hosts []string, public ed25519.PublicKey,
	now time.Time) (*x509.Certificate, error) {
	template := &x509.Certificate{Subject: pkix.Name{CommonName: "tada-run fleet server"},
		NotBefore: now.Add(-clockSkew), NotAfter: now.Add(serverLife),
		KeyUsage: x509.KeyUsageDigitalSignature,
		// members of an etcd cluster are clients of each other
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, h)
		}
	}
	return a.issue(template, public)
}

// errRequest is returned for a text that is no certificate request of a key of ours.
var errRequest = errors.New("not a certificate request of an Ed25519 key")

// readRequest returns the key of a certificate request, which its owner has proven to hold. What
// the request says besides is not used: the registrar decides the name.
func readRequest(text []byte) (ed25519.PublicKey, error) {
	block, rest := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE REQUEST" || len(rest) > 0 {
		return nil, errRequest
	}
	r, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errRequest, err)
	}
	public, ok := r.PublicKey.(ed25519.PublicKey)
	if !ok || r.CheckSignature() != nil {
		return nil, errRequest
	}
	return public, nil
}

func pemCert(c *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
}

func pemKey(key ed25519.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), err
}

// parseKey reads a private key.
func parseKey(text []byte) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("not a key in PEM")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	private, ok := key.(ed25519.PrivateKey)
	if !ok {
		return nil, errors.New("not an Ed25519 key")
	}
	return private, nil
}

// parseCert reads a certificate.
func parseCert(text []byte) (*x509.Certificate, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("not a certificate in PEM")
	}
	return x509.ParseCertificate(block.Bytes)
}

// Pin returns the text by which an invitation names an authority: the SHA-256 of its certificate.
func Pin(cert *x509.Certificate) string {
	sum := sha256.Sum256(cert.Raw)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// keySum names the key of a machine.
func keySum(public ed25519.PublicKey) string {
	sum := sha256.Sum256(public)
	return hex.EncodeToString(sum[:])
}
