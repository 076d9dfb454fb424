package launcher

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// clientTable says what the program of an agent needs in a session; the file tells how it is read.
//
//go:embed clients.txt
var clientTable string

// A need is one line of clientTable.
type need struct {
	agent, kind string
	words       []string
}

// needKinds are the kinds of lines, with the least and the most words that follow.
var needKinds = map[string][2]int{
	"home": {2, 2}, "copy": {1, 1}, "link": {1, 1}, "login": {1, 1}, "seed": {3, 3}, "rest": {1, 2}, "host": {1, 1}, "key": {1, 2},
	"base": {1, 1}, "address": {2, 2}, "keyname": {2, 2},
}

// needs is clientTable, read once. A line that it does not understand opens nothing.
var needs = sync.OnceValue(func() (all []need) {
	for line := range strings.Lines(clientTable) {
		f := strings.Fields(line)
		if len(f) < 3 || strings.HasPrefix(f[0], "#") {
			continue
		}
		n := need{f[0], f[1], f[2:]}
		if count, known := needKinds[n.kind]; known && len(n.words) >= count[0] && len(n.words) <= count[1] {
			all = append(all, n)
		}
	}
	return all
})

// needsOf are the lines of an agent; none for one that is not known.
func needsOf(agent string) (list []need) {
	for _, n := range needs() {
		if n.agent == agent {
			list = append(list, n)
		}
	}
	return list
}

// word is the n-th word behind the kind; "" where there is none.
func (n need) word(i int) string {
	if i < len(n.words) {
		return n.words[i]
	}
	return ""
}

// list is a word that names several things, with commas between.
func (n need) list(i int) []string {
	return slices.DeleteFunc(strings.Split(n.word(i), ","), func(s string) bool { return s == "" })
}
