package audit

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
)

// A span is a part of a stream that must not be stored.
type span struct{ from, to int }

const (
	// maskReach is how much already recorded text of a stream is remembered: the longest hint,
	// which is the line before a private key.
	maskReach = 64
	// minToken is the shortest run of token bytes that is examined: an access key ID has 20 of
	// them, and no token in use is shorter.
	minToken = 20
	// minHeader is the shortest first part of a web token, up to its dot.
	minHeader = 13
	// maxHeld is how much may wait for the end of a token. If it is longer and began like one, it
	// is hidden without further checks.
	maxHeld = 4096
	// maxUser is the maximum length of name and password in a URL.
	maxUser = 256
	// maxBlock is how much is hidden of a private key whose end never comes.
	maxBlock = 32 << 10
)

// tokens are those of secretShapes that are one run of token bytes, by the first byte of their
// hints.
var tokens = sync.OnceValue(func() *[256][]secretShape {
	var by [256][]secretShape
	for _, s := range tokenShapes() {
		by[s.hint[0]] = append(by[s.hint[0]], s)
	}
	return &by
})

// A mask hides credentials of a known shape in one stream, however reads and writes split it. It
// examines a window of what was recorded last and what is new, once, in steps of minToken bytes: a
// byte that no token contains rules out every token around it.
type mask struct {
	window []byte // maskReach recorded bytes, then the unrecorded ones
	known  int    // how many of them were recorded
	author string // of the waiting bytes
	block  int    // bytes of a private key that may still be hidden; 0: in none
	long   bool   // in a token that is longer than maxHeld
	off    bool   // nothing is secret
	spans  []span
}

// add takes new bytes. It returns the bytes that can be recorded now and, in order and not
// overlapping, which of them are secret. It keeps the rest for the next call. At the end of the
// stream, with last, it keeps nothing.
func (m *mask) add(p []byte, last bool) (b []byte, secret []span) {
	m.window = append(m.window, p...)
	m.spans = m.spans[:0]
	from := m.continued(m.known)
	open := len(m.window)
	if !m.off && (from < len(m.window) || last) {
		open = min(m.tokens(last), m.urls(last))
		m.keys(from)
	}
	if !last {
		open -= unfinished(m.window[:open])
	}
	open = max(open, m.known)
	if len(m.window)-open > maxHeld {
		m.spans = append(m.spans, span{open, len(m.window)})
		open, m.long = len(m.window), true
	}
	return m.window[m.known:open], m.settle(open)
}

// next drops what was recorded, except as far back as a hint may begin.
func (m *mask) next(recorded int) {
	done := m.known + recorded
	keep := min(done, maskReach)
	m.window = m.window[:copy(m.window, m.window[done-keep:])]
	m.known = keep
}

// waiting returns the number of bytes that are kept for the next call.
func (m *mask) waiting() int { return len(m.window) - m.known }

// settle sorts the spans, joins those that touch, and counts from what was not recorded before.
func (m *mask) settle(end int) []span {
	slices.SortFunc(m.spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	out := m.spans[:0]
	for _, s := range m.spans {
		s.from, s.to = max(s.from, m.known)-m.known, min(s.to, end)-m.known
		switch n := len(out); {
		case s.from >= s.to:
		case n > 0 && s.from <= out[n-1].to:
			out[n-1].to = max(out[n-1].to, s.to)
		default:
			out = append(out, s)
		}
	}
	m.spans = out
	return out
}

// continued continues to hide where an earlier call had to stop.
func (m *mask) continued(at int) int {
	if m.long {
		end := m.run(at, 0)
		m.spans = append(m.spans, span{at, end})
		m.long = end == len(m.window)
		at = end
	}
	if m.block > 0 {
		at = m.blockFrom(at, m.block)
	}
	return at
}

// blockFrom hides from at to the end of a private key, including its end line, at most limit bytes.
func (m *mask) blockFrom(at, limit int) int {
	reach := max(0, at-len(keyEnd)) // the end may have begun before
	end := at + min(limit, len(m.window)-at)
	m.block = limit - (end - at)
	if n := bytes.Index(m.window[reach:end], keyEnd); n >= 0 {
		end, m.block = max(at, reach+n+len(keyEnd)), 0
	}
	m.spans = append(m.spans, span{at, end})
	return end
}

// keys hides private keys that begin after from.
func (m *mask) keys(from int) {
	for at := max(0, from-len(keyBegin)+1); ; {
		n := bytes.Index(m.window[at:], keyBegin)
		if n < 0 {
			return
		}
		at += n + len(keyBegin)
		// The line that ends a key is the same except for one word.
		line := m.window[max(0, at-len(keyBegin)-24):at]
		if bytes.LastIndex(line, []byte("BEGIN ")) > bytes.LastIndex(line, []byte("END ")) {
			at = m.blockFrom(max(from, at), maxBlock)
		}
	}
}

// run returns the end of the run of token bytes, and of more, that contains at.
func (m *mask) run(at int, more byte) int {
	at = tokenEnd(m.window, at)
	for more != 0 && at < len(m.window) && m.window[at] == more {
		at = tokenEnd(m.window, at+1)
	}
	return at
}

// tokens hides tokens, and returns where a token begins that may continue.
func (m *mask) tokens(last bool) (open int) {
	b, begin := m.window, 0
	for i := min(minToken-1, max(0, len(b)-1)); i < len(b); {
		if !tokenByte[b[i]] {
			begin = i + 1
			if i = begin + minToken - 1; i >= len(b) {
				i = max(begin, len(b)-1) // a hint at the very end may begin a token
			}
			continue
		}
		from, to := begin+tokenStart(b[begin:], i-begin), tokenEnd(b, i)
		if to-from >= minToken || to == len(b) || to-from >= minHeader && b[to] == '.' &&
			bytes.Contains(b[from:to], header) {
			if at := m.inRun(from, to, last); at >= 0 {
				return at
			}
		}
		begin = to + 1
		if i = to + minToken; i >= len(b) {
			i = max(begin, len(b)-1)
		}
	}
	return len(b)
}

// inRun looks for hints at the word boundaries of a run. It returns where a token begins that the
// end of the window cuts, or -1.
func (m *mask) inRun(from, to int, last bool) int {
	if from == 0 && m.known == maskReach {
		from++ // what is before it is not known
	}
	for at := from; at < to; at++ {
		if at > from { // a word begins only after a '-'
			n := bytes.IndexByte(m.window[at-1:to], '-')
			if n < 0 {
				break
			}
			at += n
		} else if at > 0 && wordByte(m.window[at-1]) {
			continue
		}
		if at == to {
			break
		}
		for _, t := range tokens()[m.window[at]] {
			if !bytes.HasPrefix(m.window[at:to], []byte(t.hint)) {
				continue
			}
			body, end := at+len(t.hint), m.run(at, t.more)
			if end == len(m.window) && !last {
				return body
			}
			if loc := t.shape().FindIndex(m.window[at:end]); loc != nil && loc[0] == 0 {
				m.spans = append(m.spans, span{body, at + loc[1]})
			}
		}
	}
	return -1
}

// urls hides passwords in URLs, and returns where one may begin that the end of the window cuts.
func (m *mask) urls(last bool) (open int) {
	b := m.window
	for at := 0; ; at++ {
		n := bytes.IndexByte(b[at:], '@')
		if n < 0 {
			break
		}
		at += n
		begin := max(0, at-maxUser)
		if n := bytes.LastIndex(b[begin:at], scheme); n >= 0 {
			user := b[begin+n+len(scheme) : at]
			colon := bytes.IndexByte(user, ':')
			if colon >= 0 && len(user)-colon > 3 && !bytes.ContainsAny(user, " \t\r\n/\"'") {
				m.spans = append(m.spans, span{at - len(user) + colon + 1, at})
			}
		}
	}
	begin := max(0, len(b)-maxUser)
	n := bytes.LastIndex(b[begin:], scheme)
	if n < 0 || last {
		return len(b)
	}
	user := begin + n + len(scheme)
	if colon := bytes.IndexByte(b[user:], ':'); colon >= 0 && !bytes.ContainsAny(b[user:],
		" \t\r\n/\"'") {
		return user + colon + 1
	}
	return len(b)
}
