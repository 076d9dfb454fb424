package passkey_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/passkey"
	"github.com/tada-run/tada-run/approval/passkey/passkeytest"
)

// The options ask for a verified user, no attestation, and the two algorithms.
func TestCreateOptions(t *testing.T) {
	t.Parallel()
	d := newDesk(t, false)
	text, err := passkey.CreateOptions(token, origin, "ada", passkey.List{d.known})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"attestation":"none"`, `"userVerification":"required"`,
		`"residentKey":"required"`, `"alg":-7`, `"alg":-8`, `"id":"console.example"`,
		`"excludeCredentials":[{"id":"` + passkeytest.Encode(d.device.ID)} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
	if strings.Contains(string(text), token) {
		t.Errorf("%s has the token", text)
	}
	if _, err := passkey.GetOptions(approval.Answer{}, "https://other.example",
		passkey.List{d.known}); !errors.Is(err, approval.ErrUntrusted) {
		t.Errorf("a host without a passkey: %v", err)
	}
}

// Each of these is no pairing.
func TestPairingAttacks(t *testing.T) {
	t.Parallel()
	options, err := passkey.CreateOptions(token, origin, "ada", nil)
	if err != nil {
		t.Fatal(err)
	}
	type ceremony = *passkeytest.Ceremony
	es, ed := passkeytest.New(t, false), passkeytest.New(t, true)
	for name, change := range map[string]func(ceremony){
		"no user verification":    func(c ceremony) { c.Flags &^= passkeytest.Verified },
		"no user presence":        func(c ceremony) { c.Flags &^= passkeytest.Present },
		"no key":                  func(c ceremony) { c.Flags &^= passkeytest.Attested },
		"another host":            func(c ceremony) { c.RP = "example" },
		"another origin":          func(c ceremony) { c.Origin = "https://evil.example" },
		"a frame of another site": func(c ceremony) { c.Client["crossOrigin"] = true },
		"an answer as a pairing":  func(c ceremony) { c.Type = "webauthn.get" },
		"another challenge":       func(c ceremony) { c.Challenge = "AAAA" },
		"attestation packed":      func(c ceremony) { c.Format = "packed" },
		"attestation of a TPM":    func(c ceremony) { c.Format = "tpm" },
		"attestation by a jwt":    func(c ceremony) { c.Format = "android-safetynet" },
		"an unknown attestation":  func(c ceremony) { c.Format = "" },
		"none, with a statement":  func(c ceremony) { c.Statement = []byte("\xa1\x61a\x01") },
		"EdDSA as ES256": func(c ceremony) {
			c.Key = flip(ed.Key, "\x03\x27", "\x03\x26")
		},
		"ES256 as EdDSA": func(c ceremony) {
			c.Key = flip(es.Key, "\x03\x26", "\x03\x27")
		},
		"RS256": func(c ceremony) {
			c.Key = flip(es.Key, "\x03\x26", "\x03\x39\x01\x00")
		},
		"ES256K": func(c ceremony) {
			c.Key = flip(es.Key, "\x03\x26", "\x03\x38\x2e")
		},
		"P-384": func(c ceremony) {
			c.Key = flip(es.Key, "\x20\x01", "\x20\x02")
		},
		"off the curve": func(c ceremony) {
			c.Key = append(c.Key[:len(c.Key)-2:len(c.Key)-2], 0, 0)
		},
		"a cut key":          func(c ceremony) { c.Key = c.Key[:len(c.Key)-1] },
		"a key of nothing":   func(c ceremony) { c.Key = []byte{0xa0} },
		"more after the key": func(c ceremony) { c.Tail = []byte{0} },
		"a member twice": func(c ceremony) {
			c.Key = append([]byte{c.Key[0] + 1, 1, 2}, c.Key[1:]...)
		},
		"an endless map": func(c ceremony) { c.Key = append([]byte{0xbf}, c.Key[1:]...) },
		"a deep list":    func(c ceremony) { c.Key = bytes.Repeat([]byte{0x81}, 5000) },
	} {
		if _, err := passkey.Created(es.Create(options, origin, change), token,
			origin); !errors.As(err, new(*approval.TokenError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := es.Create(options, origin)
	for name, c := range map[string]struct{ token, origin, response string }{
		"another token": {"x", origin, string(good)},
		"another page":  {token, "https://evil.example", string(good)},
		"an address":    {token, "https://127.0.0.1", string(good)},
		"not JSON":      {token, origin, "{"},
		"nothing":       {token, origin, ""},
		"two answers":   {token, origin, string(good) + string(good)},
		"too long":      {token, origin, strings.Repeat(" ", 20000) + string(good)},
		"another id":    {token, origin, strings.Replace(string(good), `"id":"`, `"id":"A`, 1)},
		"another type": {token, origin,
			strings.Replace(string(good), "public-key", "password", 1)},
		"object is text": {token, origin, strings.Replace(string(good), `"o2NmbXR`, `"AAAAAAA`, 1)},
	} {
		if _, err := passkey.Created([]byte(c.response), c.token,
			c.origin); !errors.As(err, new(*approval.TokenError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := passkey.Created(good, token, origin); err != nil {
		t.Error(err)
	}
}

// flip replaces bytes of a key, and leaves its members in the order of the new ones.
func flip(key []byte, old, with string) []byte {
	return bytes.Replace(key, []byte(old), []byte(with), 1)
}

// Passkeys are for https pages with a name, and for localhost.
func TestHost(t *testing.T) {
	t.Parallel()
	for origin, want := range map[string]string{
		"https://console.example": "console.example", "http://localhost:8080": "localhost",
		"https://a-b.example:1": "a-b.example", "http://x.localhost": "x.localhost",
		"http://console.example": "", "https://127.0.0.1": "", "https://[::1]:8": "",
		"https://user@console.example": "", "https://console.example/": "", "https://": "",
		"https://console.example?x": "", "https://Console.example": "", "ftp://localhost": "",
		"https://con sole": "", "https://é.example": "", "null": "", "": "", "https://a..b": "",
		"https://console.example:": "", "http://localhost.evil.example": "",
	} {
		if got, err := passkey.Host(origin); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", origin, got, err, want)
		}
	}
}

// The list is read back as it was written, and a bad one is refused as a whole.
func TestList(t *testing.T) {
	t.Parallel()
	d := newDesk(t, true)
	path := filepath.Join(t.TempDir(), "passkeys.json")
	if err := os.Chmod(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if l, err := passkey.Load(path); err != nil || l != nil {
		t.Errorf("no file: %v, %v", l, err)
	}
	text, err := passkey.List{d.known}.Text()
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	l, err := passkey.Load(path)
	if err != nil || len(l) != 1 || l.Find(d.known.ID) == nil || l.Find(nil) != nil {
		t.Errorf("%+v, %v", l, err)
	}
	twice, _ := passkey.List{d.known, d.known}.Text()
	nameless := d.known
	nameless.Name = ""
	without, _ := passkey.List{nameless}.Text()
	for name, bad := range map[string][]byte{"twice": twice, "no name": without, "cut": text[:40],
		"more": append(bytes.Clone(text), text...), "empty": {}, "huge": make([]byte, 2<<20),
		"unknown member": []byte(`[{"admin":true}]`)} {
		if l, err := passkey.Parse(bad); err == nil {
			t.Errorf("%s: %+v", name, l)
		}
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := passkey.Load(path); !errors.Is(err, approval.ErrMeddled) {
		t.Errorf("readable by others: %v", err)
	}
	for name, make := range map[string]func(path string) error{
		"a link":   func(p string) error { return os.Symlink(path, p) },
		"a FIFO":   func(p string) error { return syscall.Mkfifo(p, 0o600) },
		"a folder": func(p string) error { return os.Mkdir(p, 0o700) },
	} {
		p := path + name
		if err := make(p); err != nil {
			t.Fatal(err)
		}
		if _, err := passkey.Load(p); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

// No input makes a panic, and only the honest response is a pairing.
func FuzzCreated(f *testing.F) {
	options, err := passkey.CreateOptions(token, origin, "ada", nil)
	if err != nil {
		f.Fatal(err)
	}
	good := passkeytest.New(f, false).Create(options, origin)
	var r struct {
		Response struct{ ClientDataJSON, AttestationObject string }
	}
	if err := json.Unmarshal(good, &r); err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"id":"AA","rawId":"AA","type":"public-key","response":{}}`))
	f.Fuzz(func(t *testing.T, response []byte) {
		c, err := passkey.Created(response, token, origin)
		if err == nil && (len(c.ID) == 0 || c.RP != "console.example") {
			t.Errorf("%+v", c)
		}
	})
}

// No input makes a panic.
func FuzzAssertion(f *testing.F) {
	d := newDesk(f, false)
	e := d.ask(nil)
	a := approves(e)
	proof := d.assertion(a)
	options, err := passkey.GetOptions(a, origin, passkey.List{d.known})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(d.device.Get(options, origin), proof.AuthData, proof.ClientData)
	f.Add([]byte("{}"), []byte{}, []byte("{}"))
	f.Fuzz(func(t *testing.T, response, data, client []byte) {
		if p, err := passkey.ReadAssertion(response, proof.Answer); err == nil {
			_, _ = d.verify(a, p)
		}
		p := proof
		p.AuthData, p.ClientData = data, client
		_, err := d.verify(a, p)
		same := bytes.Equal(data, proof.AuthData) && bytes.Equal(client, proof.ClientData)
		if (err == nil) != same {
			t.Errorf("%q, %q: %v", data, client, err)
		}
	})
}

// No text makes a panic, and a statement has one spelling.
func FuzzStatement(f *testing.F) {
	d := newDesk(f, false)
	text, err := approves(d.ask(nil)).Statement()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add("{}")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := approval.ReadStatement(text)
		if err != nil {
			return
		}
		if again, err := a.Statement(); err != nil || again != text {
			t.Errorf("%q became %q, %v", text, again, err)
		}
	})
}
