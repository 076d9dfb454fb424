package audit

import "bytes"

// passwordPrompt matches the end of a line that asks for a secret: "[sudo] password for me: ",
// "Enter passphrase for key '/home/me/.ssh/id_ed25519': ", "Password:", "PIN: ". "Username for ..."
// does not match.
var passwordPrompt = expression(
	`(?i)\b(pass(word|phrase|wd|code)|passwort|kennwort|mot de passe|contraseña|secret|token|api key|pin|otp|verification code)\b[^\r\n]{0,80}[:?>：]\s?$`)

// maxPrompt is how much of a line's end is examined.
const maxPrompt = 160

// A prompt watches a terminal for a program that asks for a secret with the echo on. If the echo is
// off, the terminal says so, and the caller uses Recorder.Hidden. This is the second signal: for
// programs that leave the echo on, and for terminal modes that are reported too late.
type prompt struct {
	line  []byte // the end of what was shown, at most maxPrompt
	armed bool   // what is typed is a secret
	echo  []byte // typed, and possibly still to be echoed
}

// shown takes output.
func (w *prompt) shown(p []byte) {
	if len(p) == 0 {
		return
	}
	if bytes.IndexByte(p, '\n') >= 0 {
		w.armed, w.echo = false, w.echo[:0]
	}
	if drop := len(w.line) + len(p) - maxPrompt; drop > 0 {
		drop = min(drop, len(w.line))
		w.line = w.line[:copy(w.line, w.line[drop:])]
	}
	w.line = append(w.line, p[max(0, len(p)-maxPrompt):]...)
}

// typed returns how many of the bytes typed now belong to a secret: all up to the end of the line,
// or up to a key that cancels it.
func (w *prompt) typed(p []byte) int {
	w.armed = w.armed || passwordPrompt().Match(w.line)
	if !w.armed || len(p) == 0 {
		return 0
	}
	n := bytes.IndexAny(p, "\r\n\x03\x04")
	if n < 0 {
		n = len(p)
	} else {
		w.armed, w.line = false, w.line[:0]
	}
	if len(w.echo)+n <= maxHeld {
		w.echo = append(w.echo, p[:n]...)
	}
	return n
}

// echoed returns how many bytes at the start of some output are the echo of the secret.
func (w *prompt) echoed(p []byte) (n int) {
	for n < len(p) && n < len(w.echo) && p[n] == w.echo[n] {
		n++
	}
	w.echo = w.echo[:copy(w.echo, w.echo[n:])]
	return n
}
