package pathguard

import (
	_ "embed"
	"strings"
)

// A Stake is what could be lost where a rule speaks.
type Stake struct {
	Name string // one word
	Text string // completes "a command that"
}

//go:embed table/stakes.txt
var stakesTable string

// Stakes returns all of them, that of the least consequence first.
func Stakes() (list []Stake) {
	for _, s := range stakes() {
		list = append(list, s.Stake)
	}
	return list
}

// StakeOf returns what is at stake where a built-in rule or a hazard speaks; the zero Stake where
// there is no such rule.
func StakeOf(rule string) Stake {
	for _, s := range stakes() {
		if strings.Contains(s.rules, " "+rule+" ") {
			return s.Stake
		}
	}
	return Stake{}
}

// A ruled is a stake and the rules that are about it, each between spaces.
type ruled struct {
	Stake
	rules string
}

func stakes() (list []ruled) {
	for entry := range strings.SplitSeq(strings.TrimSuffix(stakesTable, "\n"), "\n\n") {
		head, rules, _ := strings.Cut(entry, "\n\t")
		if name, text, ok := strings.Cut(head, ": "); ok && head[0] != '#' {
			list = append(list, ruled{Stake{name, text},
				" " + strings.Join(strings.Fields(rules), " ") + " "})
		}
	}
	return list
}
