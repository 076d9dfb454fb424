package audit

import (
	"bytes"
)

// passwordPrompt is the end of a line that asks for a secret: "[sudo] password
// for me: ", "Enter passphrase for key '/home/me/.ssh/id_ed25519': ",
// "Password:", "PIN: ", "Username for ..." is none.
var passwordPrompt = expression(
	`(?i)\b(pass(word|phrase|wd|code)|passwort|kennwort|mot de passe|contraseña|secret|token|api key|pin|otp|verification code)\b[^\r\n]{0,80}[:?>：]\s?$`)

// maxPrompt is how much of a line's end is looked at.
const maxPrompt = 160

// A prompt watches a terminal for a program that asks for a secret with the
// echo on. A terminal with the echo off tells so itself, and the caller then
// uses Recorder.Hidden; this is the second signal, for programs that ask
// without, and for what a terminal's modes say too late.
type prompt struct {
	line  []byte // the end of what was shown, at most maxPrompt
	armed bool   // what is typed is a secret
	echo  []byte // typed, and perhaps still to be echoed
}

// shown takes in output.
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

// typed returns how many of the bytes that are typed now belong to a secret:
// all up to the end of the line, or what gives it up.
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

// echoed returns how many bytes at the start of some output are the echo of
// the secret.
func (w *prompt) echoed(p []byte) (n int) {
	for n < len(p) && n < len(w.echo) && p[n] == w.echo[n] {
		n++
	}
	w.echo = w.echo[:copy(w.echo, w.echo[n:])]
	return n
}
