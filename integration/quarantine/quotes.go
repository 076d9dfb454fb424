package quarantine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/audit"
)

// MaxQuote is the length of a run of a reviewed file that is cut out of a response. Shorter runs
// stay: a finding that may not name anything would be useless.
const MaxQuote = 64

// quotes finds the runs that texts of a response share with reviewed files. It compares bytes:
// content in other words, in another spelling or in pieces gets through (AS-009).
//
// Every run of MaxQuote bytes of a text contains a whole block of half that size that begins at a
// multiple of the half. So the blocks of the texts are stored, and a window passes over each file
// once.
type quotes struct {
	texts  []string
	blocks map[uint64][]place // by their sums; blocks in a run are no longer searched
	runs   map[string][]run   // of a text: the runs to cut out, found so far
	tried  int                // comparisons of bytes
}

// maxTried limits the comparisons. Text and file can be crafted so that every block seems to match
// everywhere; such an answer is refused.
const maxTried = 20 << 20

const quoteBlock = MaxQuote / 2

// A place is a block of a text.
type place struct{ text, at int }

// A run is a piece of a text.
type run struct{ from, to int }

func newQuotes() *quotes { return &quotes{blocks: map[uint64][]place{}, runs: map[string][]run{}} }

// The window's sum is a polynomial (Rabin and Karp). It finds candidates, whose bytes are then
// compared.
const quoteBase = 1099511628211

func sum(b string) (h uint64) {
	for i := range len(b) {
		h = h*quoteBase + uint64(b[i])
	}
	return h
}

func (q *quotes) add(text string) {
	q.texts = append(q.texts, text)
	for at := 0; at+quoteBlock <= len(text); at += quoteBlock {
		h := sum(text[at : at+quoteBlock])
		q.blocks[h] = append(q.blocks[h], place{len(q.texts) - 1, at})
	}
}

// compare searches the texts for runs of content. It returns false if that would take too long.
func (q *quotes) compare(content []byte) bool {
	if len(content) < MaxQuote || len(q.blocks) == 0 {
		return true
	}
	var power uint64 = 1 // quoteBase to the block's length minus one
	for range quoteBlock - 1 {
		power *= quoteBase
	}
	h := sum(string(content[:quoteBlock]))
	for at := 0; ; at++ {
		if places := q.blocks[h]; len(places) > 0 {
			if q.tried += len(places); q.tried > maxTried {
				return false
			}
			q.blocks[h] = slices.DeleteFunc(places,
				func(p place) bool { return q.covered(p) || q.extend(p, content, at) })
		}
		if at+quoteBlock >= len(content) {
			return true
		}
		h = (h-uint64(content[at])*power)*quoteBase + uint64(content[at+quoteBlock])
	}
}

// covered reports whether a block is in a run that was found.
func (q *quotes) covered(p place) bool {
	return slices.ContainsFunc(q.runs[q.texts[p.text]],
		func(r run) bool { return p.at >= r.from && p.at+quoteBlock <= r.to })
}

// extend extends a shared block in both directions, and reports whether that made a run.
func (q *quotes) extend(p place, content []byte, at int) bool {
	text := q.texts[p.text]
	if string(content[at:at+quoteBlock]) != text[p.at:p.at+quoteBlock] {
		return false
	}
	from, to := p.at, p.at+quoteBlock
	for i := at; from > 0 && i > 0 && text[from-1] == content[i-1]; i-- {
		from--
	}
	for i := at + quoteBlock; to < len(text) && i < len(content) && text[to] == content[i]; i++ {
		to++
	}
	if to-from < MaxQuote {
		return false
	}
	q.runs[text] = append(q.runs[text], run{from, to})
	return true
}

// cut returns text with a mark in place of each run, and the number of runs.
func (q *quotes) cut(text string) (string, int) {
	runs := slices.Clone(q.runs[text])
	if len(runs) == 0 {
		return text, 0
	}
	slices.SortFunc(runs, func(a, b run) int { return a.from - b.from })
	var out strings.Builder
	end, n := 0, 0
	for _, r := range runs {
		if r.from < end {
			r.from = end // they overlap
		}
		if r.to <= end {
			continue
		}
		out.WriteString(text[end:r.from])
		if r.from > end || n == 0 {
			n++
		}
		fmt.Fprintf(&out, "[%s of the file]", audit.Plural(r.to-r.from, "byte"))
		end = r.to
	}
	out.WriteString(text[end:])
	return out.String(), n
}
