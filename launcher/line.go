package launcher

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"
)

// maxLine bounds what is typed into one line of a prompt, in bytes.
const maxLine = 256

// readLine reads one line of plain characters from a person's terminal, shown as dots. It returns "" for a
// line that was given up with Escape, Ctrl-C or Ctrl-D, when a signal asks the process to end, or
// at the end of ctx; the terminal is left as it was found.
func readLine(ctx context.Context, tty *os.File, prompt string) (string, error) {
	fd := int(tty.Fd())
	before, err := term.MakeRaw(fd) // keys that send signals are bytes then: nothing ends us in between
	if err != nil {
		return "", fmt.Errorf("ask on %q: %w", tty.Name(), err)
	}
	defer term.Restore(fd, before)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	defer stop()
	fmt.Fprint(tty, prompt)
	defer fmt.Fprint(tty, "\r\n")
	keys := make(chan byte)
	go func() {
		defer close(keys)
		for b := make([]byte, 1); ; {
			if n, err := tty.Read(b); n == 0 || err != nil {
				return
			}
			select {
			case keys <- b[0]:
			case <-ctx.Done():
				return
			}
		}
	}()
	var line strings.Builder
	for {
		select {
		case <-ctx.Done():
			return "", nil
		case key, open := <-keys:
			switch {
			case !open || key == 0x1b || key == 0x03 || key == 0x04:
				return "", nil
			case key == '\r' || key == '\n':
				return line.String(), nil
			case key == 0x7f || key == 0x08 || key == 0x15: // a short line is typed anew
				line.Reset()
				fmt.Fprint(tty, "\r\x1b[K", prompt)
			case key >= ' ' && line.Len() < maxLine:
				line.WriteByte(key)
				fmt.Fprint(tty, "·")
			}
		}
	}
}

// ReadSecret reads one line that is not shown, such as a passphrase, from a person's terminal; "" when it
// was given up.
func ReadSecret(ctx context.Context, tty *os.File, prompt string) (string, error) {
	return readLine(ctx, tty, prompt)
}
