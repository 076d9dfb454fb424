package pathguard

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// The columns of /etc/passwd that are asked for; see passwd(5).
const (
	passwdName = 0
	passwdUID  = 2
	passwdHome = 5
)

// HomeOf returns the home directory that /etc/passwd gives to uid, "" when it gives none.
// $HOME is not asked: it belongs to whoever starts the process.
func HomeOf(uid int) string { return passwdEntry(passwdUID, strconv.Itoa(uid)) }

// accountHome looks a ~user up; an account that is not found stays unknown, which asks.
func accountHome(name string) string { return passwdEntry(passwdName, name) }

// passwdEntry returns the home of the first entry that has value in column. os/user would go
// through nsswitch, but only with cgo, and links the C library's resolvers into the agent's door.
func passwdEntry(column int, value string) string {
	f, err := os.Open("/etc/passwd")
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), ":")
		if len(fields) > passwdHome && fields[column] == value && strings.HasPrefix(fields[passwdHome], "/") {
			return fields[passwdHome]
		}
	}
	return ""
}
