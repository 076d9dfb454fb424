package approval_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval"
)

func newKey(t testing.TB, name string) approval.Key {
	t.Helper()
	k, err := approval.NewKey(name, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func trustOf(t testing.TB, lines ...string) approval.TrustList {
	t.Helper()
	list, err := approval.ParseTrust([]byte("# who may answer\n\n" + strings.Join(lines,
		"\n") + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// B-R8.3: the key file has mode 0600, is never replaced, and is refused if it is open to others.
// With a passphrase it opens with that alone.
func TestKeyFile(t *testing.T) {
	t.Parallel()
	dir := privateDir(t)
	path := filepath.Join(dir, "key")
	k, err := approval.NewKey("dg", rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := k.Text("", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := approval.SaveKey(path, secret); err != nil {
		t.Fatal(err)
	}
	if again, err := approval.LoadKey(path, nil); err != nil || again.ID() != k.ID() ||
		again.Name != "dg" {
		t.Errorf("read again: %q, %v", again.Name, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := approval.SaveKey(path, []byte("x")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("it was replaced: %v", err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = approval.LoadKey(path, nil)
	if f, _ := approval.Explain(err); !errors.Is(err, approval.ErrMeddled) || f.Exit != 78 {
		t.Errorf("open to others: %v", err)
	}

	sealed, err := k.Text("correct horse", rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(sealed, bytes.Fields(secret)[3]) {
		t.Error("the sealed file has the key in clear")
	}
	pass := func(s string) func() (string, error) {
		return func() (string, error) { return s, nil }
	}
	if again, err := approval.ParseKey(sealed, pass("correct horse")); err != nil ||
		again.ID() != k.ID() {
		t.Errorf("the right passphrase: %v", err)
	}
	if _, err := approval.ParseKey(sealed, pass("wrong")); !errors.Is(err, approval.ErrPassphrase) {
		t.Errorf("the wrong passphrase: %v", err)
	}
	if _, err := approval.ParseKey(sealed, nil); !errors.Is(err, approval.ErrPassphrase) {
		t.Errorf("no passphrase: %v", err)
	}
	renamed := bytes.Replace(sealed, []byte(" dg "), []byte(" eve "), 1)
	if _, err := approval.ParseKey(renamed, pass("correct horse")); !errors.Is(err,
		approval.ErrPassphrase) {
		t.Errorf("another's name on it: %v", err)
	}
	for _, text := range []string{"", "x", "tada-private-key-v1 dg plain",
		"tada-private-key-v1 dg plain AAAA\n", "tada-private-key-v1 dg rot13 AAAA\n",
		"tada-private-key-v1 d/g plain AAAA\n", string(secret) + "x\n", strings.Repeat("x", 5000)} {
		if _, err := approval.ParseKey([]byte(text), nil); !errors.Is(err, approval.ErrKey) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	if _, err := approval.NewKey("a b", rand.Reader); err == nil {
		t.Error("a name with a space")
	}
	if _, err := (approval.Key{}).Text("", nil); !errors.Is(err, approval.ErrKey) {
		t.Errorf("the zero key: %v", err)
	}
}

func TestParseTrust(t *testing.T) {
	t.Parallel()
	k := newKey(t, "dg")
	line := k.TrustLine()
	for text, want := range map[string]string{
		line:                         "",
		"# none\n":                   "",
		line + " max-risk=2":         "",
		line + "\n" + line:           "line 2: duplicate key " + k.ID(),
		"rsa AAAA dg":                "line 1: the line must be",
		"ed25519 AAAA dg":            "line 1: \"AAAA\" is not an Ed25519 key",
		line + " max-risk=4":         "is not a limit",
		line + " max-rsk=1":          "is not a limit",
		"\n" + line + " x y":         "line 2",
		line[:len(line)-2] + "d\x1b": "is not a valid name",
	} {
		_, err := approval.ParseTrust([]byte(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := approval.ParseTrust(make([]byte, 300<<10)); !errors.Is(err,
		approval.ErrOversized) {
		t.Errorf("too long: %v", err)
	}
	path := filepath.Join(privateDir(t), "trust")
	if err := os.WriteFile(path, []byte(line+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if list, err := approval.LoadTrust(path); err != nil || len(list) != 1 ||
		list[0].Name != "dg" || list[0].MaxRisk != 3 {
		t.Errorf("%+v, %v", list, err)
	}
}
