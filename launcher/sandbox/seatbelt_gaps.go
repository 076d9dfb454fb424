package sandbox

// beltGaps is what Seatbelt does not keep of a profile.
func beltGaps(p Profile) []Loss {
	const noOne = "nothing answers system calls on macOS"
	lost := []Loss{
		{Namespaces, "macOS has none"},
		{Objects, "Seatbelt goes by names: what is put under one after the check is what is used"},
		{Processes, "sysctl shows the command lines of other processes"},
		{Tree, "a process that leaves the process group goes on, in its sandbox"},
		{IPC, "there are none: Seatbelt cannot give a run its own"},
		{SharedMem, "there is none: Seatbelt cannot give a run its own"},
	}
	for _, g := range []struct {
		when bool
		loss Loss
	}{
		{p.Network == Hosts, Loss{Localhost, noOne + ", so the run has no network"}},
		{p.Network != Full, Loss{Loopback, "there is no network of the run's own"}},
		{p.View != nil && !p.PrivateTmp, Loss{View, noOne + ", so the shared directories are " +
			"out of reach"}},
		{p.PrivateTmp, Loss{PrivateTmp, "without mounts the shared directories are out of reach, " +
			"and there are no private ones"}},
		{p.Limits.Grouped || p.Limits.FileSize > 0 || p.Limits.Files > 0, Loss{Limited,
			"on macOS only time and output are counted"}},
		{p.Changes != nil, Loss{Undo, noOne + ", so only files that the line names are kept, " +
			"before it starts"}},
	} {
		if g.when {
			lost = append(lost, g.loss)
		}
	}
	return lost
}
