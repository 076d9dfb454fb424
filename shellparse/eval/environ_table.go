package eval

import (
	_ "embed"
	"strings"
)

// A meaning is what a variable does to the programs that find it in their environment.
type meaning int

// The meanings are explained in the table.
const (
	harmless meaning = iota
	runs
	starts
	sources
	loads
	searches
	options
	prompts
	places
	configures
	writes
	proxies
	contacts
	trusts
)

// kinds are the names of the meanings in the table, in their order.
const kinds = "harmless runs starts sources loads searches options prompts places configures writes proxies contacts trusts"

// environTable is the table of the variables that change what a later command means.
//
//go:embed environ.txt
var environTable string

// moduleProxies are the places from which Go modules usually come; go.sum says whether they are
// the same from there.
const moduleProxies = " direct off proxy.golang.org goproxy.io goproxy.cn "

// history are the variables that decide whether an interactive shell keeps a record.
const history = " HISTFILE HISTSIZE HISTFILESIZE HISTCONTROL HISTIGNORE "

func kindOf(name string) meaning {
	for i, k := range strings.Fields(kinds) {
		if k == name {
			return meaning(i)
		}
	}
	return harmless
}

// meaningOf looks a variable up in the table. The second result is what stands behind "=".
func meaningOf(name string) (meaning, string) {
	if len(name) < 2 || strings.ContainsAny(name, " \n=*#") {
		return harmless, ""
	}
	if strings.HasPrefix(name, "NPM_CONFIG_") {
		name = strings.ToLower(name) // npm(1) reads both
	}
	for at := 0; ; {
		i := strings.Index(environTable[at:], name)
		if i < 0 {
			return family(name)
		}
		start, end := at+i, at+i+len(name)
		at = end
		if start == 0 || environTable[start-1] != ' ' || end == len(environTable) || strings.IndexByte(" \n=", environTable[end]) < 0 {
			continue
		}
		if kind, param, ok := entryAt(start, end); ok {
			return kind, param
		}
	}
}

// entryAt reads the entry of the table whose name is environTable[start:end].
func entryAt(start, end int) (kind meaning, param string, ok bool) {
	line := environTable[strings.LastIndexByte(environTable[:start], '\n')+1:]
	if line[0] == '#' {
		return harmless, "", false
	}
	word, _, _ := strings.Cut(line, " ")
	if environTable[end] == '=' {
		param = environTable[end+1 : end+1+strings.IndexAny(environTable[end+1:], " \n")]
	}
	return kindOf(word), param, true
}

// family is the meaning of a variable with a part of the user's own in its name: the first
// entry with a star that fits.
func family(name string) (meaning, string) {
	for at := 0; ; at++ {
		i := strings.IndexByte(environTable[at:], '*')
		if i < 0 {
			return harmless, ""
		}
		at += i
		start := strings.LastIndexAny(environTable[:at], " \n") + 1
		end := at + strings.IndexAny(environTable[at:], " \n=")
		front, tail := environTable[start:at], environTable[at+1:end]
		if len(name) >= len(front)+len(tail) && strings.HasPrefix(name, front) && strings.HasSuffix(name, tail) {
			if kind, param, ok := entryAt(start, end); ok {
				return kind, param
			}
		}
	}
}
