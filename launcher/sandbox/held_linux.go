//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
)

// Start builds the sandbox that p describes and starts c inside it. Nothing of c has run when an
// error is returned: ErrUnsupported when the level is out of reach, *CannotHideError when the level
// cannot express the profile, *SetupError when a step of the sandbox failed, *ExecError when the
// program could not be executed.
func Start(p Profile, c Command) (*Process, Receipt, error) {
	held, err := Begin(p, c)
	if err != nil {
		return nil, Receipt{}, err
	}
	return held.Go()
}

// Held is a command whose sandbox is complete, or is being built by separate processes, and of
// which nothing runs before Go. It exists because the caller has something to do first: a run is
// recorded, on the disk, before it runs. Either Go or Cancel has to be called, once.
type Held struct {
	now  *builder
	base *builder // to fall back to when now is Strong and cannot be had
}

// Begin begins to build the sandbox that p describes around c. The errors are Start's, and what
// Begin does not find out, Go does.
func Begin(p Profile, c Command) (*Held, error) { return (*Prepared)(nil).Begin(p, c) }

// Begin is the function Begin with namespaces that were made ahead, if they fit; nil means none.
// They are left either way.
func (n *Prepared) Begin(p Profile, c Command) (held *Held, err error) {
	defer func() {
		if err != nil {
			n.Release()
		}
	}()
	ll, err := queryLandlock()
	if err != nil {
		return nil, fmt.Errorf("%w: Landlock: %w", ErrUnsupported, err)
	}
	if p.Network < Off || p.Network > Full {
		return nil, fmt.Errorf("%w: network mode %q", ErrUnsupported, p.Network)
	}
	if p.Most == Base && p.Require == Strong {
		return nil, fmt.Errorf("%w: level strong is required and not to be tried", ErrUnsupported)
	}
	h := &Held{base: &builder{attempt: attempt{profile: p, command: c, landlock: ll, level: Base}}}
	if h.now = h.base; p.Most != Base {
		h.now = &builder{attempt: attempt{profile: p, command: c, landlock: ll, level: Strong,
			prepared: n}}
	} else {
		n.Release()
	}
	if err := h.from(h.now.begin()); err != nil {
		return nil, err
	}
	return h, nil
}

// from starts again with less, as long as err says that what was begun is not available and less is
// good enough; otherwise it returns err.
func (h *Held) from(err error) error {
	for err != nil {
		var setup *SetupError
		switch {
		case !errors.As(err, &setup):
			return err
		case setup.Step == listenStep && h.now.profile.Network == Hosts:
			if err := h.withoutAnswers(setup); err != nil {
				return err
			}
		// another program answers: a process that lost its descriptor cannot ask
		case setup.Step == listenStep && h.now.command.Request != nil:
			h.base.command.Request = nil
			b := h.base.again(h.now.level)
			if h.now.level == Base {
				h.base = b
			}
			h.now = b
		// The same, where only the shared directories and metadata need answers.
		case setup.Step == listenStep && h.now.level == Strong && !h.now.silent:
			h.now = h.base.again(Strong)
			h.now.silent = true
			h.base.silent = true
		case h.now.level == Strong && h.now.profile.Require == Strong:
			return fmt.Errorf("%w: level strong: %w", ErrUnsupported, err)
		case h.now.level == Strong:
			h.now, h.base.failure = h.base, setup
		case setup.Step == listenStep && !h.now.silent:
			// Under another listener, in a sandbox inside a sandbox, the kernel allows no second
			// one: then without.
			h.now = h.base.again(Base)
			h.now.silent = true
		default:
			return err
		}
		err = h.now.begin()
	}
	return nil
}

// withoutAnswers continues if only this machine was to be reached, with a private loopback if there
// can be one: a program that talks to itself does not miss more. If hosts are named, it does not
// run.
func (h *Held) withoutAnswers(setup *SetupError) error {
	if len(h.now.profile.Reach.Rules) > 0 || len(h.now.profile.Reach.Publish) > 0 {
		return fmt.Errorf("%w: system calls cannot be supervised here, as inside another sandbox "+
			"that supervises them (%w); only no network or all of it is "+
			"possible", ErrNoAnswers, setup)
	}
	anew := func(level Level) *builder {
		b := h.base.again(level)
		b.silent, b.unanswered, b.profile.Network = true, setup, Off
		return b
	}
	level := h.now.level
	h.base = anew(Base)
	if h.now = h.base; level == Strong {
		h.now = anew(Strong)
	}
	return nil
}

// Go lets the command run. Its results are Start's.
func (h *Held) Go() (*Process, Receipt, error) {
	for {
		process, receipt, err := h.now.letGo()
		if err == nil {
			receipt.Profile = h.base.profile.Digest() // the command is running already
			return process, receipt, nil
		}
		if err := h.from(err); err != nil {
			return nil, receipt, err
		}
	}
}

// Cancel ends what Begin has begun. Nothing of the command has run.
func (h *Held) Cancel() {
	h.now.cancel()
	h.now.close()
}
