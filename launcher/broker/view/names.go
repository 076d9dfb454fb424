package view

import (
	_ "embed"
	"path"
	"strconv"
	"strings"
	"sync"
)

//go:embed names.txt
var namesText string

// A custom is a pattern of names that programs look for.
type custom struct {
	pattern, why string
	spare        bool // programs continue without it
}

func customs() []custom {
	table.once.Do(func() {
		for line := range strings.Lines(namesText) {
			pattern, why, ok := strings.Cut(strings.TrimSpace(line), " ")
			if ok && pattern != "#" {
				name, spare := strings.CutPrefix(pattern, "?")
				table.list = append(table.list, custom{name, strings.TrimSpace(why), spare})
			}
		}
	})
	return table.list
}

var table struct {
	once sync.Once
	list []custom
}

// A Machine knows which accounts and processes there are outside.
type Machine interface {
	// Account reports whether a person or root has this name or number.
	Account(name string) bool
	// Outside reports whether a process that is not of the run has this number.
	Outside(pid int) bool
}

// Custom returns what looks for name in a shared directory, whatever the machine; "" for none.
func Custom(name string) string { return customOf(name).why }

func customOf(name string) custom {
	for _, c := range customs() {
		if ok, err := path.Match(c.pattern, name); ok || err != nil {
			return c
		}
	}
	return custom{}
}

// Spare reports whether a path is of a cache, without which programs continue.
func Spare(path string) bool {
	for name := range strings.SplitSeq(path, "/") {
		if customOf(name).spare {
			return true
		}
	}
	return false
}

// Refused returns why a run may not use name in a shared directory; "" when it may.
func Refused(name string, m Machine) string {
	if why := Custom(name); why != "" {
		return why
	}
	digits := len(strings.TrimRight(name, "0123456789"))
	number := name[digits:]
	separated := digits == 0 || strings.IndexByte(separators, name[digits-1]) >= 0
	switch {
	case random(name):
	case m.Account(lastWord(name)):
		return "it ends in the name or number of an account"
	case len(number) >= leastAlone && m.Account(number):
		return "it ends in the number of an account"
	case len(number) >= leastPID && (separated || strings.HasSuffix(name[:digits], "pid")):
		if pid, err := strconv.ParseInt(number, 10, 32); err == nil && m.Outside(int(pid)) {
			return "it ends in the number of a process outside"
		}
	}
	return ""
}

// leastAlone is how many digits say whose a name is without a separator before them (emacs1000),
// leastPID how many may mean a process: shards and copies are numbered from 0 on.
const (
	leastAlone = 4
	leastPID   = 3
)

// random reports whether a name ends as Python's tempfile has it, in eight of these characters of
// which the last are a separator and a digit or two by chance. One of 1,400 such names ends in
// "_0", so one of 140 installs by pip would fail. The letters before it cannot be foreseen.
func random(name string) bool {
	const length, characters = 8, "abcdefghijklmnopqrstuvwxyz0123456789_"
	if len(name) <= length {
		return false
	}
	end := name[len(name)-length:]
	letters := strings.TrimRight(end, "0123456789")
	number := len(end) - len(letters)
	return strings.Trim(end, characters) == "" && number <= 2 && strings.HasSuffix(letters, "_") &&
		(strings.ContainsAny(letters, "0123456789") || name == "tmp"+end)
}

// lastWord is the part of a name after its last separator.
func lastWord(name string) string { return name[strings.LastIndexAny(name, separators)+1:] }

const separators = "-_.+@:"
