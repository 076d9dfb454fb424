package launcher

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
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard"
)

// Audience is what this state directory is called in signed answers, made when it is first needed.
// It is random: a host's name can be another host's tomorrow, and an answer must not be good there.
func (l *Launcher) Audience() (string, error) {
	text, err := os.ReadFile(l.state.Audience())
	if errors.Is(err, fs.ErrNotExist) {
		random := make([]byte, 8)
		if _, err := l.state.Random.Read(random); err != nil {
			return "", err
		}
		err = approval.SaveKey(l.state.Audience(), []byte("tada-"+hex.EncodeToString(random)+"\n"))
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
		text, err = os.ReadFile(l.state.Audience())
		if err != nil {
			return "", err
		}
	} else if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(text)), nil
}

// Trusted returns whose signed answers count here; nobody's when that was never said.
func (l *Launcher) Trusted() (approval.TrustList, error) {
	list, err := approval.LoadTrust(l.state.Trust())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return list, err
}

// A Taken says what a signed answer did.
type Taken struct {
	Signer    string
	Envelope  string // "" for a plan that was allowed beforehand
	Approved  bool
	Presigned bool            // it waits for the profile ci
	Votes     int             // how many people have said yes, where that is not enough yet
	People    int             // how many must
	Grant     *approval.Grant // the standing approval that it asked for; nil for once
}

// DecideToken checks a signed answer and stores it as the answer to its question; one without a
// question is kept for a run with the profile ci. The error is an [approval.TokenError] or an
// [approval.Refused].
func (l *Launcher) DecideToken(ctx context.Context, token []byte) (Taken, error) {
	s, err := l.verify(token)
	if err != nil {
		return Taken{}, errors.Join(err, l.turnedAway(err))
	}
	t := Taken{Signer: s.Signer, Envelope: s.Envelope, Approved: Approves(s.Calls)}
	if err := l.mayHandIn(ctx, s, t.Approved); err != nil {
		return t, err
	}
	if s.Envelope == "" {
		t.Presigned = true
		return t, l.keep(token)
	}
	lock, err := l.state.Lock(granting, syscall.LOCK_EX)
	if err != nil {
		return t, err
	}
	defer lock.Close()
	granted := ""
	err = l.deciding(func() (events []approval.Event, err error) {
		events, err = l.takeSigned(s, func() ([]approval.Event, error) { return l.store.DecideSigned(ctx, s) })
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
	if t.Votes, t.People, err = l.Votes(ctx, s.Envelope); err != nil || granted == "" {
		return t, err
	}
	grants, err := l.Grants(ctx)
	for i := range grants {
		if grants[i].ID == granted {
			t.Grant = &grants[i]
		}
	}
	return t, err
}

// takeSigned has the store take a signed answer that no earlier copy of it has taken.
func (l *Launcher) takeSigned(s approval.Signed, take func() ([]approval.Event, error)) ([]approval.Event, error) {
	if err := l.unspent(s.Envelope, "token", s.TokenID); err != nil {
		return nil, err
	}
	events, err := take()
	if err == nil {
		err = l.spend(s.Envelope, "token", s.TokenID)
	}
	return events, err
}

// mayHandIn asks whether a signed answer is taken from this process: from any outside of a sandbox.
func (l *Launcher) mayHandIn(ctx context.Context, s approval.Signed, approved bool) error {
	a := approval.Deny
	if approved {
		a = approval.ApproveLow
		if s.Envelope != "" {
			if err := l.ready(); err != nil {
				return err
			}
			if e, err := l.store.Get(ctx, s.Envelope); err == nil {
				a = approval.Approve(e.Risk)
			}
		}
	}
	_, err := l.May(a, approval.ChannelToken)
	return err
}

// Votes returns how many people have said yes to an open question, and how many must. They are the
// same when it was decided.
func (l *Launcher) Votes(ctx context.Context, id string) (votes, people int, err error) {
	e, err := l.store.Get(ctx, id)
	people = max(e.Quorum, 1)
	if votes = e.Votes; e.State != approval.Pending || e.Decision != nil {
		votes = people
	}
	return votes, people, err
}

// turnedAway records a text that was handed in as a signed answer and is none, or none for this
// machine. The store knows of it only what the record says.
func (l *Launcher) turnedAway(why error) error {
	failure, known := approval.Explain(why)
	if !known || failure.Outcome == "" || l.fenced() {
		return nil
	}
	log, err := l.OpenLog()
	if err != nil {
		return err
	}
	defer log.Close()
	e := approval.Event{Kind: approval.KindRefused, Time: l.state.Now().UTC(), Channel: "token", Outcome: failure.Outcome, Reason: why.Error()}
	_, err = appendEvents(log, []approval.Event{e}, audit.Durable)
	return err
}

func (l *Launcher) verify(token []byte) (approval.Signed, error) {
	trust, err := l.Trusted()
	if err != nil {
		return approval.Signed{}, err
	}
	audience, err := l.Audience()
	if err != nil {
		return approval.Signed{}, err
	}
	return approval.Verify(token, trust, audience, l.state.Now())
}

// presignedSuffix ends the names of answers that wait for their plan.
const presignedSuffix = ".token"

// keep stores an answer to a plan that nobody has asked yet. Its name is its hash, so that
// nothing that a signer chose becomes a path.
func (l *Launcher) keep(token []byte) error {
	if err := state.PrivateDir(l.state.Presigned()); err != nil {
		return err
	}
	sum := sha256.Sum256(token)
	err := approval.SaveKey(filepath.Join(l.state.Presigned(), hex.EncodeToString(sum[:8])+presignedSuffix), token)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// presigned is the permit of a machine without people: answers to exactly this plan that trusted
// keys signed beforehand, each good once, and as many as the policy wants. Without them the answer
// is no, at once.
func (q *openQuestion) presigned(ctx context.Context) (*refusal.Refusal, error) {
	l := q.l
	for {
		signed, path, err := l.signedFor(q.Payload())
		if err != nil {
			return nil, err
		}
		if path == "" {
			return q.refuse("denied", "no_approver", q.say("no approver"), exit.Denied), nil
		}
		var e approval.Envelope
		refusal, err := q.change(func() (events []approval.Event, err error) {
			return l.takeSigned(signed, func() ([]approval.Event, error) {
				e, err = l.store.Present(ctx, q.question(), signed)
				return e.Events, err
			})
		})
		if err := os.Remove(path); err != nil { // spent, or of no use: the store remembers which were taken
			return nil, err
		}
		if refusal != nil || err != nil {
			return refusal, err
		}
		if e.Approved() {
			return q.consume(ctx, e.ID)
		}
	}
}

// signedFor returns the stored answer for a plan and the file that it stands in; "" when there is
// none. Answers that are no good any more are removed.
func (l *Launcher) signedFor(payload []byte) (approval.Signed, string, error) {
	template, err := plan.Template(payload)
	if err != nil {
		return approval.Signed{}, "", err
	}
	files, err := filepath.Glob(filepath.Join(l.state.Presigned(), "*"+presignedSuffix))
	if err != nil {
		return approval.Signed{}, "", err
	}
	for _, path := range files {
		token, err := os.ReadFile(path)
		if err != nil {
			continue // another run was faster
		}
		s, err := l.verify(token)
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
func (l *Launcher) ExportRequest(ctx context.Context, prefix string) ([]byte, error) {
	e, err := l.Envelope(ctx, prefix)
	if err != nil {
		return nil, err
	}
	if e.State != approval.Pending || e.Decision != nil {
		return nil, fmt.Errorf("question %q is %s, so there is nothing to sign; try: tadactl pending", e.ID, stateOf(e))
	}
	audience, err := l.Audience()
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

// ExportPlan judges a request and returns its plan as a line for a signer elsewhere, who can allow
// it beforehand for a machine without people. A plan that the policy allows or denies is an error:
// no signature changes either.
func (l *Launcher) ExportPlan(req Request) ([]byte, error) {
	req.Profile = profileCI
	j, err := l.Judge(req)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	if j.Verdict.Decision != pathguard.Ask {
		return nil, nothingToSign(j.Verdict.Decision)
	}
	return l.exportPlan(j)
}

// Sign answers a question of another machine with this user's key, which passphrase opens if it is
// sealed. A question without an envelope is a plan that is allowed beforehand.
func (l *Launcher) Sign(q approval.Question, r Signing, passphrase func() (string, error)) ([]byte, error) {
	key, err := l.ownKey(passphrase)
	if err != nil {
		return nil, err
	}
	var a approval.Answer
	switch {
	case q.Envelope != "":
		a, err = q.Answer(r.Yes, r.Message, l.state.Now(), r.Valid)
	case !r.Yes:
		return nil, errors.New("this plan has no question and cannot be approved, so there is nothing to sign")
	default:
		a, err = approval.PlanAnswer(q.Payload, q.Audience, l.state.Now(), r.Valid)
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
		return nil, errors.New("a plan without a question can run only once; try without --uses and --for")
	}
	a.Scope, a.Delegation = r.Scope, strings.TrimSpace(r.Delegation)
	return key.Sign(a, l.state.Random)
}

// A Signing is how a question of another machine is answered.
type Signing struct {
	Yes        bool
	Except     []string // calls of several that are denied all the same
	Message    string   // to the agent, with what is denied
	Valid      time.Duration
	Scope      approval.Scope
	Delegation string // the line by which another key lets this one answer; "" for an answer of one's own
}

// Delegate lets another's key answer for this user's for a while, for less than this user may. The
// line that it returns goes with each answer of the delegate.
func (l *Launcher) Delegate(d approval.Delegation, life time.Duration, passphrase func() (string, error)) ([]byte, error) {
	key, err := l.ownKey(passphrase)
	if err != nil {
		return nil, err
	}
	d.Issued = l.state.Now().Truncate(time.Second)
	d.Expires = d.Issued.Add(life.Truncate(time.Second))
	return key.Delegate(d)
}

// ownKey opens this user's key.
func (l *Launcher) ownKey(passphrase func() (string, error)) (approval.Key, error) {
	if _, err := l.May(approval.Sign, approval.ChannelTadactl); err != nil {
		return approval.Key{}, err
	}
	key, err := approval.LoadKey(l.state.Key(), passphrase)
	if errors.Is(err, fs.ErrNotExist) {
		return key, fmt.Errorf("no key to sign with; try: tadactl key init NAME")
	}
	return key, err
}

func nothingToSign(d pathguard.Decision) error {
	return fmt.Errorf("the verdict of the policy is %s, so there is nothing to sign", d)
}

// exportPlan is a judged plan as a question that nobody has asked.
func (l *Launcher) exportPlan(j *Judgement) ([]byte, error) {
	audience, err := l.Audience()
	if err != nil {
		return nil, err
	}
	return approval.Envelope{PlanHash: j.Hash(), Payload: j.Payload(), Expires: l.state.Now().Add(approval.MaxTokenLife)}.Export(audience)
}
