package cli

import "bytes"

// longestFound is the longest line that is searched as a whole; of a longer one, which no person
// saw as a line, each such part is.
const longestFound = 1 << 20

// A finder receives a text, and reports the lines that contain another.
type finder struct {
	text  []byte
	found func(n int, line string) error
	rest  []byte
	n     int
}

func (g *finder) Write(p []byte) (int, error) {
	g.rest = append(g.rest, p...)
	for {
		i := bytes.IndexByte(g.rest, '\n')
		if i < 0 {
			return len(p), g.part()
		}
		line := g.rest[:i]
		g.rest = g.rest[i+1:]
		if err := g.look(line); err != nil {
			return 0, err
		}
	}
}

// part examines the beginning of a line that is too long.
func (g *finder) part() error {
	if len(g.rest) < longestFound {
		return nil
	}
	err := g.look(g.rest)
	g.n--
	g.rest = g.rest[len(g.rest)-min(len(g.rest), len(g.text)-1):] // it may go on in the next part
	return err
}

// line examines what came after the last end of a line.
func (g *finder) line() error {
	if len(g.rest) == 0 {
		return nil
	}
	return g.look(g.rest)
}

func (g *finder) look(line []byte) error {
	g.n++
	if !bytes.Contains(line, g.text) {
		return nil
	}
	return g.found(g.n, string(line))
}
