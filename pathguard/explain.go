package pathguard

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A Setting is the value of one key, as it is in force.
type Setting struct {
	Key
	Value   any      // as JSON has it; nil for none
	Text    string   // as it is written in the configuration
	Sources []Source // empty for the default
}

// Explain returns every key that has a value, with the value in force and where it comes from.
func (p Policy) Explain() []Setting {
	var all []Setting
	for _, k := range keys() {
		if k.value != nil {
			v := k.value(p.set)
			all = append(all, Setting{k, v, written(v), p.sources[k.Name]})
		}
	}
	return all
}

// Lines are the settings for a reader, one a line: name, value, and where it comes from. A list of
// rules has a line for each rule.
func (p Policy) Lines() [][3]string {
	var rows [][3]string
	for _, s := range p.Explain() {
		if rules, ok := s.Value.([]any); ok && len(rules) > 0 {
			for i, r := range rules {
				rows = append(rows, [3]string{s.Name, written(r),
					p.from(s.Sources[min(i, len(s.Sources)):min(i+1, len(s.Sources))])})
			}
			continue
		}
		if s.Name != "ai" { // another program's
			rows = append(rows, [3]string{s.Name, s.Text, p.from(s.Sources)})
		}
	}
	return rows
}

// Changed is the difference between two policies: what `policy show` no longer says after a minus,
// what it says now after a plus. Where a value is written is no part of it.
func Changed(before, after Policy) []string {
	var out []string
	was, now := before.Lines(), after.Lines()
	lacks := func(rows [][3]string, row [3]string) bool {
		return !slices.ContainsFunc(rows,
			func(r [3]string) bool { return r[0] == row[0] && r[1] == row[1] })
	}
	for _, k := range keys() {
		for _, side := range []struct {
			sign        string
			rows, other [][3]string
		}{{"-", was, now}, {"+", now, was}} {
			for _, row := range side.rows {
				if row[0] == k.Name && lacks(side.other, row) {
					out = append(out, side.sign+" "+row[0]+"  "+inertText(row[1]))
				}
			}
		}
	}
	for _, n := range after.notes {
		if !slices.Contains(before.notes, n) {
			out = append(out, "  note: "+inertText(n))
		}
	}
	return out
}

// FromDefault is where a setting of a line comes from that no file sets.
const FromDefault = "default"

// from names sources, with ~ for the account's home.
func (p Policy) from(sources []Source) string {
	if len(sources) == 0 {
		return FromDefault
	}
	names := make([]string, len(sources))
	for i, s := range sources {
		if rest, ok := strings.CutPrefix(s.File, p.account.Home+"/"); ok && p.account.Home != "" {
			s.File = "~/" + rest
		}
		names[i] = s.String()
	}
	return strings.Join(names, ", ")
}

// inertText is a text in which nothing moves the cursor or reorders what is read: a workspace's
// file is data of the repository.
func inertText(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
	}
	return b.String()
}
