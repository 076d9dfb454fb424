package permit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/state"
)

// Audience is what this state directory is called in signed answers, made when it is first needed.
// It is random: a host's name can be another host's tomorrow, and an answer must not be good there.
func (p *Approvals) Audience() (string, error) {
	text, err := os.ReadFile(p.dir.Audience())
	if errors.Is(err, fs.ErrNotExist) {
		random := make([]byte, 8)
		if _, err := p.dir.Random.Read(random); err != nil {
			return "", err
		}
		err = approval.SaveKey(p.dir.Audience(), []byte("tada-"+hex.EncodeToString(random)+"\n"))
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
		text, err = os.ReadFile(p.dir.Audience())
		if err != nil {
			return "", err
		}
	} else if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(text)), nil
}

// Trusted returns the keys whose signed answers count here: those that a person of this account has
// added, and those of the fleet that the machine is in.
func (p *Approvals) Trusted() (approval.TrustList, error) {
	var all approval.TrustList
	paths := []string{p.dir.Trust()}
	if p.dir.Joined() { // the list may be left of an attempt to join, or of a membership
		paths = append(paths, p.dir.FleetTrust())
	}
	for i, path := range paths {
		load := approval.LoadTrust
		if i > 0 {
			load = approval.LoadWholeTrust
		}
		list, err := load(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		all = all.And(list)
	}
	return all, nil
}

// A Taken says what a signed answer did.
type Taken struct {
	Signer    string
	Envelope  string // "" for a plan that was allowed beforehand
	Approved  bool
	Presigned bool            // it waits for the profile ci
	Votes     int             // how many people have approved, if that is not enough yet
	People    int             // how many must
	Grant     *approval.Grant // the standing approval that it asked for; nil for once
}

// DecideToken checks a signed answer and stores it as the answer to its question; one without a
// Question is kept for a run with the profile ci. The error is an [approval.TokenError] or an
// [approval.Refused].
func (p *Approvals) DecideToken(ctx context.Context, token []byte) (Taken, error) {
	s, err := p.verify(token)
	if err != nil {
		return Taken{}, errors.Join(err, p.TurnedAway(err, approval.ChannelToken))
	}
	if s.Envelope != "" {
		return p.DecideSigned(ctx, s)
	}
	t := Taken{Signer: s.Signer, Approved: Approves(s.Calls), Presigned: true}
	if err := p.mayHandIn(ctx, s, t.Approved); err != nil {
		return t, err
	}
	return t, p.keep(token)
}

// CheckToken returns the id of the question that a text answers, or why it is no signed answer that
// counts here. Unlike DecideToken it records nothing: whoever can write where answers come from
// could fill the record.
func (p *Approvals) CheckToken(token []byte) (question string, err error) {
	s, err := p.verify(token)
	return s.Envelope, err
}

// DecideSigned stores an answer that was signed, and records it. The error is an
// [approval.Refused] when it came too late, was taken before or does not fit the question.
func (p *Approvals) DecideSigned(ctx context.Context, s approval.Signed) (Taken, error) {
	t := Taken{Signer: s.Signer, Envelope: s.Envelope, Approved: Approves(s.Calls)}
	if err := p.mayHandIn(ctx, s, t.Approved); err != nil {
		return t, err
	}
	lock, err := p.dir.Lock(granting, syscall.LOCK_EX)
	if err != nil {
		return t, err
	}
	defer lock.Close()
	granted := ""
	err = p.Deciding(func() (events []approval.Event, err error) {
		events, err = p.takeSigned(s,
			func() ([]approval.Event, error) { return p.Store.DecideSigned(ctx, s) })
		for _, e := range events {
			if e.Kind == approval.KindGranted {
				granted = e.Grant
			}
		}
		return events, err
	})
	if err != nil {
		return t, err
	}
	if t.Votes, t.People, err = p.Votes(ctx, s.Envelope); err != nil || granted == "" {
		return t, err
	}
	grants, err := p.Grants(ctx)
	for i := range grants {
		if grants[i].ID == granted {
			t.Grant = &grants[i]
		}
	}
	return t, err
}

// takeSigned has the store take a signed answer that no earlier copy of it has taken.
func (p *Approvals) takeSigned(s approval.Signed,
	take func() ([]approval.Event, error)) ([]approval.Event, error) {
	if err := p.unspent(s.Envelope, "token", s.TokenID); err != nil {
		return nil, err
	}
	events, err := take()
	if err == nil {
		err = p.spend(s.Envelope, "token", s.TokenID)
	}
	return events, err
}

// mayHandIn asks whether a signed answer is taken from this process: from any outside of a sandbox.
func (p *Approvals) mayHandIn(ctx context.Context, s approval.Signed, approved bool) error {
	a := approval.Deny
	if approved {
		a = approval.ApproveLow
		if s.Envelope != "" {
			if err := p.Ready(); err != nil {
				return err
			}
			if e, err := p.Store.Get(ctx, s.Envelope); err == nil {
				a = approval.Approve(e.Risk)
			}
		}
	}
	_, err := p.May(a, approval.ChannelToken)
	return err
}

// Votes returns how many people have approved an open question, and how many must. They are the
// same when it was decided.
func (p *Approvals) Votes(ctx context.Context, id string) (votes, people int, err error) {
	e, err := p.Store.Get(ctx, id)
	people = max(e.Quorum, 1)
	if votes = e.Votes; e.State != approval.Pending || e.Decision != nil {
		votes = people
	}
	return votes, people, err
}

// TurnedAway records that what was handed in as a signed answer is none, or none for this machine.
// The store knows of it only what the record says.
func (p *Approvals) TurnedAway(why error, over approval.Channel) error {
	failure, known := approval.Explain(why)
	if !known || failure.Outcome == "" || p.fenced() {
		return nil
	}
	log, err := p.record.OpenLog()
	if err != nil {
		return err
	}
	defer log.Close()
	e := approval.Event{Kind: approval.KindRefused, Time: p.dir.Now().UTC(), Channel: string(over),
		Outcome: failure.Outcome, Reason: why.Error()}
	_, err = AppendEvents(log, []approval.Event{e}, audit.Durable)
	return err
}

func (p *Approvals) verify(token []byte) (approval.Signed, error) {
	trust, err := p.Trusted()
	if err != nil {
		return approval.Signed{}, err
	}
	audience, err := p.Audience()
	if err != nil {
		return approval.Signed{}, err
	}
	return approval.Verify(token, trust, audience, p.dir.Now())
}

// presignedSuffix ends the names of answers that wait for their plan.
const presignedSuffix = ".token"

// keep stores an answer to a plan that was not asked yet. Its name is its hash, so that nothing
// that a signer chose becomes a path.
func (p *Approvals) keep(token []byte) error {
	if err := state.PrivateDir(p.dir.Presigned()); err != nil {
		return err
	}
	sum := sha256.Sum256(token)
	err := approval.SaveKey(filepath.Join(p.dir.Presigned(),
		hex.EncodeToString(sum[:8])+presignedSuffix), token)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// signedFor returns the stored answer for a plan and the file that contains it; "" if there is
// none. It removes answers that are no longer valid.
func (p *Approvals) signedFor(payload []byte) (approval.Signed, string, error) {
	template, err := plan.Template(payload)
	if err != nil {
		return approval.Signed{}, "", err
	}
	files, err := filepath.Glob(filepath.Join(p.dir.Presigned(), "*"+presignedSuffix))
	if err != nil {
		return approval.Signed{}, "", err
	}
	for _, path := range files {
		token, err := os.ReadFile(path)
		if err != nil {
			continue // another run was faster
		}
		s, err := p.verify(token)
		if errors.Is(err, approval.ErrExpired) {
			_ = os.Remove(path)
		}
		if err == nil && s.Template == template {
			return s, path, nil
		}
	}
	return approval.Signed{}, "", nil
}

// ExportRequest returns the question of an envelope as a line for a signer elsewhere.
func (p *Approvals) ExportRequest(ctx context.Context, prefix string) ([]byte, error) {
	e, err := p.Envelope(ctx, prefix)
	if err != nil {
		return nil, err
	}
	if e.State != approval.Pending || e.Decision != nil {
		return nil, fmt.Errorf("question %q is %s, so there is nothing to sign; try: tadactl "+
			"pending", e.ID, stateOf(e))
	}
	audience, err := p.Audience()
	if err != nil {
		return nil, err
	}
	return e.Export(audience)
}

func stateOf(e approval.Envelope) string {
	if e.State == approval.Pending {
		return "answered"
	}
	return string(e.State)
}

// Sign answers a question of another machine with this user's key, which passphrase opens if it is
// sealed. A question without an envelope is a plan that is allowed beforehand.
func (p *Approvals) Sign(q approval.Question, r Signing,
	passphrase func() (string, error)) ([]byte, error) {
	key, err := p.OwnKey(passphrase)
	if err != nil {
		return nil, err
	}
	var a approval.Answer
	switch {
	case q.Envelope != "":
		a, err = q.Answer(r.Yes, r.Message, p.dir.Now(), r.Valid)
	case !r.Yes:
		return nil, errors.New("this plan has no question and cannot be approved, so there is " +
			"nothing to sign")
	default:
		a, err = approval.PlanAnswer(q.Payload, q.Audience, p.dir.Now(), r.Valid)
	}
	if err != nil {
		return nil, err
	}
	for i, c := range a.Calls {
		if slices.Contains(r.Except, c.ID) {
			a.Calls[i].Approved, a.Calls[i].Message = false, r.Message
		} else if r.Yes {
			a.Calls[i].Message = ""
		}
	}
	if q.Envelope == "" && (r.Scope.Uses > 1 || r.Scope.For != 0) {
		return nil, errors.New("a plan without a question can run only once; try without " +
			"--uses and --for")
	}
	a.Scope, a.Delegation = r.Scope, strings.TrimSpace(r.Delegation)
	return key.Sign(a, p.dir.Random)
}

// A Signing is how a question of another machine is answered.
type Signing struct {
	Yes     bool
	Except  []string // calls of several that are denied all the same
	Message string   // to the agent, with what is denied
	Valid   time.Duration
	Scope   approval.Scope
	// the line by which another key lets this one answer; "" for an answer of one's own
	Delegation string
}

// Delegate lets another's key answer for this user's for a while, for less than this user may. The
// line that it returns goes with each answer of the delegate.
func (p *Approvals) Delegate(d approval.Delegation, life time.Duration,
	passphrase func() (string, error)) ([]byte, error) {
	key, err := p.OwnKey(passphrase)
	if err != nil {
		return nil, err
	}
	d.Issued = p.dir.Now().Truncate(time.Second)
	d.Expires = d.Issued.Add(life.Truncate(time.Second))
	return key.Delegate(d)
}

// OwnKey opens this user's key; passphrase is called for a sealed one.
func (p *Approvals) OwnKey(passphrase func() (string, error)) (approval.Key, error) {
	if _, err := p.May(approval.Sign, approval.ChannelTadactl); err != nil {
		return approval.Key{}, err
	}
	key, err := approval.LoadKey(p.dir.Key(), passphrase)
	if errors.Is(err, fs.ErrNotExist) {
		return key, fmt.Errorf("no key to sign with; try: tadactl key init NAME")
	}
	return key, err
}

// ExportPayload is a plan as a question that was not asked.
func (p *Approvals) ExportPayload(payload []byte) ([]byte, error) {
	audience, err := p.Audience()
	if err != nil {
		return nil, err
	}
	return approval.Envelope{PlanHash: plan.Hash(payload), Payload: payload,
		Expires: p.dir.Now().Add(approval.MaxTokenLife)}.Export(audience)
}
