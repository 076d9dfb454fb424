package tamper

import "golang.org/x/sys/unix"

// forNothing opens a folder without any use of it.
const forNothing = unix.O_PATH
