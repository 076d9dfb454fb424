package member

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tada-run/tada-run/integration/fleet/registrar"
)

// maxWelcome bounds what the registrar sends: documents, freezes and bundles.
const maxWelcome = 8 << 20

// patience is how long the registrar may take, with other machines that join before this one.
const patience = registrar.JoinWithin + 30*time.Second

// A machine that the registrar tells to try again does so a few times.
const (
	joinTries = 3
	joinPause = time.Second
)

// errBusy is returned where the registrar says that etcd is busy.
var errBusy = errors.New("the registrar is busy")

// sendAgain is send, again where the registrar is busy.
func sendAgain(ctx context.Context, client *http.Client, url string,
	j registrar.Joining) (w registrar.Welcome, err error) {
	for n := 1; ; n++ {
		if w, err = send(ctx, client, url, j); n == joinTries || !errors.Is(err, errBusy) {
			return w, err
		}
		select {
		case <-ctx.Done():
			return w, err
		case <-time.After(joinPause):
		}
	}
}

func requestFor(key ed25519.PrivateKey) ([]byte, error) {
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, key)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}), err
}

// clientOf returns a client that asks the registrar and nobody else: a redirection would take the
// secret of the invitation to another place.
func clientOf(access *tls.Config) *http.Client {
	return &http.Client{Timeout: patience, Transport: &http.Transport{TLSClientConfig: access},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}}
}

// pinned requires the registrar's certificate to be of the authority that the link names, and for
// its host, whatever authorities this machine trusts otherwise.
func pinned(link registrar.Link) (*tls.Config, error) {
	site, err := url.Parse(link.URL)
	if err != nil {
		return nil, err
	}
	return &tls.Config{MinVersion: tls.VersionTLS13, InsecureSkipVerify: true,
		VerifyConnection: func(c tls.ConnectionState) error {
			certs := c.PeerCertificates
			last := certs[len(certs)-1]
			if registrar.Pin(last) != link.Pin.Authority {
				return errors.New("the registrar is not the one that the invitation names")
			}
			pool := x509.NewCertPool()
			pool.AddCert(last)
			// not c.ServerName: that is empty for a host that is an address
			_, err := certs[0].Verify(x509.VerifyOptions{Roots: pool, DNSName: site.Hostname()})
			return err
		}}, nil
}

// send asks the registrar and returns its answer.
func send(ctx context.Context, client *http.Client, url string,
	j registrar.Joining) (registrar.Welcome, error) {
	var w registrar.Welcome
	body, err := json.Marshal(j)
	if err != nil {
		return w, err
	}
	in, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return w, err
	}
	return w, answered(client, in, &w)
}

// answered sends a request and reads the answer into v.
func answered(client *http.Client, in *http.Request, v any) error {
	out, err := client.Do(in)
	if err != nil {
		return fmt.Errorf("the registrar: %w", err)
	}
	defer out.Body.Close()
	text, err := io.ReadAll(io.LimitReader(out.Body, maxWelcome))
	switch {
	case err != nil:
		return fmt.Errorf("the registrar: %w", err)
	case out.StatusCode == http.StatusServiceUnavailable:
		return fmt.Errorf("%w: %.300q", errBusy, strings.TrimSpace(string(text)))
	case out.StatusCode != http.StatusOK:
		return fmt.Errorf("the registrar refused: %.300q", strings.TrimSpace(string(text)))
	}
	return json.Unmarshal(text, v)
}
