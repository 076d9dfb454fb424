package prompt

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/tada-run/tada-run/launcher/session"
)

// maxLine bounds what is typed into one line of a prompt, in bytes.
const maxLine = 1000

// An echo is what a person sees of a key that was typed into a line.
type echo func(key byte) string

func stars(byte) string       { return "*" }
func letters(key byte) string { return string([]byte{key}) }

// readLine reads one line from a person's terminal. It returns "" for a line that was given up with
// Escape, Ctrl-C or Ctrl-D, and at the end of ctx, and a [CancelledError] when a signal asks the
// process to end; the terminal is left as it was found, and no key behind the line is taken.
func readLine(ctx context.Context, tty *os.File, prompt string, shown echo) (string, error) {
	fd := int(tty.Fd())
	// keys that send signals are bytes then: nothing ends us in between
	before, err := term.MakeRaw(fd)
	if err != nil {
		return "", fmt.Errorf("ask on %q: %w", tty.Name(), err)
	}
	defer term.Restore(fd, before)
	signalled, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT,
		syscall.SIGQUIT)
	defer stop()
	fmt.Fprint(tty, prompt)
	defer fmt.Fprint(tty, "\r\n")
	var line strings.Builder
	for {
		key, ok := session.ReadKey(signalled, fd)
		switch {
		case !ok && signalled.Err() != nil && ctx.Err() == nil:
			return "", &CancelledError{By: context.Cause(signalled).Error()}
		case !ok || key == 0x1b || key == 0x03 || key == 0x04:
			return "", nil
		case key == '\r' || key == '\n':
			return line.String(), nil
		case key == 0x7f || key == 0x08 || key == 0x15: // a short line is typed again
			line.Reset()
			fmt.Fprint(tty, "\r\x1b[K", prompt)
		case key >= ' ' && line.Len() < maxLine:
			line.WriteByte(key)
			fmt.Fprint(tty, shown(key))
		}
	}
}

// ReadSecret reads one line that is not shown, such as a passphrase, from a person's terminal; ""
// when it was given up.
func ReadSecret(ctx context.Context, tty *os.File, prompt string) (string, error) {
	return readLine(ctx, tty, prompt, stars)
}
