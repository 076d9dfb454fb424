package permit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/state"
)

// What proves a person: one-time codes, and the keys whose answers count. A person changes them at
// a terminal, with what proved the person until then, and each change is an entry of the record.

// A Factor is the proof that is there already: a one-time code where codes are set up, else a line
// by which one of the trusted keys vouches (tadactl key delegate), else nothing.
type Factor struct {
	Code  func() (string, error) // asks for a code; "" when it was given up
	Vouch string
}

// ErrNoFactor is returned for a change of what proves a person without what proved the person until
// then.
var ErrNoFactor = errors.New("a trusted key must vouch for this; on the machine with that key: " +
	"tadactl key delegate --machine AUDIENCE --max-risk 3 LINE")

// enrolling returns the person who changes what proves a person, with the code that is needed.
func (p *Approvals) enrolling(ctx context.Context, f Factor) (
	store *approval.Store, e approval.Enrolment, codes bool, err error) {
	via, err := p.May(approval.Enrol, approval.ChannelTadactl)
	if err != nil {
		return nil, e, false, err
	}
	if err := p.Ready(); err != nil {
		return nil, e, false, err
	}
	store = p.Store
	e = approval.Enrolment{Account: Person(), Approver: Person(), Via: via}
	if codes, err = store.HasTOTP(ctx); err != nil || !codes {
		return store, e, codes, err
	}
	if e.Old, err = f.Code(); err == nil && e.Old == "" {
		err = ErrNobody
	}
	return store, e, true, err
}

// EnrollTOTP sets up one-time codes and returns the address that an authenticator reads. A code of
// the secret that is there already is asked for.
func (p *Approvals) EnrollTOTP(ctx context.Context, f Factor) (uri string, err error) {
	store, e, _, err := p.enrolling(ctx, f)
	if err != nil {
		return "", err
	}
	err = p.Deciding(func() (events []approval.Event, err error) {
		uri, events, err = store.EnrollTOTP(ctx, e)
		return events, err
	})
	return uri, err
}

// RemoveTOTP takes one-time codes away again, for a code.
func (p *Approvals) RemoveTOTP(ctx context.Context, f Factor) error {
	store, e, codes, err := p.enrolling(ctx, f)
	if err != nil {
		return err
	}
	if !codes {
		return errors.New("no one-time codes are set up; try: tadactl key totp")
	}
	return p.Deciding(func() ([]approval.Event, error) { return store.RemoveTOTP(ctx, e) })
}

// Trust adds one line to the trust list. A list that would not be read afterwards is not written.
func (p *Approvals) Trust(ctx context.Context, line string, f Factor) error {
	one, err := approval.ParseTrust([]byte(line))
	if err != nil {
		return err
	}
	if len(one) != 1 {
		return fmt.Errorf("%q has %s; trust one at a time; on the other machine try: tadactl key "+
			"show", line, audit.Plural(len(one), "key"))
	}
	old, err := p.trustText()
	if err != nil {
		return err
	}
	text := old + strings.TrimSpace(line) + "\n"
	if _, err := approval.ParseTrust([]byte(text)); err != nil {
		return err
	}
	return p.changeTrust(ctx, one[0], f, approval.OutcomeTrusted, text)
}

// Untrust removes the key whose id begins with prefix from the trust list and returns its id.
func (p *Approvals) Untrust(ctx context.Context, prefix string, f Factor) (string, error) {
	old, err := p.trustText()
	if err != nil {
		return "", err
	}
	var ids, rest []string
	list, err := approval.ParseTrust([]byte(old))
	if err != nil {
		return "", err
	}
	for _, k := range list {
		ids = append(ids, approval.KeyID(k.Public))
	}
	id, err := state.Only(ids, prefix)
	if err != nil {
		return "", fmt.Errorf("key %q: %w; try: tadactl key show", prefix, err)
	}
	var gone approval.TrustedKey
	for line := range strings.Lines(old) {
		if one, err := approval.ParseTrust([]byte(line)); err == nil && len(one) == 1 &&
			approval.KeyID(one[0].Public) == id {
			gone = one[0]
			continue
		}
		rest = append(rest, line)
	}
	return id, p.changeTrust(ctx, gone, f, approval.OutcomeDistrust, strings.Join(rest, ""))
}

func (p *Approvals) trustText() (string, error) {
	if _, err := p.Trusted(); err != nil { // another's file, or one that cannot be read
		return "", err
	}
	text, err := os.ReadFile(p.dir.Trust())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return string(text), err
}

// changeTrust writes the new trust list, after the log has it.
func (p *Approvals) changeTrust(ctx context.Context, k approval.TrustedKey, f Factor, outcome,
	text string) error {
	store, e, codes, err := p.enrolling(ctx, f)
	if err != nil {
		return err
	}
	trusted, err := p.Trusted()
	if err != nil {
		return err
	}
	audience, err := p.Audience()
	if err != nil {
		return err
	}
	switch {
	case codes:
		err = p.Deciding(func() ([]approval.Event, error) { return nil, store.SpendTOTP(ctx, e) })
	case len(trusted) == 0: // the first
	case f.Vouch == "":
		err = fmt.Errorf("%w; this machine is %s", ErrNoFactor, audience)
	default:
		err = approval.Vouched(f.Vouch, k, outcome == approval.OutcomeDistrust, trusted, audience,
			p.dir.Now())
	}
	if err != nil {
		return err
	}
	log, err := p.record.OpenLog()
	if err != nil {
		return err
	}
	defer log.Close()
	what := fmt.Sprintf("key %s %s, up to risk %d", approval.KeyID(k.Public), k.Name, k.MaxRisk)
	if _, err := AppendEvents(log,
		[]approval.Event{approval.FactorEvent(p.dir.Now(),
			e, outcome, what)}, audit.Durable); err != nil {
		return err
	}
	return state.Replace(p.dir.Trust(), []byte(text))
}
