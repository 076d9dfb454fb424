package cli

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/zstandard"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/ship"
	"github.com/tada-run/tada-run/integration/served"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
)

// A shipped is the bucket of a fleet with the record of one machine, and what a reader has.
type shipped struct {
	*testing.T
	bucket             *served.Bucket
	id                 string
	document, identity string // files
	fleet              document.Fleet
	text               []byte // of the document
	registrar          approval.Key
	met                map[string][]byte // records that the next machine ships
}

func newPerson(t *testing.T, name string) approval.Key {
	t.Helper()
	k, err := approval.NewKey(name, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// newShipped has a machine that ships what it records when it runs commands.
func newShipped(t *testing.T, commands ...string) shipped {
	t.Helper()
	ann, registrar := newPerson(t, "ann"), newPerson(t, "registrar")
	secret, public, err := ship.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	url, bucket := served.StartBucket(t, "records")
	f := document.Fleet{Name: "acme", Serial: 1, People: []document.Person{{Name: "ann",
		Key: ann.Public(), Admin: true}}, Registrar: document.Person{Name: "registrar",
		Key: registrar.Public()}, Ship: document.Shipping{Endpoint: url, Bucket: "records/acme",
		Recipients: []string{public}}}
	text, err := f.Sign(ann)
	if err != nil {
		t.Fatal(err)
	}
	s := shipped{T: t, bucket: bucket, fleet: f, text: text, registrar: registrar,
		document: filepath.Join(t.TempDir(), "fleet"),
		identity: filepath.Join(t.TempDir(), "team.key")}
	if err := errors.Join(os.WriteFile(s.document, text, 0o600),
		os.WriteFile(s.identity, []byte(secret), 0o600)); err != nil {
		t.Fatal(err)
	}
	s.ship(commands...)
	return s
}

// ship ships the record of a new machine, which has run commands, or else has refused one.
func (s *shipped) ship(commands ...string) {
	s.Helper()
	key, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		s.Fatal(err)
	}
	hash := sha256.Sum256(key)
	s.id = "tada-" + hex.EncodeToString(hash[:8])
	record, err := document.Machine{ID: s.id, Name: "build-7", Key: hex.EncodeToString(hash[:]),
		Joined: time.Now()}.Sign(s.registrar)
	if err != nil {
		s.Fatal(err)
	}
	l, err := launcher.Place{State: filepath.Join(s.TempDir(), "state")}.Open()
	if err != nil {
		s.Fatal(err)
	}
	for _, command := range commands {
		s.run(l, command)
	}
	l.Unpacking(audit.Codec{Encoder: zstandard.Encoder, Decoder: zstandard.Decoder})
	log, err := l.OpenLog()
	if err != nil {
		s.Fatal(err)
	}
	defer log.Close()
	for _, e := range refusedOnce(s.id, len(commands) == 0) {
		if _, err := log.Append(e[0], []byte(e[1]), audit.Durable); err != nil {
			s.Fatal(err)
		}
	}
	identity, _, err := ship.NewIdentity()
	if err != nil {
		s.Fatal(err)
	}
	to, err := ship.New(ship.Machine{Launcher: l, ID: s.id, Record: record, Key: private,
		Identity: identity, Now: time.Now, Documents: [][]byte{s.text}}, s.fleet,
		ship.Key{ID: served.S3Key, Secret: served.S3Secret})
	if err != nil {
		s.Fatal(err)
	}
	if err := to.Meet(s.Context(), s.met); err != nil {
		s.Fatal(err)
	}
	if _, _, err := to.Once(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// refusedOnce are the entries of a refused command, if there is to be one.
func refusedOnce(id string, one bool) [][2]string {
	if !one {
		return nil
	}
	return [][2]string{{audit.KindIntent, `{"command":"make ` + id +
		`","plan_hash":"p","sid":"run","verdict":"deny"}`}, {audit.KindDenied, `{"sid":"run"}`}}
}

// verify runs the verb, and returns what it prints and its status.
func (s *shipped) verify(words ...string) (string, int) {
	s.Helper()
	return s.do("verify", words...)
}

// do runs a verb that reads the bucket.
func (s *shipped) do(verb string, words ...string) (string, int) {
	s.Helper()
	return s.call(launcher.Place{}, append([]string{verb, "--document", s.document,
		"--identity", s.identity}, words...)...)
}

// call runs the program for a state directory, and returns what it prints and its status.
func (s *shipped) call(place launcher.Place, words ...string) (string, int) {
	s.Helper()
	var out bytes.Buffer
	f := &fleet{out: &out, err: &out, place: place}
	root := f.command()
	root.SetArgs(words)
	err := root.ExecuteContext(s.Context())
	var ended *exitError
	if errors.As(err, &ended) {
		return out.String(), ended.status
	}
	if err != nil {
		return out.String() + err.Error(), exit.Usage
	}
	return out.String(), 0
}

// The verb needs a bucket, a key and the fleet document, says what is proven, and ends with 77 for
// what is not.
func TestVerify(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", served.S3Key)
	t.Setenv("AWS_SECRET_ACCESS_KEY", served.S3Secret)
	s := newShipped(t)
	for _, words := range [][]string{{}, {s.id}, {"--bucket", "s3://records/acme", s.id}} {
		out, status := s.verify(words...)
		if status != 0 || !strings.Contains(out, s.id+"  build-7\n  complete up to entry 1 of ") ||
			!strings.Contains(out, "\n  silent since ") {
			t.Errorf("%q: %d: %s", words, status, out)
		}
	}
	if out, status := s.verify("--json"); status != 0 ||
		!strings.Contains(out, `"entries":2,`) || !strings.Contains(out, `"ok":true`) {
		t.Errorf("%d: %s", status, out)
	}
	if out, status := s.verify("tada-0123456789abcdef"); status != exit.Tampered ||
		!strings.Contains(out, "there is no manifest") {
		t.Errorf("%d: %s", status, out)
	}
	other, _, err := ship.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "other.key")
	if err := os.WriteFile(path, []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	alone := s
	alone.identity = path
	if out, status := alone.verify(); status != exit.Failed ||
		!strings.Contains(out, "not encrypted to this identity") {
		t.Errorf("%d: %s", status, out)
	}
	for _, name := range s.bucket.Names() {
		if strings.Contains(name, "/objects/") {
			s.bucket.Put(name, []byte("x"))
		}
	}
	if out, status := s.verify(); status != exit.Tampered ||
		!strings.Contains(out, "NOT PROVEN") || !strings.Contains(out, "replaced or cut") {
		t.Errorf("%d: %s", status, out)
	}
}

// On a machine in no fleet the key with its line is enough; without the line, the reader is told
// which one is missing, and with that of another fleet nothing is proven.
func TestVerifyByTheKeyAlone(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", served.S3Key)
	t.Setenv("AWS_SECRET_ACCESS_KEY", served.S3Secret)
	s := newShipped(t)
	secret, err := os.ReadFile(s.identity)
	if err != nil {
		t.Fatal(err)
	}
	alone := func(line string) (string, int) {
		t.Helper()
		if err := os.WriteFile(s.identity, []byte(line+"\n"+string(secret)), 0o600); err != nil {
			t.Fatal(err)
		}
		return s.call(launcher.Place{State: filepath.Join(t.TempDir(), "state")}, "verify",
			"--identity", s.identity, "--bucket", "s3://records/acme",
			"--endpoint", s.fleet.Ship.Endpoint)
	}
	if out, status := alone(ship.PinLine(s.fleet)); status != 0 ||
		!strings.Contains(out, "complete up to entry 1 of ") {
		t.Errorf("%d: %s", status, out)
	}
	if out, status := alone(""); status != exit.Usage ||
		!strings.Contains(out, "add this line to the file of the key: "+ship.PinLine(s.fleet)) {
		t.Errorf("%d: %s", status, out)
	}
	const silent = "tada-0123456789abcdef"
	record, err := document.Machine{ID: silent, Name: "never", Key: strings.Repeat("0", 64),
		Joined: time.Now()}.Sign(s.registrar)
	if err != nil {
		t.Fatal(err)
	}
	s.met = map[string][]byte{silent: record}
	s.ship()
	if out, status := alone(ship.PinLine(s.fleet)); status != exit.Tampered ||
		!strings.Contains(out, silent+"  never\n  joined at ") ||
		!strings.Contains(out, ", and has shipped nothing\n") {
		t.Errorf("%d: %s", status, out)
	}
	other := s.fleet
	other.Name = "other"
	if out, status := alone(ship.PinLine(other)); status != exit.Usage ||
		!strings.Contains(out, "of another fleet") {
		t.Errorf("%d: %s", status, out)
	}
}
