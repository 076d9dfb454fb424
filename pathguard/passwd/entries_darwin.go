package passwd

import (
	"iter"
	"os/user"
)

// passwdEntries goes through the entry that has a value in column. On macOS /etc/passwd has only
// the system's own accounts; the C library, which every program links there, knows all.
func passwdEntries(column int, value string) iter.Seq[[]string] {
	find := user.Lookup
	if column == passwdUID {
		find = user.LookupId
	}
	return func(yield func([]string) bool) {
		if u, err := find(value); err == nil {
			entry := make([]string, passwdHome+1)
			entry[passwdName], entry[passwdUID], entry[passwdHome] = u.Username, u.Uid, u.HomeDir
			yield(entry)
		}
	}
}
