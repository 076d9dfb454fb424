//go:build !linux || !(amd64 || arm64)

package broker

// RequestSocket returns ErrNoRequestSocket.
func RequestSocket() (int, error) { return -1, ErrNoRequestSocket }
