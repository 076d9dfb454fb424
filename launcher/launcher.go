package launcher

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard"
)

// A Launcher judges and runs requests on one state directory.
type Launcher struct {
	home    Home
	account string // the account's home directory
	policy  pathguard.Policy
	store   approval.Store // set by ready
	opened  sync.Once
	closed  error // why store is not set
	ttl     time.Duration
	codec   audit.Codec // of transcripts at rest

	around  atomic.Pointer[surroundings] // of the last request
	level   func() sandbox.Level         // the best fence of this machine; found by trying, once per boot
	floor   string                       // the configuration that no user can loosen
	umask   func() int
	version func() string
	now     func() time.Time
	random  io.Reader
	bootID  string
	outside string // folder of the marks of what was used; "" for none

	mends   bool  // a configuration that is refused denies everything, and is no error
	refused error // why policy is the one that denies everything

	waited sync.Map               // processes that waitsFor has named
	caller func() approval.Caller // this process, as the kernel sees it now

	frameTime time.Duration // for what a client of a session has begun to say
}

// frameTime is how long a client of a session may take to greet, and to end what it has begun to say.
const frameTime = 10 * time.Second

// Run judges the request and, where the verdict or a person allows it, runs it. The order of
// the steps is the promise of the product: nothing is asked that was not resolved, nothing
// runs that was not recorded, and what runs is what was judged.
//
// An error means that tada-run failed and nothing ran; [ExitOf] gives its exit status. A
// refusal is not an error: it stands in the Outcome.
func (l *Launcher) Run(ctx context.Context, req Request) (Outcome, error) {
	namespaces := l.ahead() // empty ones, while it is found out what is to run in them
	defer namespaces.Leave()
	j, err := l.Judge(req) // text -> files -> verdict; starts nothing
	if err != nil {
		return Outcome{}, err
	}
	return l.carry(ctx, j, namespaces, l.permit)
}

// carry takes what was judged to its end. Each step is made of the one before.
func (l *Launcher) carry(ctx context.Context, j *Judgement, namespaces *sandbox.Nest, permit permitFunc) (Outcome, error) {
	announced, err := l.announce(j, namespaces) // the intent is on disk before anything else happens
	if err != nil {
		_ = j.Close()
		return Outcome{}, err
	}
	defer announced.close()
	if out, done := announced.misspelled(ctx); done { // the shell's own message
		return out, nil
	}
	permitted, refusal, err := announced.permitted(ctx, permit) // asked, and consumed in one transaction
	if refusal != nil && refusal.exit != ExitTampered {
		refusal.Instead = announced.instead()
	}
	if refusal != nil || err != nil {
		return announced.refused(refusal), err
	}
	started, err := permitted.start() // sandbox from the plan's own files; terminal; recorder
	if err != nil {
		return permitted.failed(err)
	}
	return started.wait(ctx) // what it prints, then the end, in the record
}

// Open returns the launcher of a place. It refuses a directory or a configuration that another
// account could have written.
func (p Place) Open() (*Launcher, error) {
	l, err := p.prepare()
	if err != nil {
		return nil, err
	}
	if l.policy, err = loadPolicy(l.home, l.floor, l.account, nil); err != nil {
		return nil, p.mendable(l, err)
	}
	return l, nil
}

// OpenToMend is Open for the review of protected files, the configuration among them: one that is refused can be looked
// at and restored. Until then everything is denied.
func (p Place) OpenToMend() (*Launcher, error) {
	l, err := p.prepare()
	if err != nil {
		return nil, err
	}
	l.mends = true
	l.policy, err = loadPolicy(l.home, l.floor, l.account, nil)
	if isMistake(err) {
		l.policy, l.refused = pathguard.Policy{}, p.mendable(l, err)
		return l, nil
	}
	return l, err
}

// prepare is Open without a policy, which denies everything: for who mends the configuration.
func (p Place) prepare() (*Launcher, error) {
	if err := supported(); err != nil {
		return nil, err
	}
	home, err := p.openHome()
	if err != nil {
		return nil, err
	}
	l := &Launcher{home: home, floor: floorConfig, now: time.Now, random: random{}, bootID: bootID(), outside: outsideFolder(), caller: ownCaller, frameTime: frameTime}
	l.umask, l.version = sync.OnceValue(umask), sync.OnceValue(Version)
	l.level = sync.OnceValue(func() sandbox.Level { return sandbox.Remembered(filepath.Join(home.Runtime(), "level")) })
	if l.account, err = p.home(); err != nil {
		l.account = "/" // an account without a home: nothing counts as its home
	}
	if l.ttl, err = approvalTTL(os.Getenv("APPROVAL_TTL_SECONDS")); err != nil {
		return nil, err
	}
	return l, nil
}

// Unpacking gives the launcher what packs transcripts and reads packed ones, and returns it. Without it
// they cannot be read: a program that only runs commands does without that code.
func (l *Launcher) Unpacking(c audit.Codec) *Launcher {
	l.codec = c
	return l
}

// ready opens the approval store when it is first needed: what only reads the record must
// work without it, most of all when something happened to it.
func (l *Launcher) ready() error {
	l.opened.Do(func() {
		l.store, l.closed = approval.Open(l.home.Approvals(), l.storeOptions())
	})
	return l.closed
}

func (l *Launcher) storeOptions() approval.Options {
	return approval.Options{Clock: l.clock, Rand: l.random, TTL: l.ttl, Record: l.recordedSince, Waiting: l.waitsFor}
}

// maxTTL is how long a question may live. The environment is the caller's, and here that is
// whoever wants the answer: it can only make the time shorter.
const maxTTL = time.Hour

func approvalTTL(text string) (time.Duration, error) {
	if text == "" {
		return maxTTL, nil
	}
	seconds, err := strconv.Atoi(text)
	if err != nil || seconds <= 0 {
		return 0, &approval.ConfigError{Name: "APPROVAL_TTL_SECONDS", Value: strconv.Quote(text), Need: "it must be a number of seconds above 0"}
	}
	return time.Duration(min(seconds, int(maxTTL/time.Second))) * time.Second, nil
}
