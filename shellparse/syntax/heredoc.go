package syntax

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Delimiter returns the line that ends a here-document, and whether quotes in it turn off
// the expansions of the body.
func Delimiter(word *syntax.Word) (text string, quoted bool) {
	var b strings.Builder
	for _, p := range word.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			quoted = quoted || strings.Contains(p.Value, `\`)
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			quoted = true
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			quoted = true
			for _, q := range p.Parts {
				if lit, ok := q.(*syntax.Lit); ok {
					b.WriteString(lit.Value)
				}
			}
		}
	}
	return b.String(), quoted
}

// Untabbed returns the parts of a here-document; <<- takes the tabs off the front of each
// line of the text, not off what an expansion puts there.
func Untabbed(r *syntax.Redirect) []syntax.WordPart {
	parts := r.Hdoc.Parts
	if r.Op != syntax.DashHdoc {
		return parts
	}
	front := true
	for i, p := range parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			front = false
			continue
		}
		text := lit.Value
		if front {
			text = strings.TrimLeft(text, "\t")
		}
		if strings.Contains(text, "\n\t") {
			lines := strings.SplitAfter(text, "\n")
			for k := 1; k < len(lines); k++ {
				lines[k] = strings.TrimLeft(lines[k], "\t")
			}
			text = strings.Join(lines, "")
		}
		if text != "" {
			front = text[len(text)-1] == '\n'
		}
		if text != lit.Value {
			parts = slices.Clone(parts)
			parts[i] = &syntax.Lit{ValuePos: lit.ValuePos, ValueEnd: lit.ValueEnd, Value: text}
		}
	}
	return parts
}
