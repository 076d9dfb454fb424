package network

import (
	"net/netip"
	"strconv"
	"strings"
)

// A Want is a connection that no rule allows, of a program that waits for the answer.
type Want struct {
	Host  string   // the name that was looked up, the address, or the name of a Unix socket
	Port  uint16   // 0 of a Unix socket
	Leads string   // where a name leads, when that has to be said: an address, and what it is
	Also  []string // other names that led to the address
	Six   bool     // by an address of IPv6
	Program

	addr netip.Addr // that was asked for; not valid if it only represents the name
	ours bool       // it is this machine's, and Leads names the server
}

// Text is the host and port, or the name of a Unix socket.
func (w Want) Text() string {
	if w.Port == 0 {
		return w.Host
	}
	return hostPort(w.Host, w.Port)
}

// A Program is what wants a connection.
type Program struct {
	PID  int
	Path string // the file that runs
	ID   string // its inode; "" where it is not known
	Own  bool   // the run may write it: it is as good as any other code there
}

// A Word is the answer to a Want. The zero Word refuses.
type Word struct {
	OK       bool
	Why      string // why not
	Question string // the id of the question, where it is open
}

func hostPort(host string, port uint16) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + strconv.Itoa(int(port))
}
