package launcher

import (
	"cmp"
	"os"

	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/pathguard/passwd"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// person is the account itself, at a door.
func person(door tamper.Interface) tamper.Who {
	return tamper.Who{User: cmp.Or(passwd.NameOf(os.Getuid()), permit.Person()),
		Interface: cmp.Or(door, tamper.CLI)}
}
