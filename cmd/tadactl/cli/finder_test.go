package cli

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// However a text is cut into writes, a line that contains what is looked for is reported once, with
// its number. Of a line that is too long, the parts are, and nothing is held but one of them.
func TestFinderOfALongLine(t *testing.T) {
	filler := strings.Repeat("x", longestFound/2)
	var long strings.Builder
	for i := range 12 {
		fmt.Fprintf(&long, "%sneedle%d%s", filler[i*1000:], i, filler)
	}
	text := "a needle\nnone\n" + long.String() + "\nthe last needle"
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var short []string
		needles := 0
		g := finder{text: []byte("needle"), found: func(n int, line string) error {
			if len(line) < 100 {
				short = append(short, fmt.Sprint(n, line))
				return nil
			}
			needles += strings.Count(line, "needle")
			if n != 3 || len(line) > 2*longestFound {
				t.Errorf("line %d has %d bytes", n, len(line))
			}
			return nil
		}}
		for rest := text; rest != ""; {
			n := min(len(rest), 1+rnd.IntN(100_000))
			if _, err := g.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			if rest = rest[n:]; len(g.rest) > longestFound {
				t.Fatalf("%d bytes are held", len(g.rest))
			}
		}
		if err := g.line(); err != nil {
			t.Fatal(err)
		}
		if want := []string{"1a needle", "4the last needle"}; !slices.Equal(short, want) ||
			needles != 12 {
			t.Errorf("seed %d: %q and %d in the long line", seed, short, needles)
		}
	}
}
