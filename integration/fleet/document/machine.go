package document

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
)

var machineID = regexp.MustCompile(`^tada-[0-9a-f]{16}$`)

// IsMachineID reports whether a text can be what a machine is called in answers. No user or role of
// etcd that has other rights has such a name, and it can be the name of a file.
func IsMachineID(text string) bool { return machineID.MatchString(text) }

// A Machine is a member of a fleet, as the registrar has let it in.
type Machine struct {
	ID     string // what the machine is called in answers
	Name   string // for people
	Owner  string // for people
	Labels Labels
	Key    string // SHA-256 of the public key of its certificate, in hexadecimal
	Joined time.Time
}

// Holds reports whether a key is that of the machine's certificate.
func (m Machine) Holds(public ed25519.PublicKey) bool {
	sum := sha256.Sum256(public)
	return m.Key == hex.EncodeToString(sum[:])
}

// Sign returns the record, signed by the registrar.
func (m Machine) Sign(registrar approval.Key) ([]byte, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	return sign(kindMachine, plan.Fields{"id": m.ID, "joined": plan.FormatTime(m.Joined),
		"key": m.Key, "labels": m.Labels.String(), "name": m.Name, "owner": m.Owner}, registrar)
}

// check refuses what is not to be shown to people.
func (m Machine) check() error {
	if err := checkName(m.Name); err != nil {
		return fmt.Errorf("machine %w", err)
	}
	if err := checkName(m.ID); err != nil {
		return fmt.Errorf("machine id: %w", err)
	}
	if len(m.Owner) > maxReason || strings.ContainsFunc(m.Owner, isHidden) {
		return fmt.Errorf("owner %.100q: it must be printable and have at most %d bytes", m.Owner,
			maxReason)
	}
	return nil
}

func isHidden(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }

// Machine reads a record that the fleet's registrar has signed. A machine that was revoked is an
// error.
func (f Fleet) Machine(text []byte) (Machine, error) { return f.machine(text, f.Registrar) }

// Former reads a record that the registrar before the present one has signed.
func (f Fleet) Former(text []byte) (Machine, error) {
	return f.machine(text, f.Earlier[max(0, len(f.Earlier)-1):]...)
}

// machine is Machine for records of any of these registrars.
func (f Fleet) machine(text []byte, by ...Person) (Machine, error) {
	s, err := open(text, kindMachine, by)
	if err != nil {
		return Machine{}, err
	}
	m := Machine{ID: s.Text("id"), Name: s.Text("name"), Owner: s.Text("owner"),
		Key: s.Text("key"), Joined: s.Time("joined")}
	if m.Labels, err = ParseLabels(s.Text("labels")); err != nil {
		return Machine{}, fmt.Errorf("machine %q: %w", m.Name, err)
	}
	if err := m.check(); err != nil {
		return Machine{}, err
	}
	if f.IsRevoked(m.ID) {
		return m, fmt.Errorf("machine %q (%s): %w", m.Name, m.ID, ErrRevoked)
	}
	return m, nil
}
