// Package view decides about the directories that all programs of a machine share (/tmp, /var/tmp,
// /dev/shm): which names a sandboxed run may not use there, and which entries the runs of one
// workspace have made.
//
//	ledger, err := view.OpenLedger("/home/me/.tada/view/6f1c", []string{"/tmp"})
//	...
//	if why := view.Refused(name, machine); why != "" {
//		return unix.EACCES
//	}
//	ledger.Add(id)     // of what was just made
//	ledger.Has(other)  // may it be changed?
//
// # Names
//
// A program that finds its socket, lock or cache by a name in a shared directory trusts who made
// it. Such names are a table (names.txt), and those that end in the name or number of an account or
// in the number of a process outside. The table is for names in the shared directory itself: in a
// folder of the run's own nobody looks for anything.
//
// # The ledger
//
// An entry is told by its identity: device, number and time of birth. A name says nothing, because
// another program may have put something else there. The ledger is a file of records of one size,
// to which every run of the workspace appends; nothing is forced to the disk. A record that is
// lost makes an entry somebody else's, and nothing worse: a removal is written before the entry is
// removed. A file with a record that cannot be read is refused (DamagedError). Entries that are
// gone are left out when no other run has the file open and it has grown.
package view
