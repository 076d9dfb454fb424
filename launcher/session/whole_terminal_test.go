//go:build linux

package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Row 7 of the sandbox, at the keyboard: end of file, an echo that is off, an interrupt.
func TestWholeKeys(t *testing.T) {
	t.Parallel()
	w := newWhole(t)
	o := newOuter(t)
	before := o.modes()
	w.shell(o)
	o.send("run 'cat; echo at the end; read -s -p secret: x; echo; echo ${#x} letters; cat'; echo status $?\n")
	eventually(t, "raw mode", o.isRaw)
	o.send("words\r")
	o.expect("words\r\nwords\r\n")
	o.send("\x04")
	o.expect("at the end\r\n")
	o.expect("secret:")
	o.send("hunter2hunter2\r")
	o.expect("14 letters\r\n")
	o.send("more\r")
	o.expect("more\r\nmore\r\n") // bash may miss an interrupt that comes before its job has begun
	o.send("\x03")
	o.expect("ready$ ") // a shell forgets the rest of its line when a job was interrupted
	o.send("echo status $?\n")
	o.expect("status 130\r\n")
	if strings.Contains(o.screen()+w.recorded(t), "hunter2") {
		t.Error("the password was shown or recorded")
	}
	contains(t, w.recorded(t), "at the end")
	o.send("exit\n")
	eventually(t, "the terminal as it was", func() bool { return o.modes() == before })
}

// Ctrl-Z gives the shell its terminal, with all that the command printed before it on the
// screen, and fg goes on in a window of another size.
func TestWholeStopsAndContinues(t *testing.T) {
	t.Parallel()
	w := newWhole(t)
	o := newOuter(t)
	w.shell(o)
	o.stopsAndContinues("run '" + readsOnce + "'")
}

// A command in the background that reads is not stopped and steals no key; its lines end as they
// would without us.
func TestWholeInTheBackground(t *testing.T) {
	t.Parallel()
	w := newWhole(t)
	o := newOuter(t)
	w.shell(o)
	o.send("run 'echo beg''in; read x; echo got $x' &\n")
	o.expect("begin\r\n")
	o.send("echo mi''ne\n")
	o.expect("mine\r\n")
	o.send("fg\n")
	eventually(t, "raw mode after fg", o.isRaw)
	o.send("words\r")
	o.expect("got words\r\n")
	o.expect("ready$ ")
	if all := o.screen(); strings.Contains(all, "\r\r\n") {
		t.Errorf("line ends are made twice: %q", all)
	}
}

// What would type at the person, or write the clipboard, stays behind; so does a mode that the
// command left on.
func TestWholeNothingTypes(t *testing.T) {
	t.Parallel()
	w := newWhole(t)
	o := newOuter(t)
	w.shell(o)
	o.send(`run 'printf "\033]52;c;ZXZpbA==\007\033[6n\033[c\033]0;title\007\033[?1004h\033[?1049hfull\033[?1000h"; echo over'` + "\n")
	o.expect("\x1b[?1049hfull\x1b[?1000h" + "over\r\n")
	o.expect("\x1b[?1000l\x1b[?1049l")
	o.expect("ready$ ")
	for _, kept := range []string{"\x1b]52", "\x1b[6n", "\x1b[c", "\x1b]0", "\x1b[?1004h"} {
		if strings.Contains(o.screen(), kept) {
			t.Errorf("%q reached the terminal", kept)
		}
	}
}

// Full-screen programs: their own modes, their keys, the screen as it was behind them, and
// stopping in the middle.
func TestWholeFullScreen(t *testing.T) {
	t.Run("vim", func(t *testing.T) {
		need(t, "vim")
		t.Parallel()
		w := newWhole(t)
		o := newOuter(t)
		w.shell(o)
		o.send("run 'vim -u NONE -i NONE -n text'; echo status $?\n")
		o.expect("[New File]")
		o.send("ihello\x1b")
		o.send("\x1a")
		o.expect("\x1b[?1049l") // back from the alternate screen, before the shell speaks
		o.expect("Stopped")
		o.expect("ready$ ")
		o.send("fg\n")
		o.expect("\x1b[?1049h")
		eventually(t, "raw mode", o.isRaw)
		o.send(":wq\r")
		o.expect("ready$ ")
		if text, err := os.ReadFile(filepath.Join(w.work, "text")); string(text) != "hello\n" {
			t.Errorf("vim wrote %q: %v", text, err)
		}
	})
	t.Run("less", func(t *testing.T) {
		need(t, "less")
		t.Parallel()
		w := newWhole(t)
		o := newOuter(t)
		w.shell(o)
		o.send("seq 1000 | run 'LESS= less'; echo status $?\n")
		o.expect("23")
		eventually(t, "raw mode", o.isRaw)
		o.send("G")
		o.expect("1000")
		o.send("q")
		o.expect("status 0")
	})
	t.Run("htop", func(t *testing.T) {
		need(t, "htop")
		t.Parallel()
		w := newWhole(t)
		o := newOuter(t)
		before := o.modes()
		cmd := w.command("htop")
		o.start(cmd)
		o.expect("PID")
		o.resize(120, 40)
		o.expect("\x1b[40;") // it draws in the last row of the new window
		o.send("q")
		if got := status(t, cmd); got != "exit 0" {
			t.Error(got)
		}
		if after := o.modes(); after != before {
			t.Errorf("modes before %+v\nafter %+v", before, after)
		}
	})
	t.Run("password prompt", func(t *testing.T) {
		need(t, "python3")
		t.Parallel()
		w := newWhole(t)
		o := newOuter(t)
		cmd := w.command(`python3 -c 'import getpass; print("len", len(getpass.getpass("pw: ")))'`)
		o.start(cmd)
		o.expect("pw: ")
		o.send("hunter2hunter2\r")
		o.expect("len 14\r\n")
		if got := status(t, cmd); got != "exit 0" {
			t.Error(got)
		}
		if strings.Contains(o.screen()+w.recorded(t), "hunter2") {
			t.Error("the password was shown or recorded")
		}
	})
}
