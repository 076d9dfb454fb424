package play

import (
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// A binding is what a key does.
type binding struct {
	keys []string
	help string
	do   func(*Player)
}

// bindings are the keys, as users of asciinema and less expect them, in the
// order of the help.
var bindings = []binding{
	{[]string{"space", "p"}, "pause or resume", func(p *Player) { p.pause() }},
	{[]string{"right"}, "5 seconds forward", func(p *Player) { p.seek(p.pos + 5*time.Second) }},
	{[]string{"left"}, "5 seconds back", func(p *Player) { p.seek(p.pos - 5*time.Second) }},
	{[]string{"up", "pgdn"}, "1 minute forward", func(p *Player) { p.seek(p.pos + time.Minute) }},
	{[]string{"down", "pgup"}, "1 minute back", func(p *Player) { p.seek(p.pos - time.Minute) }},
	{[]string{"+", "=", ">"}, "twice as fast", func(p *Player) { p.speed = min(p.speed*2, 1024) }},
	{[]string{"-", "<"}, "half as fast", func(p *Player) { p.speed = max(p.speed/2, 1.0/64) }},
	{[]string{"."}, "next frame", func(p *Player) { p.frame(false) }},
	{[]string{","}, "previous frame", func(p *Player) { p.frame(true) }},
	{[]string{"]"}, "next mark", func(p *Player) { p.nextMark() }},
	{[]string{"["}, "previous mark", func(p *Player) { p.previousMark() }},
	{[]string{"/"}, "search for text on the screen", func(p *Player) { p.prompt = &prompt{} }},
	{[]string{"n"}, "next match", func(p *Player) { p.search(false) }},
	{[]string{"N"}, "previous match", func(p *Player) { p.search(true) }},
	{[]string{"g", "home"}, "start", func(p *Player) { p.seek(0) }},
	{[]string{"G", "end"}, "end; follows a running session", func(p *Player) { p.toEnd() }},
	{[]string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, "0%, 10%, ... of the session",
		nil},
	{[]string{"i"}, "shorten pauses, or not",
		func(p *Player) { p.idle = !p.idle && p.set.Idle > 0 }},
	{[]string{"?", "h"}, "this help", func(p *Player) { p.help = true }},
	{[]string{"q", "ctrl-c"}, "quit", func(p *Player) { p.quit = true }},
}

// bound is bindings by key.
var bound = sync.OnceValue(func() map[string]binding {
	all := map[string]binding{}
	for _, b := range bindings {
		for i, key := range b.keys {
			if b.do == nil {
				all[key] = binding{do: func(p *Player) { p.seek(p.total / 10 * time.Duration(i)) }}
				continue
			}
			all[key] = b
		}
	}
	return all
})

func (p *Player) pause() {
	if p.follow {
		p.follow, p.paused = false, true
		return
	}
	if p.paused && !p.tape.peek() && p.tape.live == nil {
		p.seek(0) // at the end, as players do
	}
	p.paused = !p.paused
}

func (p *Player) toEnd() {
	if p.tape.live != nil {
		p.follow, p.paused = true, false
		return
	}
	p.job = &toTime{at: endOfTime}
	p.paused = true
}

// Keys returns the help: one line for each key.
func Keys() string {
	var b strings.Builder
	for _, h := range bindings {
		fmt.Fprintf(&b, "  %-16s%s\n", h.name(), h.help)
	}
	return b.String()
}

func (b binding) name() string {
	if b.do == nil {
		return "0 - 9"
	}
	return strings.Join(b.keys, " ")
}

// sequences are what terminals send for keys that have no character.
var sequences = map[string]string{
	"\x1b[A": "up", "\x1b[B": "down", "\x1b[C": "right", "\x1b[D": "left",
	"\x1bOA": "up", "\x1bOB": "down", "\x1bOC": "right", "\x1bOD": "left",
	"\x1b[H": "home", "\x1b[F": "end", "\x1bOH": "home", "\x1bOF": "end",
	"\x1b[1~": "home", "\x1b[4~": "end", "\x1b[7~": "home", "\x1b[8~": "end",
	"\x1b[5~": "pgup", "\x1b[6~": "pgdn",
}

var controlKeys = map[byte]string{
	0x03: "ctrl-c", 0x1a: "ctrl-z", 0x0c: "ctrl-l", '\r': "enter", '\n': "enter", 0x7f: "backspace",
	'\b': "backspace", ' ': "space",
}

// nextKey splits one key off what the terminal sent. An ESC that nothing follows in the same read
// is the key itself. An unknown sequence is "".
func nextKey(in []byte) (name string, rest []byte) {
	c := in[0]
	if name, ok := controlKeys[c]; ok {
		return name, in[1:]
	}
	switch {
	case c == 0x1b && len(in) == 1:
		return "esc", nil
	case c == 0x1b && (in[1] == '[' || in[1] == 'O'):
		n := 2
		for n < len(in) && strings.IndexByte("0123456789;", in[n]) >= 0 {
			n++
		}
		n = min(n+1, len(in))
		return sequences[string(in[:n])], in[n:]
	case c < ' ':
		return "", in[1:]
	}
	_, n := utf8.DecodeRune(in)
	return string(in[:n]), in[n:]
}
