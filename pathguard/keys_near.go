package pathguard

import (
	"maps"
	"slices"
	"strings"
)

// known are the names that a section may hold.
func known(where string) []string {
	var names []string
	for _, k := range keys {
		rest, ok := strings.CutPrefix(k.Name, where)
		if where != "" && ok {
			rest, ok = strings.CutPrefix(rest, ".")
		}
		name, _, _ := strings.Cut(rest, ".")
		if ok && !strings.Contains(name, "[]") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// foreign are keys that designs and other programs have, and that this configuration does not: with
// what to use.
var foreign = map[string]string{
	"nonce_retention_period": "answered questions are kept for 7 days, longer than any question is valid; this cannot be set",
	"skew_margin":            "times are compared on one machine; this cannot be set",
	"approval_ttl":           "a question expires after an hour; set APPROVAL_TTL_SECONDS for less",
	"approval_ttl_seconds":   "a question expires after an hour; set the variable APPROVAL_TTL_SECONDS for less",
	"audit_log_path":         "the record is always in the state directory: audit/log.jsonl",
	"approval_key_path":      "keys are in the state directory; see tadactl key",
}

// ForeignKeys returns keys that are refused with a sentence that says what to use instead.
func ForeignKeys() map[string]string { return maps.Clone(foreign) }

// nearest is a hint at the key that may have been meant: the nearest name of the same section, or a
// key of another section that has this name or a near one; only a semicolon when nothing is near.
func nearest(full string) string {
	where, name := cutLast(full)
	if instead := foreign[strings.ToLower(name)]; instead != "" {
		return ": " + instead + ";"
	}
	best, least := "", limitOf(name)
	try := func(candidate, word string) {
		if d := apart(name, word); d < least {
			best, least = candidate, d
		}
	}
	for _, word := range known(where) {
		try(word, word)
	}
	for _, k := range keys {
		if _, last := cutLast(k.Name); !k.IsField() && k.Section() != where {
			try(k.Name, last) // a tie goes to the same section
		}
	}
	if best == "" {
		return ";"
	}
	return "; did you mean " + best + "?"
}

// distance is how many letters must be added, dropped, replaced or exchanged with their neighbour
// to make b of a.
func distance(a, b string) int {
	prev, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], prev[j-1]+1)
			}
		}
		prev, row, next = row, next, prev
	}
	return row[len(b)]
}
