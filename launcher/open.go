package launcher

import (
	"path/filepath"
	"sync"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/preimage"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/upkeep"
	"github.com/tada-run/tada-run/pathguard"
)

// Open returns the launcher of a place. It refuses a directory or a configuration that another
// account could have written.
func (p Place) Open() (*Launcher, error) {
	if err := supported(); err != nil {
		return nil, err
	}
	return p.OpenToJudge()
}

// OpenToJudge is Open for a process that runs and decides nothing: it judges, or reads the record.
// It is for macOS too.
func (p Place) OpenToJudge() (*Launcher, error) {
	l, err := p.prepare()
	if err != nil {
		return nil, err
	}
	if err := l.read(); err != nil {
		return nil, err
	}
	return l, nil
}

// read reads the policy. The error says how to mend what is refused.
func (l *Launcher) read() (err error) {
	l.policy, err = l.load()
	if l.mends && isMistake(err) {
		l.policy, l.refused = pathguard.Policy{}, l.mendable(err)
		return nil
	}
	if err != nil && !l.mends {
		err = l.mendable(err)
	}
	return err
}

// OpenToRun is Open for a process that runs one command: the namespaces for it are made while the
// configuration is read. What no run takes, [Launcher.Release] drops.
func (p Place) OpenToRun() (*Launcher, error) {
	if err := supported(); err != nil {
		return nil, err
	}
	l, err := p.prepare()
	if err != nil {
		return nil, err
	}
	if l.once = true; l.level() == sandbox.Strong {
		l.early = sandbox.Prepare(sandbox.Off)
	}
	if err := l.read(); err != nil {
		l.Release()
		return nil, err
	}
	return l, nil
}

// Release drops the namespaces that [Place.OpenToRun] has begun to make and no run has taken.
func (l *Launcher) Release() {
	l.early.Release()
	l.early = nil
}

// OpenToMend is Open for the review of protected files, the configuration among them: one that is
// refused can be looked at and restored. Until then everything is denied.
func (p Place) OpenToMend() (*Launcher, error) {
	if err := supported(); err != nil {
		return nil, err
	}
	l, err := p.prepare()
	if err != nil {
		return nil, err
	}
	l.mends = true
	return l, l.read()
}

// load reads the configuration, with what the fleet says if the machine is in one, and applies the
// one before it too while its cases fail.
func (l *Launcher) load() (pathguard.Policy, error) {
	if err := l.readBundles(); err != nil {
		return pathguard.Policy{}, err
	}
	p, err := l.policyUnder(l.force, pathguard.ConfigFile{})
	if err != nil {
		return p, err
	}
	return l.tested(p)
}

// prepare is Open without a policy, which denies everything: for repairing the configuration.
func (p Place) prepare() (*Launcher, error) {
	if err := judges(); err != nil {
		return nil, err
	}
	home, err := p.openHome()
	if err != nil {
		return nil, err
	}
	dir := home.Use()
	r := record.Of(dir)
	approvals, err := permit.Open(dir, r)
	if err != nil {
		return nil, err
	}
	l := &Launcher{floor: floorConfig, frameTime: frameTime}
	l.state, l.Approvals, l.Reader = dir, approvals, past.Of(r, dir, approvals)
	l.look()
	l.named = p.State != ""
	approvals.Notify = l.notify
	approvals.Former = l.former
	approvals.Plain = func() bool { return p.Plain || l.policy.Settings().Approval.Plain }
	l.umask, l.version = sync.OnceValue(umask), sync.OnceValue(Version)
	l.level = sync.OnceValue(func() sandbox.Level { return sandbox.Remembered(filepath.Join(home.Runtime(), "level")) })
	if l.account, err = p.home(); err != nil {
		l.account = "/" // an account without a home: nothing counts as its home
	}
	return l, nil
}

// Unpacking gives the launcher what packs transcripts and reads packed ones, and returns it.
// Without it they cannot be read: a program that only runs commands does without that code.
func (l *Launcher) Unpacking(c audit.Codec) *Launcher {
	l.Codec = c
	return l
}

// look makes what asks this launcher about the configuration in force.
func (l *Launcher) look() {
	l.Keeper = upkeep.Of(l.Record, l.state, l.Approvals, l.aging())
	l.History = preimage.Of(l.state, l.Reader, l.undoSettings, l.workspaceOf)
}

// aging is what the account's configuration and other packages say about what grows old.
func (l *Launcher) aging() upkeep.Aging {
	return upkeep.Aging{
		Quota:    func() int64 { return l.policy.Settings().TranscriptQuota() },
		Archives: l.expireArchives,
		Undo:     func() (int, error) { return l.CollectKept(0) },
	}
}
