//go:build darwin || stepwise

package walk

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// A name has the spelling that its directory has, also of a file with several names; a name that
// fits two files, or none, is not certain.
func TestSpelled(t *testing.T) {
	root := hermetic.Tree(t, "d/Id_Rsa", "d/other")
	if err := os.Link(root+"/d/Id_Rsa", root+"/d/second"); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(root+"/d", forNothing|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstatat(fd, "Id_Rsa", &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		t.Fatal(err)
	}
	at := Dir{fd, "/d"}
	for name, want := range map[string]string{"Id_Rsa": "/d/Id_Rsa", "second": "/d/second",
		"ID_RSA": "/d/Id_Rsa", "SECOND": "/d/second", "third": "", "OTHER": ""} {
		if got, err := spelled(at, name, &st); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
}

// macOS has three directories under two names, and the tables of names have the short one.
func TestPublicNames(t *testing.T) {
	for full, want := range map[string]string{"/private/etc/passwd": "/etc/passwd",
		"/private/tmp": "/tmp", "/private/var/db": "/var/db", "/private": "/private",
		"/private/other": "/private/other", "/privateetc": "/privateetc",
		"/private/etcetera": "/private/etcetera"} {
		if got := public(full); got != want {
			t.Errorf("%s: %q, want %q", full, got, want)
		}
	}
}
