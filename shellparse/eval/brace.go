package eval

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// braces expands the braces of a word into words. It returns false when more would come
// out than are followed.
func braces(word *syntax.Word) ([]*syntax.Word, bool) {
	switch nested := braceDepth(word); {
	case nested == 0:
		return []*syntax.Word{word}, true
	case nested > maxBraces || misread(word):
		return nil, false
	}
	split := &syntax.Word{Parts: append([]syntax.WordPart(nil), word.Parts...)}
	if !syntax.SplitBraces(split) || !slices.ContainsFunc(split.Parts, isBraces) {
		return []*syntax.Word{word}, true
	}
	all, ok := alternatives(split.Parts)
	if !ok {
		return nil, false
	}
	words := make([]*syntax.Word, 0, len(all))
	for _, parts := range all {
		if grown(parts) {
			return nil, false
		}
		if parts = merged(parts); len(parts) > 0 {
			words = append(words, &syntax.Word{Parts: parts})
		}
	}
	return words, true
}

func isBraces(p syntax.WordPart) bool {
	_, ok := p.(*syntax.BraceExp)
	return ok
}

// merged joins the texts that braces have put side by side, because what comes next reads
// them as one: ~{root,} has the tilde of root in it, and {~,a}/b that of the caller.
func merged(parts []syntax.WordPart) []syntax.WordPart {
	out := make([]syntax.WordPart, 0, len(parts))
	for _, p := range parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			out = append(out, p)
			continue
		}
		if lit.Value == "" {
			continue
		}
		if last, ok := lastLit(out); ok {
			out[len(out)-1] = &syntax.Lit{ValuePos: last.ValuePos, ValueEnd: lit.ValueEnd,
				Value: last.Value + lit.Value}
			continue
		}
		out = append(out, p)
	}
	return out
}

// maxBraces bounds how many braces are open at once: the parser tries again from each one
// that nothing closes, which doubles its time.
const maxBraces = 12

// braceDepth is how many braces of a word are open at once.
func braceDepth(word *syntax.Word) int {
	depth, most := 0, 0
	for _, p := range word.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok || strings.IndexByte(lit.Value, '{') < 0 && depth == 0 {
			continue
		}
		for i := range len(lit.Value) {
			switch lit.Value[i] {
			case '{':
				depth++
				most = max(most, depth)
			case '}':
				depth = max(depth-1, 0)
			}
		}
	}
	return most
}

// misread reports whether a word has braces, and beside them what makes bash, which looks for
// the braces before it knows of anything else, see other ones: a brace as a letter in an
// expansion, quotes in the quotes of one, {} in front of more, one too many at the end.
func misread(word *syntax.Word) bool {
	if braceDepth(word) == 0 {
		return false
	}
	opens, closes, empty, comma := 0, 0, false, false
	for _, p := range word.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			opens, closes = opens+strings.Count(p.Value, "{"), closes+strings.Count(p.Value, "}")
			comma = comma || strings.Contains(p.Value, ",")
			empty = empty || strings.Contains(p.Value, "{}")
		case *syntax.DblQuoted:
			if slices.ContainsFunc(p.Parts, hasQuotes) {
				return true
			}
		case *syntax.ParamExp:
			if bracesInside(p) || quotesInQuotes(p) {
				return true
			}
		}
	}
	return empty && opens+closes > 2 || comma && closes > opens
}

// grown reports whether braces have put a character behind an unbraced $name that makes it
// another name: they are expanded before anything else, so $x{1,2} is $x1 $x2.
func grown(parts []syntax.WordPart) bool {
	for i := 1; i < len(parts); i++ {
		p, ok := parts[i-1].(*syntax.ParamExp)
		lit, isLit := parts[i].(*syntax.Lit)
		if ok && isLit && p.Short && lit.Value != "" &&
			(syntax.ValidName("x"+lit.Value[:1]) || lit.Value[0] == '[') {
			return true
		}
	}
	return false
}

// alternatives returns every combination of the brace expressions among parts, the
// leftmost changing slowest.
func alternatives(parts []syntax.WordPart) ([][]syntax.WordPart, bool) {
	all := [][]syntax.WordPart{nil}
	for _, p := range parts {
		br, ok := p.(*syntax.BraceExp)
		if !ok {
			for i := range all {
				all[i] = append(all[i], p)
			}
			continue
		}
		choices, ok := elements(br)
		if !ok || len(choices)*len(all) > maxFields {
			return nil, false
		}
		next := make([][]syntax.WordPart, 0, len(all)*len(choices))
		for _, a := range all {
			for _, c := range choices {
				next = append(next, append(append([]syntax.WordPart(nil), a...), c...))
			}
		}
		all = next
	}
	return all, true
}

func elements(br *syntax.BraceExp) ([][]syntax.WordPart, bool) {
	if br.Sequence {
		return sequence(br)
	}
	var out [][]syntax.WordPart
	for _, e := range br.Elems {
		inner, ok := alternatives(e.Parts)
		if !ok || len(out)+len(inner) > maxFields {
			return nil, false
		}
		out = append(out, inner...)
	}
	return out, true
}

// sequence expands {1..9..2} and {a..e}.
func sequence(br *syntax.BraceExp) ([][]syntax.WordPart, bool) {
	first, last := br.Elems[0].Lit(), br.Elems[1].Lit()
	step := int64(1)
	if len(br.Elems) > 2 {
		n, err := strconv.ParseInt(br.Elems[2].Lit(), 10, 64)
		if err != nil {
			return nil, false
		}
		step = max(n, -n, 1)
	}
	from, err1 := strconv.ParseInt(first, 10, 64)
	to, err2 := strconv.ParseInt(last, 10, 64)
	letters := err1 != nil || err2 != nil
	if letters {
		if len(first) != 1 || len(last) != 1 {
			return nil, false
		}
		from, to = int64(first[0]), int64(last[0])
	}
	if step < 0 || (max(from, to)-min(from, to))/step >= maxFields ||
		max(from, to)-min(from, to) < 0 {
		return nil, false
	}
	width := 0
	if !letters && (padded(first) || padded(last)) {
		width = max(len(first), len(last))
	}
	if from > to {
		step = -step
	}
	var out [][]syntax.WordPart
	for n := from; step > 0 && n <= to || step < 0 && n >= to; n += step {
		text := strconv.FormatInt(n, 10)
		if letters {
			text = string(rune(n))
			if strings.Contains("\\`", text) {
				// {Z..a} passes the quoting characters: what bash does changes by version
				return nil, false
			}
		} else if width > 0 {
			text = fmt.Sprintf("%0*d", width, n)
		}
		out = append(out, []syntax.WordPart{&syntax.Lit{Value: text}})
	}
	return out, true
}

func padded(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return len(s) > 1 && s[0] == '0'
}
