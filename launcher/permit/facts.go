package permit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher/notice"
)

// Facts are what a plan binds, by name: after "=" a value that may be shown, else a salted hash,
// because the value of a variable may be a secret. An approval binds one hash, so that it does not
// fit says nothing of why; with the facts behind the hash the difference can be named.
type Facts map[string]string

// Unsaid begins the name of a fact that no difference is told by: another one says it in words.
const Unsaid = "\x00"

// maxDiffers is how many differences are named: beyond that, everything has changed.
const maxDiffers = 8

// differs names what is in one list of facts and not the same in the other.
func differs(was, is Facts) []string {
	var names []string
	for name := range was {
		if was[name] != is[name] {
			names = append(names, name)
		}
	}
	for name := range is {
		if _, both := was[name]; !both {
			names = append(names, name)
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return strings.HasPrefix(name, Unsaid)
	})
	slices.Sort(names)
	if len(names) == 0 {
		return []string{"what the command would do"}
	}
	var told []string
	for i, name := range names {
		if i == maxDiffers {
			return append(told, fmt.Sprintf("and %d more", len(names)-i))
		}
		before, shown := strings.CutPrefix(was[name], "=")
		now, _ := strings.CutPrefix(is[name], "=")
		switch {
		case shown:
			told = append(told, fmt.Sprintf("%s is %s, was %s", name, notice.Visible(now),
				notice.Visible(before)))
		case was[name] == "":
			told = append(told, notice.Visible(name)+" is new")
		case is[name] == "":
			told = append(told, notice.Visible(name)+" is gone")
		default:
			told = append(told, notice.Visible(name)+" changed")
		}
	}
	return told
}
