//go:build amd64 || arm64

package sandbox

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker"
)

// A gap is a protection and the condition under which it is lost.
type gap struct {
	protection Protection
	why        string
	when       func(b *builder) bool
}

func atBase(b *builder) bool { return b.level == Base }

// atBaseWith is for what only a profile that asks for it loses at Base.
func atBaseWith(asks func(b *builder) bool) func(b *builder) bool {
	return func(b *builder) bool { return atBase(b) && asks(b) }
}

// gaps is everything that a level or a kernel can lack.
var gaps = []gap{
	{Namespaces, "not asked for", atBase},
	{Processes, "without a pid namespace, /proc shows command lines and states of other " +
		"processes: Landlock cannot tell them from those that the run starts, and to look at " +
		"each open would slow all programs down", atBase},
	{Metadata, "Landlock has no right for it, a filter sees no paths, and another program " +
		"already " +
		"answers the system calls here",
		atBaseWith(func(b *builder) bool { return len(b.profile.Write) > 0 && !b.asks() })},
	{HiddenList, "without a mount over them, hidden names and what is below them are listed, " +
		"stat shows size, mode and times, and inotify shows when they are opened or changed",
		func(b *builder) bool {
			return b.level == Base && len(b.hidden) > 0 && !b.asks() ||
				b.level > Base && len(b.openly()) > 0
		}},
	{HiddenList, "of a hidden name that is known already, stat shows size, mode and times, and " +
		"readlink where a link leads: only a mount over it prevents that, because a look at each " +
		"of these calls makes git status and ls -lR take three times as long",
		atBaseWith(func(b *builder) bool { return len(b.hidden) > 0 && b.asks() })},
	{Keeping, "Landlock can only allow a whole directory tree, and another program already " +
		"answers the system calls here",
		atBaseWith(func(b *builder) bool { return len(b.kept) > 0 && !b.asks() })},
	{Signals, "Landlock before version 6 does not scope signals",
		atBaseWith(func(b *builder) bool { return !b.scopesSignals() })},
	{Tree, "without a signal scope a process in another session cannot be found",
		atBaseWith(func(b *builder) bool { return !b.scopesSignals() })},
	{Truncation, "Landlock before version 3 does not control it",
		atBaseWith(func(b *builder) bool { return b.landlock.version < 3 })},
	{DeviceCtl, "Landlock before version 5 does not control it",
		func(b *builder) bool { return b.landlock.version < 5 }},
	{Devices, "without a mount namespace, a device that root has put into a writable tree can be " +
		"read there: Landlock does not distinguish kinds of files",
		atBaseWith(func(b *builder) bool { return len(b.profile.Write) > 0 })},
	{Loopback, "without a network namespace there is no network to share",
		func(b *builder) bool { return b.unanswered != nil && !b.ownLoopback() }},
	{Localhost, "the launcher cannot answer system calls here: another program already does",
		func(b *builder) bool { return b.unanswered != nil }},
	{IPC, "there are none: without an ipc namespace the launcher makes them, and another program " +
		"already answers the system calls here",
		func(b *builder) bool { return atBase(b) && len(b.profile.Write) > 0 && !b.asks() }},
	{View, "the launcher cannot answer system calls here: another program already does, so " +
		"nothing can be made in the shared directories",
		func(b *builder) bool { return b.unviewed }},
	{Undo, "the launcher cannot answer system calls here: another program already does, so " +
		"what is changed is not kept",
		func(b *builder) bool { return b.profile.Changes != nil && !b.asks() }},
	{PrivateTmp, "without a mount namespace the shared directories are hidden, and there are no " +
		"private ones",
		atBaseWith(func(b *builder) bool { return b.profile.PrivateTmp })},
	{Terminals, "all terminals share one directory, and another program already answers the " +
		"system calls here",
		atBaseWith(func(b *builder) bool { return b.profile.Terminals && !b.asks() })},
	{SharedMem, "without a mount namespace /dev/shm is shared by all",
		atBaseWith(func(b *builder) bool { return b.profile.View == nil })},
}

// account writes what is lost into the receipt, and refuses when the profile demands one of them.
func (b *builder) account() error {
	b.receipt.Level = b.level
	b.receipt.Kernel = kernel()
	b.receipt.Landlock, b.receipt.Errata = b.landlock.version, b.landlock.errata
	for _, g := range gaps {
		if g.when(b) {
			if g.protection == Namespaces && b.failure != nil {
				g.why = b.failure.Error()
			}
			b.receipt.Lost = append(b.receipt.Lost, Loss{g.protection, g.why})
		}
	}
	for _, must := range b.profile.Must {
		for _, l := range b.receipt.Lost {
			if l.Protection == must {
				return fmt.Errorf("%w: %s is required and lost: %s", ErrUnsupported, must, l.Why)
			}
		}
	}
	return nil
}

// losses are what a level of this machine lacks for a profile that asks for everything.
func losses(ll landlock, level Level) []Loss {
	b := &builder{attempt: attempt{landlock: ll, level: level,
		profile: Profile{Write: []Path{{}}, Temporary: Temporary{PrivateTmp: true,
			View: &broker.View{}},
			Terminals: true}},
		hidden: []string{"/hidden"}, kept: []string{"/"}}
	var lost []Loss
	for _, g := range gaps[1:] { // namespaces are a finding of their own
		if g.when(b) {
			lost = append(lost, Loss{g.protection, g.why})
		}
	}
	return lost
}

func kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}
