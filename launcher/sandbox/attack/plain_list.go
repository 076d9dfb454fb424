package attack

import "github.com/tada-run/tada-run/launcher/sandbox"

// A plainLine is an attack that is a line of a shell, started in the workspace; it works when its
// status is 0.
type plainLine struct {
	Name, Kind string
	Lost       sandbox.Protection
	line       string
}

var plain = []plainLine{
	{"create outside", "files", "", `: > "$OUT/new"`},
	{"append outside", "files", "", `echo x >> "$OUT/file"`},
	{"truncate outside", "files", sandbox.Truncation, `: > "$OUT/file"`},
	{"remove outside", "files", "", `rm "$OUT/file"`},
	{"rename outside", "files", "", `mv "$OUT/file" "$OUT/moved"`},
	{"fetch a file from outside", "files", "", `mv "$OUT/file" here`},
	{"folder outside", "files", "", `mkdir "$OUT/new"`},
	{"mode outside", "files", sandbox.Metadata, `chmod 644 "$OUT/file"`},
	{"times outside", "files", sandbox.Metadata, `touch -t 200001010000 "$OUT/file"`},
	{"through a symbolic link", "files", "", `ln -s "$OUT" link; echo x >> link/file`},
	{"through a hard link", "files", "", `ln "$OUT/file" link && echo x >> link`},

	{"read a hidden file", "hidden", "", `cat .env`},
	{"read a hidden file in a folder", "hidden", "", `cat conf/.env`},
	{"read in a hidden folder", "hidden", "", `cat "$HIDDEN/file"`},
	{"list a hidden folder", "hidden", sandbox.HiddenList, `ls "$HIDDEN/."`},
	{"copy a hidden file", "hidden", "", `cp .env copy`},
	{"link a hidden file", "hidden", "", `ln .env copy && cat copy`},
	{"move a hidden file", "hidden", "", `mv .env copy && cat copy`},
	{"move its folder", "hidden", "", `mv conf copy && cat copy/.env`},
	{"another case", "hidden", "", `cat .ENV`},
	{"through a symbolic link to it", "hidden", "", `ln -s .env link; cat link`},

	{"write a kept file", "guarded", sandbox.Keeping, `echo x >> kept/file`},
	{"remove a kept file", "guarded", sandbox.Keeping, `rm -f kept/file && ! test -e kept/file`},
	{"create in a kept folder", "guarded", sandbox.Keeping, `: > kept/new`},
	{"move a kept folder", "guarded", sandbox.Keeping, `mv kept moved && echo x >> moved/file`},
	{"replace a kept file", "guarded", sandbox.Keeping, `mv -f other kept/file`},

	{"TCP", "sockets", "", `echo x > "/dev/tcp/127.0.0.1/$TCP"`},
	{"UDP", "sockets", "", `echo x > "/dev/udp/127.0.0.1/$UDP"`},
	{"Unix socket", "sockets", "", `nc -U "$SOCKET" < /dev/null`},

	{"signal a process outside", "processes", sandbox.Signals, `kill -0 "$PID"`},
	{"command lines of processes outside", "processes", sandbox.Processes,
		`ps -o command= -p "$PID" | grep -q .`},
	{"start a program by launchd", "processes", "", `launchctl submit -l "tada.attack.$$" -- ` +
		`/usr/bin/touch "$OUT/new" || exit
		sleep 2; launchctl remove "tada.attack.$$"; test -e "$OUT/new"`},
}
