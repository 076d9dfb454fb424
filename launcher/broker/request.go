package broker

import "errors"

// ErrNoRequestSocket is returned by RequestSocket where it cannot be had: outside of a sandbox, and
// in one without such a socket.
var ErrNoRequestSocket = errors.New("no connection out of the sandbox")
