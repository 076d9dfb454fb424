package launcher

// Fresh returns a launcher of the same state directory, with the configuration and the policy of
// the fleet as they are now: a server that lives long asks for one at each call. Both have the same
// approvals and record. The error is that of [Place.Open] for a configuration that is refused by
// now; a call must not go on under an older one then.
func (l *Launcher) Fresh() (*Launcher, error) {
	f := &Launcher{storage: l.storage, account: l.account, floor: l.floor, umask: l.umask,
		version: l.version, stands: l.stands, frameTime: l.frameTime}
	f.look()
	f.level, f.mends, f.named = l.level, l.mends, l.named
	f.around.Store(l.around.Load())
	return f, f.read()
}
