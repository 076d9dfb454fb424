package passwd

import (
	"strconv"
	"strings"
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
