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
// A program that finds its socket, lock or cache by a name in a shared directory trusts the maker
// of that name. Such names are in a table (names.txt), and so are those that end in the name or
// number of an account or in the number of a process outside. The table is for names in the shared
// directory itself: no program looks for a name in a folder of the run's own.
//
// # The ledger
//
// An entry is identified by device, number and time of birth. A name is not enough, because another
// program may have put something else there. The ledger is a file of records of one size, to which
// every run of the workspace appends; nothing is forced to the disk. If a record is lost, its entry
// counts as another's, and nothing worse happens: a removal is written before the entry is removed.
// A file with an unreadable record is refused (DamagedError). Dead entries are dropped when no
// other run has the file open and it has grown.
package view
