package caller

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// noTerminal is the name of no terminal, pseudoTerminal how that of one with another end begins.
const (
	noTerminal     = "?"
	pseudoTerminal = "pts/"
)

// terminalOf reads /proc/PID/stat: the name of the controlling terminal, and whether the process
// has its keys.
func terminalOf(stat string) (tty string, foreground bool) {
	end := strings.LastIndexByte(stat, ')')
	f := strings.Fields(stat[end+1:]) // state ppid pgrp session tty_nr tpgid
	if end < 0 || len(f) < 6 {
		return noTerminal, false
	}
	n, err := strconv.ParseInt(f[4], 10, 32)
	if err != nil || n == 0 {
		return noTerminal, false
	}
	dev := uint64(uint32(n))
	major, minor := unix.Major(dev), unix.Minor(dev)
	tty = fmt.Sprintf("tty %d:%d", major, minor)
	if major >= 136 && major <= 143 { // Unix98 terminals (devices.txt)
		tty = fmt.Sprintf(pseudoTerminal+"%d", (major-136)<<8+minor)
	}
	return strings.ReplaceAll(tty, " ", ""), f[2] == f[5]
}
