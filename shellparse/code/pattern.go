package code

import (
	"regexp"
	"sync"
)

// pattern compiles a regular expression at its first use: every command starts with this package,
// and few have a text that needs one.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
