package passwd

import (
	"bytes"
	"iter"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// The columns of /etc/passwd that are asked for; see passwd(5).
const (
	passwdName = 0
	passwdUID  = 2
	passwdHome = 5
)

// HomeOf returns the home directory that /etc/passwd gives to uid, "" if it gives none. $HOME is
// not read, because the caller of the process controls it.
func HomeOf(uid int) string { return homeIn(passwdUID, strconv.Itoa(uid)) }

// NameOf returns the name that /etc/passwd gives to uid, "" when it gives none. $USER is not
// asked either.
func NameOf(uid int) string {
	for entry := range passwdEntries(passwdUID, strconv.Itoa(uid)) {
		return entry[passwdName]
	}
	return ""
}

// Home looks a ~user up; an account that is not found stays unknown, which asks.
func Home(name string) string { return homeIn(passwdName, name) }

func homeIn(column int, value string) string {
	for entry := range passwdEntries(column, value) {
		if strings.HasPrefix(entry[passwdHome], "/") {
			return entry[passwdHome]
		}
	}
	return ""
}

// passwdEntries goes through the entries that have value in column. os/user would go through
// nsswitch, but only with cgo, and links the C library's resolvers into the agent's door.
func passwdEntries(column int, value string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		text, err := proc.Read("/etc/passwd")
		if err != nil {
			return
		}
		for line := range bytes.Lines(text) {
			fields := strings.Split(strings.TrimRight(string(line), "\r\n"), ":")
			if len(fields) > passwdHome && fields[column] == value && !yield(fields) {
				return
			}
		}
	}
}
