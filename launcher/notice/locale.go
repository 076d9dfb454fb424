package notice

import (
	"cmp"
	"os"
	"strings"
)

// UTF8 reports whether the locale of this process uses UTF-8, as locale(7) determines it.
func UTF8() bool {
	name := strings.ToLower(cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG")))
	return strings.Contains(name, "utf-8") || strings.Contains(name, "utf8")
}
